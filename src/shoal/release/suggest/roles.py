"""A proposal for every column: the role that the rules find, the hierarchy that suits it, and what a person should know of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from shoal.data.schema import Role
from shoal.release.suggest.hierarchies import hierarchy_for
from shoal.release.suggest.rules import Finding, find
from shoal.release.suggest.seen import Seen
from shoal.release.suggest.summary import Advice, ColumnSummary, Suggestion

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_TELLING = 0.1  # different values per record, from which a private number also tells people apart
_RARE = 3  # records to an item, on average: with fewer, a set tells much about its owner

_RARE_ITEMS = Advice("most items are held by few records: leave out what nobody needs")
_CODES = Advice("values listed under `missing` seem to stand for no value, and are read so")
_TELLS_APART = Advice("so many different values tell people apart: take quasi if others may know it", doubt=True)


def suggest(columns: Sequence[ColumnSummary]) -> list[Suggestion]:
    """A proposal for every column, in the same order. A person has to confirm each."""
    suggestions = [_suggestion(column, columns[:position]) for position, column in enumerate(columns)]
    marks = Counter(one.mark for one in suggestions if one.mark is not None)
    if len(marks) < 2:
        return suggestions
    mark = marks.most_common(1)[0][0]  # a recipe has one mark for all columns
    return [
        one if one.mark in (None, mark) else _suggestion(replace(column, mark=None, items=None), columns[:position])
        for position, (one, column) in enumerate(zip(suggestions, columns, strict=True))
    ]


def blur_for(column: ColumnSummary) -> dict[str, Any] | None:
    """The hierarchy that suits a column which somebody called quasi, as in a recipe; None: shown or hidden."""
    seen = Seen(column)
    return hierarchy_for(column, find(seen).hierarchy, seen.values, complete=seen.complete)[0]


def _suggestion(column: ColumnSummary, before: Sequence[ColumnSummary]) -> Suggestion:
    seen = Seen(column)
    finding = find(seen)
    if finding.kind == "set":
        return _of_sets(column, seen, finding)
    hierarchy, blur, advice = None, "", list[Advice]()
    if finding.role is Role.QUASI:
        hierarchy, blur, advice = hierarchy_for(column, finding.hierarchy, seen.values, complete=seen.complete)
    codes = () if finding.role is Role.IDENTIFYING else column.codes
    return Suggestion(
        column.name,
        finding.role,
        hierarchy,
        finding.what,
        seen.markers,
        codes,
        column.kind,  # a list that is removed is still a list
        blur=blur,
        advice=(*advice, *_advice(seen, finding, before)),
        values=seen.values_in_words,
        distinct=seen.distinct,
        empty=seen.empty,
    )


def _of_sets(column: ColumnSummary, seen: Seen, finding: Finding) -> Suggestion:
    items = column if column.items is None else column.items
    return Suggestion(
        column.name,
        finding.role,
        None,
        finding.what,
        kind="set",
        mark=column.mark,
        advice=(_RARE_ITEMS,) if items.records < _RARE * items.distinct else (),
        values="sets",
        distinct=items.distinct,
        empty=None if column.kind == "set" else seen.empty,  # a list without items is not counted
    )


def _advice(seen: Seen, finding: Finding, before: Sequence[ColumnSummary]) -> Iterator[Advice]:
    """On the role, whatever becomes of the values."""
    if finding.role is Role.QUASI and seen.nearly_unique and not seen.column.numeric:
        yield Advice("nearly every record has a value of its own")
    if finding.unclear:
        yield Advice(finding.unclear, doubt=True)
    if finding.role is Role.SENSITIVE and seen.distinct >= _TELLING * seen.filled >= 1:
        yield _TELLS_APART
    if finding.role is Role.IDENTIFYING:
        return
    twin = next((other for other in before if _same_information(other, seen.column)), None)
    if twin is not None:
        text = f"seems to say the same as '{twin.name}': make one of them identifying to leave it out"
        yield Advice(text, doubt=finding.role is not Role.QUASI)  # as it is, it would tell what is blurred in the other
    if seen.column.codes:
        yield _CODES


def _same_information(a: ColumnSummary, b: ColumnSummary) -> bool:
    """As many values, each as frequent as its twin. Columns of two values can agree by chance, of more hardly."""
    if a.distinct < 3 or a.distinct != b.distinct or any(len(one.most_common) != one.distinct for one in (a, b)):
        return False
    counts = [tuple(count for _, count in one.most_common) for one in (a, b)]
    return counts[0] == counts[1] and len(set(counts[0])) > 1
