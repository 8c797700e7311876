"""Releases to choose from: several that keep the promise, safer or with more detail, none of them published."""
