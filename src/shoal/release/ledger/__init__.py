"""Releases that remember: which releases of the same people there were, and what they tell together with a new one."""
