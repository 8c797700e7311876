"""Releases that somebody handed over: what their columns are, which recipe speaks of them, what is found when they are checked."""
