"""What a person sees of data before anything is done to it: its first rows, how it was read, and its columns."""
