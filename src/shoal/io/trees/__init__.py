"""Trees as they come and as they are published: nested files on one side, numbers on the other."""
