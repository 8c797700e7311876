"""Mutants that nobody can tell from the original, each with the reason. docs/evidence/mutants.md lists them."""

from __future__ import annotations

EQUIVALENT: dict[str, str] = {}  # by name (see `mutations.Mutant`)
