"""Sets of items among the columns: which cells of a CSV file hold them, and what becomes of the columns beside them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from shoal.data.schema import Role

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.release.suggest.summary import Suggestion

MARKS = "|;,"  # tried in this order; a blank would take every sentence for a set
_MARKED = 0.2  # of the records with a value have several items
_SHARED = 3  # records to an item, on average: words of free text and parts of names have fewer

CHOICE = """
# How to choose the promise:
#   k-matching     somebody may know all items of everybody; needs no hierarchy; the release shows base sets with what may differ.
#   km-anonymity   somebody knows up to m items of a person; the release shows plain sets, rare items under labels of a hierarchy.
# For the second write a hierarchy (`shoal hierarchy check` tells whether it fits), name it at the column as
# hierarchy = "items.csv", and put in place of the guarantee below:
#   [[guarantee]]
#   name = "km-anonymity"
#   k = 5
#   m = 2
# Nobody can guess which items belong together. Without anything better put items of the same kind (shelf, chapter of a code,
# folder of a web site) under one label: labels by how frequent items are keep the promise as well, but say nothing to a reader.
"""

CHOICE_BESIDE_VALUES = """
# The promise is about both together: whoever knows all quasi values of someone and up to m of their items finds k records.
#   Items are shown as they are or as sets such as (a,b): one of them. For labels instead, name a hierarchy of the items at their
#   column, hierarchy = "items.csv", and say items = "hierarchy" under [method].
#   Items that are private facts: sensitive_items = ["…"] at their column publishes them as they are, and a [[guarantee]] named
#   k-lm-diversity with that column keeps them unsure. Leave them out of it if others could know them.
#   delta is how much the single values may lose, from 0 to 1; `shoal frontier` shows what the items then lose.
"""


def mark_of(counts: Mapping[str, int], delimiter: str) -> str | None:
    """What separates items in the cells of a column; None when they hold no sets. counts: records by cell."""
    for mark in MARKS:
        if mark == delimiter:
            continue
        marked = sum(records for cell, records in counts.items() if mark in cell)
        if not marked or marked < _MARKED * sum(counts.values()):
            continue
        held: Counter[str] = Counter()
        for cell, records in counts.items():
            for item in set(cell.split(mark)):
                held[item.strip()] += records
        if "" not in held and sum(held.values()) >= _SHARED * len(held):
            return mark
    return None


def beside_sets(suggestions: Sequence[Suggestion]) -> tuple[Suggestion, ...]:
    """Several columns of sets are published only beside single values that others could recognise; else the first one alone."""
    sets = [one for one in suggestions if one.kind == "set"]
    if beside_values(suggestions):
        return tuple(suggestions)
    made = []
    for one in suggestions:
        if one in sets[1:]:
            reason = f"another column of sets, and beside '{sets[0].name}' alone it cannot be published yet: removed"
            made.append(replace(one, role=Role.IDENTIFYING, reason=reason))
        else:
            made.append(one)
    return tuple(made)


def beside_values(suggestions: Sequence[Suggestion]) -> bool:
    """Whether quasi columns are both: single values and sets."""
    return {one.kind for one in suggestions if one.role is Role.QUASI} == {"scalar", "set"}
