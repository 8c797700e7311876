"""Mutants that nobody can tell from the original, each with the reason. docs/evidence/mutants.md lists them."""

from __future__ import annotations

_ONE_COLUMN_EACH = "`strict` guards against a fault in the line above: the statement gives one column for each bound"

EQUIVALENT: dict[str, str] = {  # by name (see `mutations.Mutant`)
    "shoal/verifier/sets/matched.py Certificate.judge: `fewer = {bound: int(weight) // degree for bound, weight in "
    "zip(bounds.records, below, strict=True)}` [True → False]": _ONE_COLUMN_EACH,
}
