"""What pages show, put together from the recipe and what was counted."""
