"""The short call: roles and numbers instead of a recipe. What it makes is a recipe, which can be looked at and saved."""
