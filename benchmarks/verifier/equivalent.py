"""Mutants that nobody can tell from the original, each with the reason, and what those that lived have shown.

docs/evidence/mutants.md lists both.
"""

from __future__ import annotations

_ONE_COLUMN_EACH = "`strict` guards against a fault in the line above: the statement gives one column for each bound"

EQUIVALENT: dict[str, str] = {  # by name (see `mutations.Mutant`)
    "shoal/verifier/sets/matched.py Certificate.judge: `fewer = {bound: int(weight) // degree for bound, weight in "
    "zip(bounds.records, below, strict=True)}` [True → False]": _ONE_COLUMN_EACH,
}

_MATCHINGS = "tests/unit/verifier/sets/test_verify_matchings.py"
SHOWN = {  # what no test noticed, and the tests that do now
    "A certificate in which everyone stands twice in a class of their own is refused; without that check it would pass for "
    "2-matching": _MATCHINGS,
    "A matching is judged right where there are more items than bits in a machine word": _MATCHINGS,
    "Sets without any other column are no fault": _MATCHINGS,
    "The least of every number of a promise, t of 0, tables of an input that are no names, checks that two packages "
    "ship": "tests/unit/verifier/recipe/test_recipe_bounds.py",
}
