"""Compiling all kernels ahead of time."""
