"""shoal: publish data about people so that nobody in it can be picked out, and prove it."""

__version__ = "0.1.0"
