"""Simulated attacks: on a release that lies there, and on one before it is published."""
