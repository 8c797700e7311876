"""Nothing lost or invented: the published records are what the original ones show, each as often.

By rules: applied to every original record they give a tree, and the trees that come out, with the columns that are published as
they are, must be those of the release. A release may have fewer, which are the suppressed records and are counted elsewhere.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.verifier.finding import counted
from shoal.verifier.trees.rules import Rules
from shoal.verifier.trees.tally import distinct
from shoal.verifier.trees.telling_apart import Sets, places
from shoal.verifier.verdict import Check

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path as Folder

    from numpy.typing import NDArray

    from shoal.verifier.hierarchies.hierarchy import Hierarchy
    from shoal.verifier.trees.facts import Facts
    from shoal.verifier.trees.nodes import Trees
    from shoal.verifier.trees.rules import Path
    from shoal.verifier.trees.singles import Singles

NAME = "nothing lost or invented"
Tree = frozenset["Path"]
Side = tuple["Trees", "Facts", "Sequence[Singles]"]  # a table, its different trees, and its other columns


def check_rules(
    stated: Any, release: Side, original: Side, hierarchies: Mapping[str, Hierarchy], folder: Folder | None = None
) -> list[Check]:
    """folder: private, for what does not fit in memory."""
    rules = Rules.read(stated)
    shape = release[0].shape
    problems = list(rules.problems(shape, hierarchies))
    strangers = {
        name: sum(tree.code(text) is None for text in original[0].texts(number))
        for number, name in enumerate(shape.names)
        if (tree := hierarchies.get(name)) is not None
    }
    problems += [
        f"Class '{name}': {counted(number, 'original value')} that the hierarchy does not know."
        for name, number in strangers.items()
        if number
    ]
    if problems:
        checks = [Check("rules", False, " ".join(problems))]
    else:
        checks = [Check("rules", True, "The rules show every value as a label that stands for it, or leave it out.")]
    ids: dict[Path, int] = {}
    sets = Sets(len(release[1].held) + len(original[1].held), folder)
    _own(release, ids, sets)
    own = sets.stretches
    _shown(original, ids, rules, sets)
    numbers, nothing = sets.numbers(), np.zeros(0, np.int64)
    shown, made = np.concatenate([nothing, *numbers[:own]]), np.concatenate([nothing, *numbers[own:]])
    published, given = _counts(release, original, shown, made)
    wrong = int(np.maximum(published - given, 0).sum())
    if wrong:
        groups = int((published > given).sum())
        detail = f"{counted(wrong, 'published record')} in {counted(groups, 'group')} are not what the rules make of the original."
        return [*checks, Check(NAME, False, detail)]
    detail = f"The rules, applied to the original, give all {counted(int(published.sum()), 'published record')}."
    return [*checks, Check(NAME, True, detail)]


def texts_of(trees: Trees, facts: Facts) -> list[Path]:
    """Every path as classes and texts."""
    labels = [(trees.shape.names[of], text) for of, text in trees.labels]
    made: list[Path] = []
    for parent, label in zip(facts.paths.parent.tolist(), facts.paths.label.tolist(), strict=True):
        made.append((*made[parent], labels[label]) if parent >= 0 else (labels[label],))
    return made


def trees_of(trees: Trees, facts: Facts) -> list[Tree]:
    """Every different tree as the set of its paths."""
    paths = texts_of(trees, facts)
    made: list[Tree] = []
    for one in facts.stretches():
        part = facts.part(*one)
        held = part.held[:].tolist()
        made += [frozenset(paths[i] for i in held[start:stop]) for start, stop in pairwise(part.offsets.tolist())]
    return made


def _own(side: Side, ids: dict[Path, int], sets: Sets) -> None:
    """Add the published trees, as they are."""
    trees, facts, _ = side
    number = np.array([ids.setdefault(path, len(ids)) for path in texts_of(trees, facts)], np.int64)
    _add(sets, facts, number, np.arange(len(number) + 1))


def _shown(side: Side, ids: dict[Path, int], rules: Rules, sets: Sets) -> None:
    """Add what the rules make of the original trees."""
    trees, facts, _ = side
    edges, members = [0], []
    for path in texts_of(trees, facts):
        found = {one[:stop] for one in rules.over(path) for stop in range(1, len(one) + 1)}
        members += [ids.setdefault(one, len(ids)) for one in found]
        edges.append(len(members))
    _add(sets, facts, np.array(members, np.int64), np.array(edges, np.int64))


def _add(sets: Sets, facts: Facts, members: NDArray[np.int64], edges: NDArray[np.int64]) -> None:
    """members and edges: of each path what stands for it."""
    many = int(members.max(initial=0)) + 1
    for one in facts.stretches():
        part = facts.part(*one)
        held = part.held[:]
        sizes = np.diff(edges)[held] if len(held) else np.zeros(0, np.int64)
        place = places(edges[:-1][held], sizes)
        trees = len(part.offsets) - 1
        of = np.repeat(np.repeat(np.arange(trees, dtype=np.int64), np.diff(part.offsets)), sizes)
        keys = distinct(of * many + members[place]) if len(place) else np.zeros(0, np.int64)
        sets.add(np.searchsorted(keys, np.arange(trees + 1, dtype=np.int64) * many), (keys % many).astype(np.int32))


def _counts(
    release: Side, original: Side, shown: NDArray[np.int64], made: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How many records of each kind there are: in the release, and of the original."""
    split = len(release[1].tree)
    key = np.concatenate((shown[release[1].tree], made[original[1].tree]))
    for one, two in zip(release[2], original[2], strict=True):
        place: dict[str | None, int] = {}
        numbers = [np.array([place.setdefault(t, len(place)) for t in side.texts], np.int64) for side in (one, two)]
        values = np.concatenate(
            [codes[side.number] for codes, side in zip(numbers, (one, two), strict=True) if len(codes)]
        )
        _, key = np.unique(key * max(len(place), 1) + values, return_inverse=True)
    kinds = int(key.max(initial=-1)) + 1
    return np.bincount(key[:split], minlength=kinds), np.bincount(key[split:], minlength=kinds)
