"""What is refused before anything is decided or written."""
