"""An assignment of trees, checked and not believed: rows of an original tree, a published one, other columns, and records.

It has the columns `raw` and `shown`, trees as JSON texts in the published form, `other:NAME` of each other column, and `records`.
It shows that nothing was lost or invented when in every row each shown path is found in a raw path, label by label in the same
order, each label standing for the value there; when it takes no more records of a kind than the original has; and when it gives of
every kind as many as the release has.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from shoal.errors import DataError
from shoal.verifier.finding import counted
from shoal.verifier.text import is_single_value, readable, text_form
from shoal.verifier.trees.cover import NAME, trees_of
from shoal.verifier.trees.facts import facts_of
from shoal.verifier.trees.reading import read_texts
from shoal.verifier.trees.rules import covers
from shoal.verifier.verdict import Check
from shoal.verifier.whole_numbers import RECORDS, numbers_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.verifier.hierarchies.hierarchy import Hierarchy
    from shoal.verifier.source import Source
    from shoal.verifier.trees.cover import Side, Tree
    from shoal.verifier.trees.rules import Path
    from shoal.verifier.trees.shape import TreeShape

Kind = tuple["Tree", tuple[str | None, ...]]  # a tree and its other columns


def columns_of(others: Sequence[str]) -> tuple[str, ...]:
    """The columns an assignment must have."""
    return ("raw", "shown", *(f"other:{name}" for name in others), RECORDS)


def check_assignment(
    source: Source, release: Side, original: Side, others: Sequence[str], hierarchies: Mapping[str, Hierarchy]
) -> Check:
    wrong = _misfit(source, release, original, others, hierarchies)
    if wrong is not None:
        return Check(NAME, False, f"The assignment does not fit. {wrong}")
    detail = "Every published tree shows nothing but what its original record holds, as the assignment tells."
    return Check(NAME, True, detail)


def _misfit(
    source: Source, release: Side, original: Side, others: Sequence[str], hierarchies: Mapping[str, Hierarchy]
) -> str | None:
    rows = _rows(source, others)
    shape = release[0].shape
    raw = _trees("raw", [row[0] for row in rows], source, shape)
    shown = _trees("shown", [row[1] for row in rows], source, shape)
    apart = sum(not _is_shown(one, two, hierarchies) for one, two in {(raw[row[0]], shown[row[1]]) for row in rows})
    if apart:
        return f"{counted(apart, 'published tree')} beside an original tree that does not hold all it shows."
    taken: Counter[Kind] = Counter()
    given: Counter[Kind] = Counter()
    for one, two, other, records in rows:
        taken[raw[one], other] += records
        given[shown[two], other] += records
    have = _kinds(original)
    missing = [number - have[kind] for kind, number in taken.items() if number > have[kind]]
    if missing:
        return f"It takes {counted(sum(missing), 'record')} in {counted(len(missing), 'group')} that the original does not have."
    published = _kinds(release)
    unequal = sum(given[kind] != published[kind] for kind in given.keys() | published.keys())
    if unequal:
        return f"It gives another number of records than the release for {counted(unequal, 'group')}."
    return None


def _rows(source: Source, others: Sequence[str]) -> list[tuple[str, str, tuple[str | None, ...], int]]:
    """(raw, shown, other columns, records)"""
    for name in ("raw", "shown"):
        if source.kind(name) != "VARCHAR":
            raise DataError(f"{source.what}: column '{name}' has the type {source.kind(name)}; trees are JSON texts.")
    columns = [f"other:{name}" for name in others]
    for column in columns:
        if not is_single_value(source.kind(column)):
            raise DataError(f"{source.what}: column '{column}' has values that are not single values.")
    picked = [source.column("raw"), source.column("shown")]
    picked += [readable(source.column(column), source.kind(column)) for column in columns]
    named = ", ".join(f"{value} AS a{i}" for i, value in enumerate(picked))
    found = source.sql.rows(f"SELECT {named}, {numbers_of(source)} AS c FROM {source.relation}")
    missing = sum(row[0] is None or row[1] is None for row in found)
    if missing:
        raise DataError(f"{source.what}: {counted(missing, 'row')} without a tree.")
    kinds = [source.kind(column) for column in columns]
    return [
        (
            row[0],
            row[1],
            tuple(text_form(cell, kind) for cell, kind in zip(row[2:-1], kinds, strict=True)),
            int(row[-1]),
        )
        for row in found
    ]


def _trees(side: str, texts: Sequence[str], source: Source, shape: TreeShape) -> dict[str, Tree]:
    """By text: the paths of its tree."""
    distinct = list(dict.fromkeys(texts))
    trees = read_texts(f"{source.what}, column '{side}'", distinct, shape)
    facts = facts_of(trees)
    by_tree = trees_of(trees, facts)
    return {text: by_tree[int(number)] for text, number in zip(distinct, facts.tree, strict=True)}


def _kinds(side: Side) -> Counter[Kind]:
    """How often each tree stands with each values of the other columns."""
    trees, facts, columns = side
    by_tree = trees_of(trees, facts)
    made: Counter[tuple[int, tuple[int, ...]]] = Counter()
    numbers = [column.number.tolist() for column in columns]
    for i, tree in enumerate(facts.tree.tolist()):
        made[tree, tuple(number[i] for number in numbers)] += 1
    kinds: Counter[Kind] = Counter()
    for (tree, values), records in made.items():
        others_held = tuple(column.texts[value] for column, value in zip(columns, values, strict=True))
        kinds[by_tree[tree], others_held] += records
    return kinds


def _is_shown(raw: Tree, shown: Tree, hierarchies: Mapping[str, Hierarchy]) -> bool:
    return all(any(_holds(one, path, hierarchies) for one in raw) for path in shown)


def _holds(raw: Path, shown: Path, hierarchies: Mapping[str, Hierarchy]) -> bool:
    """Whether a path shows nothing but what a raw path holds, in the same order. A class stands on a path once at most."""
    values = dict(raw)
    return all(name in values and covers(hierarchies.get(name), label, values[name]) for name, label in shown)
