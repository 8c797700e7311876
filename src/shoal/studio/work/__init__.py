"""What runs in processes of their own: one file for each piece of work."""
