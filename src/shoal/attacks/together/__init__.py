"""What two releases of the same people tell together: by classes (`lines`), and where some of their items or values are known."""
