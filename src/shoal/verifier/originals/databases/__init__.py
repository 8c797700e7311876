"""Rows of a database, read a second time: a table or a query, of PostgreSQL, of a DuckDB file or of an SQLite file."""
