"""The studio: a page on this computer that leads a person from a file to a signed release.

It edits a recipe and calls what the command line calls; it knows `release` and `report` only. One person, one computer: what is
worked on is the recipe on disk.
"""
