"""The pages, a file each. Each has `ROUTES`."""
