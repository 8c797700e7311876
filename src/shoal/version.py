"""The version, apart from the public names: who writes it into a file need not import them."""

__version__ = "0.2.0"
