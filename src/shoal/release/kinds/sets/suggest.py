"""Sets of items among the columns: which cells of a CSV file hold them, and what becomes of the columns beside them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from shoal.data.schema import Role
from shoal.release.suggest.patterns import stands_for_missing
from shoal.release.suggest.schema import schema_of
from shoal.release.suggest.summary import ColumnSummary
from shoal.release.suggest.toml import inline

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.release.kinds.wanted import Wanted
    from shoal.release.suggest.summary import Suggestion

MARKS = "|;,"  # tried in this order; a blank would take every sentence for a set
_MARKED = 0.2  # of the records with a value have several items
_SHARED = 3  # records to an item, on average: words of free text and parts of names have fewer
_PHRASES = 0.2  # of the items are of several words: then they need
_WIDELY_SHARED = 10  # records to an item, and
_OWN = 0.05  # of the items at most may be phrases that one record alone has
_ANYWHERE = 0.1  # of the places could be taken by the same items, first or later

_CHOICE = """
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


def promise(private: Sequence[str]) -> list[str]:
    """k-matching. private: names of the sensitive columns."""
    lines = [_CHOICE.rstrip(), "", "[[guarantee]]", 'name = "k-matching"', "k = 5"]
    for name in private[:1]:  # labels of one column are kept apart
        lines += ["", "[[guarantee]]", 'name = "l-matching"', "l = 2", f"column = {inline(name)}"]
    return lines


def promises(wanted: Wanted) -> list[dict[str, Any]]:
    """With m, against somebody who knows m items of a person; without, against one who knows them all."""
    wanted.only("k", "l", "m", about="sets of items")
    known = {} if wanted.m is None else {"m": wanted.m}
    alike, private = ("k-matching", "l-matching") if wanted.m is None else ("km-anonymity", "lm-diversity")
    found: list[dict[str, Any]] = [{"name": alike, "k": wanted.k, **known}]
    if wanted.l is not None:
        found += [{"name": private, "l": wanted.l, **known, "column": column} for column in wanted.private]
    return found


def mark_of(counts: Mapping[str, int], delimiter: str) -> str | None:
    """What separates items in the cells of a column; None when nothing says that they hold sets. counts: records by cell.

    Names, addresses, numbers and sentences have marks as well. Of sets, a good part has several items; items are shared by many
    records; they are codes or words, or else shared by very many; and the same item stands first in one set and later in another,
    where a first name always follows the last name.
    """
    cells = {cell: records for cell, records in counts.items() if not stands_for_missing(cell)}
    for mark in MARKS:
        if mark == delimiter:
            continue
        marked = sum(records for cell, records in cells.items() if mark in cell)
        if marked and marked >= _MARKED * sum(cells.values()) and _are_items(cells, mark):
            return mark
    return None


def with_items(column: ColumnSummary, counts: Mapping[str, int], delimiter: str) -> ColumnSummary:
    """The column of a CSV file, with its items when its cells may be sets."""
    mark = mark_of(counts, delimiter)
    if mark is None:
        return column
    return replace(column, mark=mark, items=ColumnSummary.of_counts(column.name, "text", items_of(counts, mark)))


def items_of(cells: Mapping[str, int], mark: str) -> dict[str, int]:
    """Records that hold each item, from records by cell."""
    holders: Counter[str] = Counter()
    for cell, records in cells.items():
        for item in set(cell.split(mark)):
            holders[item] += records
    return dict(holders)


def _are_items(cells: Mapping[str, int], mark: str) -> bool:
    holders = items_of(cells, mark)
    if any(
        item != item.strip() or not item for item in holders
    ):  # `a, b`: read back, " b" would be another item than "b"
        return False
    occurrences = sum(holders.values())
    if occurrences < _SHARED * len(holders):
        return False
    phrases = [item for item in holders if " " in item]
    if len(phrases) > _PHRASES * len(holders):
        own = sum(holders[item] == 1 for item in phrases)
        if occurrences < _WIDELY_SHARED * len(holders) or own > _OWN * len(holders):
            return False
    return _stand_anywhere(cells, mark)


def _stand_anywhere(cells: Mapping[str, int], mark: str) -> bool:
    """Whether items stand first as well as later: in a pair such as last and first name each has its place."""
    first: Counter[str] = Counter()
    later: Counter[str] = Counter()
    for cell, records in cells.items():
        head, *tail = cell.split(mark)
        first[head] += records
        for item in tail:
            later[item] += records
    both = sum(min(records, later[item]) for item, records in first.items())
    return both >= _ANYWHERE * min(first.total(), later.total())


def beside_sets(suggestions: Sequence[Suggestion]) -> tuple[Suggestion, ...]:
    """Several columns of sets are published only beside single values that others could recognise; else the first one alone."""
    schema = schema_of(suggestions)
    if schema.quasi_values:
        return tuple(suggestions)
    first, *others = schema.quasi_sets or ("",)
    what = f"another column of sets, and beside '{first}' alone it cannot be published yet"
    return tuple(
        replace(one, role=Role.IDENTIFYING, what=what, advice=()) if one.name in others else one for one in suggestions
    )
