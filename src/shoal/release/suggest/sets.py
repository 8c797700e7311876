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
    """One column of sets is published and nothing else that others could recognise: both in one release are not offered yet."""
    sets = [one for one in suggestions if one.kind == "set"]
    if not sets:
        return tuple(suggestions)
    made = []
    for one in suggestions:
        if one.role is not Role.QUASI or one is sets[0]:
            made.append(one)
            continue
        what = "another column of sets" if one.kind == "set" else "could be recognised by others"
        reason = f"{what}, and cannot be blurred beside '{sets[0].name}' yet: removed; as sensitive it is published"
        made.append(replace(one, role=Role.IDENTIFYING, hierarchy=None, reason=reason))
    return tuple(made)
