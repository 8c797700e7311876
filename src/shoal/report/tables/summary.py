"""A release of a table in few words, as Python shows it: a `repr`, a row of a notebook, a key of `--json`."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from shoal.report.words import percent

if TYPE_CHECKING:
    from shoal.report.columns import ColumnFacts
    from shoal.report.tables.facts import Facts


def figures(facts: Facts) -> dict[str, Any]:
    """Nothing besides what all kinds have."""
    return {}


def brief(facts: Facts, smallest_class: int) -> str:
    """For a `repr`."""
    return f"smallest class {smallest_class}"


def rows(facts: Facts) -> dict[str, str]:
    """For a notebook."""
    rows = {}
    kept = facts.kept_method
    if kept is not None:
        rows["method"] = f"{kept.method}, the best of {len(facts.tried)} tried"
    rows["levels"] = "; ".join(_level(column, facts.records.published) for column in facts.quasi)
    return rows


def _level(column: ColumnFacts, records: int) -> str:
    """'age 2', or 'age 0 (54 %), 2 (46 %)' when records differ."""
    if column.level is not None:
        return f"{column.name} {column.level}"
    shares = (f"{share.place} ({percent(Fraction(share.records, records))})" for share in column.mix)
    return f"{column.name} {', '.join(shares)}"
