"""Databases: where they lie, how to log in, and rows of a table or a query of them."""
