"""Whether published lists are written as sets: how a list is written must not tell more than which items it holds.

A label that stands twice says that two items of a record became it: whoever knows both finds the record among those that show
the label once. That fails. Items in another order, and lists that are missing beside lists that are empty, tell records apart
that hold the same; what somebody knows of a person does not help there, so that is a warning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.verifier.finding import counted
from shoal.verifier.verdict import Check

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shoal.verifier.sets.reading import SetColumn

NAME = "each item once"


def check_written(columns: Sequence[SetColumn]) -> tuple[Check, list[str]]:
    """The check and warnings. All items must be known (`reading.hold`)."""
    doubled = 0
    warnings: list[str] = []
    for column in columns:
        lists, texts, sets = column.lists, column.texts_of("cell"), column.sets_of("cell")
        twice = f"{texts} IS NOT NULL AND {lists.number(texts)} <> {lists.number(sets)}"
        disordered = f"{texts} IS NOT NULL AND {texts} <> {lists.texts(sets)}"
        without = f"{texts} IS NOT NULL AND {lists.number(texts)} = 0"
        ((more, other, missing, empty),) = column.source.sql.rows(
            f"SELECT {_records(twice)} AS a, {_records(disordered)} AS b, {_records(f'{texts} IS NULL')} AS c, "
            f"{_records(without)} AS d FROM ({column.counted_cells}) AS cells"
        )
        doubled += int(more)
        warnings += _warnings(column, other and not more, missing and empty)
    if doubled:
        return Check(NAME, False, f"{counted(doubled, 'list')} with an item that stands there twice."), warnings
    return Check(NAME, True, "No item stands twice in a list."), warnings


def _records(where: str) -> str:
    """The SQL of how many records are so."""
    return f"CAST(coalesce(sum(n) FILTER (WHERE {where}), 0) AS BIGINT)"


def _warnings(column: SetColumn, disordered: bool, two_empty: bool) -> Iterator[str]:
    if disordered:
        ((written, sets),) = column.source.sql.rows(
            f"SELECT count(DISTINCT {column.texts}) AS w, count(DISTINCT {column.sets}) AS s FROM {column.source.relation} "
            f"WHERE {column.texts} IS NOT NULL"
        )
        if written > sets:
            yield f"Column '{column.name}': the same items stand in different orders, which tells records apart. Sort them."
    if two_empty:
        yield f"Column '{column.name}': some lists are missing and others empty, which tells records apart. Make them the same."
