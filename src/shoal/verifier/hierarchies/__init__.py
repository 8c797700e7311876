"""Hierarchies as the verifier understands them: read from files and recipes by itself, written from the reference."""
