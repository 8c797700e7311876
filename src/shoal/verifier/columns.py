"""The columns of a published file: those that must be there, those that must not, and how their values are spelled."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import did_you_mean
from shoal.verifier.finding import counted
from shoal.verifier.looks import looks_like
from shoal.verifier.schema import Role
from shoal.verifier.text import FLOATS, NAN
from shoal.verifier.verdict import Check

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from shoal.verifier.holdings import Holdings
    from shoal.verifier.source import Source
    from shoal.verifier.tables.classes import Classes
    from shoal.verifier.terms import Terms

# Printable ASCII with single blanks between words looks only like itself, unless it is a number that has a shorter form.
_PLAIN_TEXT = "[!-~]+( [!-~]+)*"
_NUMBER = r"[+-]?[0-9]*(\.[0-9]*)?([eE][+-]?[0-9]+)?"
_SHORT_NUMBER = r"0|-?[1-9][0-9]*|-?(0|[1-9][0-9]*)\.[0-9]*[1-9]"


def missing_columns(source: Source, terms: Terms, more: Sequence[str] = ()) -> tuple[str, ...]:
    """more: names of columns that must be there besides."""
    return tuple(name for name in (*terms.schema.published, *more) if name not in source.names)


def check_columns(source: Source, terms: Terms, more: Sequence[str] = ()) -> Check:
    """Every column that the recipe publishes is there, and none besides: nothing is promised about what it does not name."""
    problems = [
        f"Column '{name}' is missing.{did_you_mean(name, source.names)}"
        for name in missing_columns(source, terms, more)
    ]
    identifying = {_folded(name): name for name in terms.schema.names(Role.IDENTIFYING)}
    declared = {*terms.schema.published, *more}
    problems += [
        f"Column '{name}' is published, but it has the role 'identifying'."
        if name in identifying.values()
        else f"Column '{name}' is published, and its name reads like '{identifying[_folded(name)]}', which is identifying."
        for name in source.names
        if _folded(name) in identifying and name not in declared
    ]
    problems += [
        f"Column '{name}' is not in the recipe, so nothing is promised about it. Remove it, or name it there with its role."
        for name in source.names
        if name not in declared and _folded(name) not in identifying
    ]
    if problems:
        return Check("columns", False, " ".join(problems))
    there = "The one column" if len(declared) == 1 else f"All {len(declared)} columns"
    return Check(
        "columns",
        True,
        f"{there} that the recipe publishes {'is' if len(declared) == 1 else 'are'} there, and no other.",
    )


def spelling_warnings(classes: Classes) -> Iterator[str]:
    """Quasi columns in which values look the same and differ: they split classes that a reader takes for one."""
    texts = [i for i, name in enumerate(classes.quasi) if classes.source.kind(name) == "VARCHAR"]
    if not texts:
        return
    odd = classes.source.sql.driver.execute(
        " UNION ALL ".join(
            f"SELECT {i}, v FROM (SELECT DISTINCT q{i} AS v FROM {classes.table}) "
            f"WHERE NOT regexp_full_match(v, '{_PLAIN_TEXT}') "
            f"OR (regexp_full_match(v, '{_NUMBER}') AND NOT regexp_full_match(v, '{_SHORT_NUMBER}'))"
            for i in texts
        )
    ).fetchall()
    for i in texts:
        look = {value: looks_like(value) for number, value in odd if number == i}
        # two texts that look the same cannot both be what they look like, so one of them is among the odd
        twins = _present(classes, i, {seen for value, seen in look.items() if seen != value})
        times = Counter(look.values())
        doubled = sum(seen in twins or times[seen] > 1 for seen in look.values())
        if doubled:
            yield (
                f"Column '{classes.quasi[i]}' has {doubled} values that look like another value and are spelled differently "
                "(blanks, invisible characters, Unicode form or another form of a number). They count as different values."
            )


def sensitive_warnings(holdings: Holdings) -> Iterator[str]:
    """Values of a sensitive column that are hidden, or that may mean the same."""
    texts = [text for text in holdings.texts if text is not None]
    looks = {looks_like(text) for text in texts}
    if len(looks) < len(texts):
        yield (
            f"Column '{holdings.column}' has {len(texts) - len(looks)} values that look like another value and are spelled "
            "differently (blanks, invisible characters, Unicode form or another form of a number). For diversity they count as one "
            "value."
        )
    folded = {look.casefold() for look in looks}
    if len(folded) < len(looks):
        yield (
            f"Column '{holdings.column}' has {len(looks) - len(folded)} values that differ from another one only in upper and "
            "lower case. They count as different values; if they mean the same, the release is less diverse than it seems."
        )
    hidden = [i for i, text in enumerate(holdings.texts) if text is None]
    records = int(holdings.counts[np.isin(holdings.values, hidden)].sum())
    if records:
        yield (
            f"Column '{holdings.column}' is missing or `*` in {counted(records, 'record')}, counted in the way that is worst "
            "for the promise."
        )


def item_warnings(name: str, words: Iterable[str]) -> Iterator[str]:
    """Items that look the same and differ: they split what a reader takes for one."""
    looks: dict[str, int] = {}
    for word in words:
        look = looks_like(word)
        looks[look] = looks.get(look, 0) + 1
    doubled = sum(times for times in looks.values() if times > 1)
    if doubled:
        yield (
            f"Column '{name}' has {doubled} items that look like another item and are spelled differently (blanks, "
            "invisible characters, Unicode form or another form of a number). They count as different items."
        )


def check_missing(classes: Classes) -> Check:
    """Under the policy `refuse`: no quasi column has a missing value. In a column of floats NaN is missing too."""
    source = classes.source
    counts = ", ".join(
        f"coalesce(sum(n) FILTER (WHERE coalesce(q{i} = '{NAN}', true)), 0)"
        if source.kind(name) in FLOATS
        else f"coalesce(sum(n) FILTER (WHERE q{i} IS NULL), 0)"
        for i, name in enumerate(classes.quasi)
    )
    (row,) = source.sql.driver.execute(f"SELECT {counts} FROM {classes.table}").fetchall()
    missing = [f"'{name}' in {int(count)}" for name, count in zip(classes.quasi, row, strict=True) if count]
    if missing:
        return Check(
            "no missing values", False, f"Missing values are refused, but records have them: {', '.join(missing)}."
        )
    return Check("no missing values", True, "No quasi column has a missing value.")


def records_without_values(classes: Classes) -> int:
    """Records in which every quasi column is missing: they form a class as any other."""
    missing = " AND ".join(
        f"coalesce(q{i} = '{NAN}', true)" if classes.source.kind(name) in FLOATS else f"q{i} IS NULL"
        for i, name in enumerate(classes.quasi)
    )
    ((records,),) = classes.source.sql.driver.execute(
        f"SELECT coalesce(sum(n), 0) FROM {classes.table} WHERE {missing}"
    ).fetchall()
    return int(records)


def _present(classes: Classes, i: int, looks: set[str]) -> set[str]:
    if not looks:
        return set()
    found = classes.source.sql.driver.execute(
        f"SELECT DISTINCT q{i} FROM {classes.table} WHERE q{i} IN (SELECT unnest(?))", [sorted(looks)]
    ).fetchall()
    return {value for (value,) in found}


def _folded(name: str) -> str:
    return looks_like(name).casefold()
