"""What a terminal asks for: Ctrl-C that is answered, streams that may be closed."""
