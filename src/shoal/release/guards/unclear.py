"""Refuse values that are not what they seem: the promise would count them wrongly, or protect nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.data.codes import plain_number
from shoal.data.lookalikes import appearance, lookalikes
from shoal.errors import DataError, RecipeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from shoal.data.schema import Schema
    from shoal.hierarchies.hierarchy import Hierarchy


def refuse_unclear(schema: Schema, name: str, counts: Mapping[str | None, int], missing: str) -> None:
    """The values of a column that something is promised about. missing: what the recipe says of records without a value."""
    quasi = name in schema.quasi
    _refuse_missing(name, counts, missing if quasi else "value")
    _refuse_lookalikes(name, counts)
    _refuse_like_codes(name, counts, schema.codes(name))
    if name in schema.nodes:
        refuse_star(name, counts.get("*", 0))
    if items := schema.sensitive_items(name):
        _refuse_misspelt(name, counts, items)


def refuse_star(name: str, records: int) -> None:
    """`*` stands for all values of a class. Were another mark taken then, it would tell that somebody has this value."""
    if records:
        raise DataError(
            f"Class '{name}': the value '*' occurs ({records:,} times), which stands for any value here. Write it otherwise."
        )


def refuse_unknown(schema: Schema, hierarchies: Mapping[str, Hierarchy]) -> None:
    """A value that nobody can have, and that is spelt like none, would protect nobody."""
    problems = []
    for name, values in schema.negated.items():
        unknown = sum(hierarchies[name].code(value) is None for value in values)
        if unknown:
            are = "value is not one" if unknown == 1 else "values are not among those"
            problems.append(
                f"columns.{name}.negated: {unknown:,} {are} of the class (of its hierarchy or, without one, of the data). Nothing "
                "would be protected by it; check the spelling."
            )
    if problems:
        raise RecipeError(*problems)


def _refuse_missing(name: str, counts: Mapping[str | None, int], missing: str) -> None:
    if missing == "refuse" and counts.get(None):
        raise DataError(
            f"Column '{name}': {counts[None]:,} records have no value, and the recipe says missing = \"refuse\"."
        )


def _refuse_lookalikes(name: str, counts: Iterable[str | None]) -> None:
    alike = lookalikes(value for value in counts if value is not None)
    if alike:
        raise DataError(
            f"Column '{name}': {alike:,} values look like another value but are spelled differently (blanks, "
            f"invisible characters, another Unicode form, or one number written in several ways). They would split people who "
            f"belong together, and make one sensitive value count as several; write each in one way."
        )


def _refuse_like_codes(name: str, counts: Iterable[str | None], codes: Sequence[str]) -> None:
    """A code in another spelling would count as a value, and make a class more diverse than it is."""
    looks, numbers = {appearance(code) for code in codes}, {plain_number(code) for code in codes} - {None}
    wrong = sum(
        appearance(value) in looks or plain_number(appearance(value)) in numbers
        for value in counts
        if value is not None
    )
    if wrong:
        are = "value looks" if wrong == 1 else "values look"
        raise DataError(
            f"Column '{name}': {wrong:,} {are} like a code of `columns.{name}.missing` but with another spelling (99.0 for 99, "
            "blanks at the edges, invisible characters). List that spelling too, or clean the column."
        )


def _refuse_misspelt(name: str, counts: Iterable[str | None], sensitive: Sequence[str]) -> None:
    """A sensitive item that the data spells in another way would be shown, and no promise would count it."""
    values = {value for value in counts if value is not None}
    looks = {appearance(value) for value in values}
    wrong = sum(item not in values and appearance(item) in looks for item in sensitive)
    if wrong:
        looking = "item of the recipe looks" if wrong == 1 else "items of the recipe look"
        raise DataError(
            f"Column '{name}': {wrong:,} sensitive {looking} like an item of the data but with another spelling (blanks, "
            "invisible characters, another Unicode form, or another form of a number). It would be shown and not be "
            "protected; spell both the same."
        )
