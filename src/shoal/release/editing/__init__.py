"""Changes to a recipe that a person keeps: what they wrote, comments and unknown keys stay as they are."""
