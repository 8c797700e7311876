"""The columns of a published file: those that must be there, those that must not, and those that give people away."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from shoal.data.schema import Role
from shoal.errors import did_you_mean
from shoal.verify.finding import counted
from shoal.verify.text import FLOATS, NAN, looks_like
from shoal.verify.verdict import Check

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shoal.verify.classes import Classes, Holdings
    from shoal.verify.groups import Groups
    from shoal.verify.source import Source
    from shoal.verify.terms import Terms

# A column with more distinct values than this share of the records points at single people.
_NEAR_UNIQUE = 0.9
# The estimate of distinct values is off by up to a third; above this share they are counted exactly.
_WORTH_COUNTING = 0.5
# Printable ASCII without blanks at the edges looks only like itself.
_PLAIN_TEXT = "[!-~]([ -~]*[!-~])?"


def missing_columns(source: Source, terms: Terms, more: Sequence[str] = ()) -> tuple[str, ...]:
    """more: names of columns that must be there besides."""
    return tuple(name for name in (*terms.schema.published, *more) if name not in source.names)


def check_columns(source: Source, terms: Terms, more: Sequence[str] = ()) -> Check:
    """Every column that is to be published is there, and no column that names a person."""
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
    if problems:
        return Check("columns", False, " ".join(problems))
    return Check("columns", True, f"All {len(declared)} columns are there, and none that names a person.")


def column_warnings(
    source: Source,
    terms: Terms,
    groups: Groups | None = None,
    counted_already: Sequence[Holdings] = (),
    *,
    expected: Sequence[str] = (),
) -> Iterator[str]:
    """Columns nobody asked for, and columns that are published as they are although they point at single people.

    expected: names of columns that are in the release though the recipe does not name them.
    """
    strangers = [name for name in source.names if name not in (*terms.schema.names(), *expected)]
    published = [name for name in terms.schema.names(Role.SENSITIVE, Role.PLAIN) if name in source.names]
    known = {holdings.column: sum(text is not None for text in holdings.texts) for holdings in counted_already}
    if groups is not None and groups.number <= _NEAR_UNIQUE * source.records:
        # a column has no more values than there are groups that differ in it
        known = {**dict.fromkeys(groups.others, groups.number), **known}
    unique = _near_unique(source, [*strangers, *published], known)
    for name in strangers:
        if name in unique:
            yield (
                f"Column '{name}' is not in the recipe and is nearly unique ({unique[name]} distinct values in "
                f"{source.records} records), like a row number or an identifier. Remove it: whoever knows it finds the record."
            )
        else:
            yield f"Column '{name}' is not in the recipe; nothing is promised about it."
    for name in published:
        if name in unique:
            yield (
                f"Column '{name}' is published as it is and is nearly unique ({unique[name]} distinct values in "
                f"{source.records} records). Whoever knows a value finds the record; consider the role 'quasi'."
            )


def spelling_warnings(classes: Classes) -> Iterator[str]:
    """Quasi columns in which values look the same and differ: they split classes that a reader takes for one."""
    texts = [i for i, name in enumerate(classes.quasi) if classes.source.kind(name) == "VARCHAR"]
    if not texts:
        return
    odd = classes.source.sql.driver.execute(
        " UNION ALL ".join(
            f"SELECT {i}, v FROM (SELECT DISTINCT q{i} AS v FROM {classes.table}) "
            f"WHERE NOT regexp_full_match(v, '{_PLAIN_TEXT}')"
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
                "(blanks at the edges, invisible characters or Unicode form). They count as different values."
            )


def sensitive_warnings(holdings: Holdings) -> Iterator[str]:
    """Values of a sensitive column that are hidden, or that may mean the same."""
    texts = [text for text in holdings.texts if text is not None]
    looks = {looks_like(text) for text in texts}
    if len(looks) < len(texts):
        yield (
            f"Column '{holdings.column}' has {len(texts) - len(looks)} values that look like another value and are spelled "
            "differently (blanks at the edges, invisible characters or Unicode form). For diversity they count as one value."
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


def _present(classes: Classes, i: int, looks: set[str]) -> set[str]:
    if not looks:
        return set()
    found = classes.source.sql.driver.execute(
        f"SELECT DISTINCT q{i} FROM {classes.table} WHERE q{i} IN (SELECT unnest(?))", [sorted(looks)]
    ).fetchall()
    return {value for (value,) in found}


def _near_unique(source: Source, names: Sequence[str], known: Mapping[str, int]) -> dict[str, int]:
    """Column → number of distinct values, for the columns that are nearly unique. Some numbers are known already."""
    if source.records < 2:
        return {}
    unknown = [name for name in names if name not in known]
    likely = [name for name, distinct in _estimates(source, unknown) if distinct > _WORTH_COUNTING * source.records]
    exact = {**known, **{name: _distinct(source, name) for name in likely}}
    return {name: distinct for name, distinct in exact.items() if distinct > _NEAR_UNIQUE * source.records}


def _estimates(source: Source, names: Sequence[str]) -> Iterator[tuple[str, int]]:
    if names:
        counts = (f"approx_count_distinct({source.column(name)}) AS n{i}" for i, name in enumerate(names))
        (row,) = source.sql.rows(f"SELECT {', '.join(counts)} FROM {source.relation}")
        yield from zip(names, row, strict=True)


def _distinct(source: Source, name: str) -> int:
    values = f"SELECT DISTINCT {source.column(name)} AS v FROM {source.relation}"
    ((distinct,),) = source.sql.rows(f"SELECT count(v) AS n FROM ({values}) AS found")
    return int(distinct)


def _folded(name: str) -> str:
    return looks_like(name).casefold()
