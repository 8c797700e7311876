"""Follow the people behind trees: by the labels that their trees show and how these hang together, or into classes of one tree.

Whoever has the same tree is of the same line. Where labels are shown by rules, values are what may be known; and of labels that are
known it is known which of them stand on one path of the shown tree. That is all that a promise with m values may speak of, and more
than one with few relations does. A class that shows one tree looks the same to whoever knows anything of it.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.attacks.together.crowds import Sight
from shoal.attacks.together.lines import Lines
from shoal.attacks.together.marks import NONE, Marks, Ragged
from shoal.recoding.trees.classes import TreeClassRecoding, taken
from shoal.recoding.trees.rules import TreeRecoding
from shoal.release.ledger.people import Followed, things_named
from shoal.release.ledger.tuples import numbered, places_in, private_values, row_keys

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.data.trees import Forest
    from shoal.methods.method import Decision
    from shoal.release.task import Task

_DEEPEST = 6  # classes on one path: of so many labels every choice is a chain


def follow(task: Task, decision: Decision, person: str | None, key: bytes) -> Followed | str | None:
    """By what the recoding shows."""
    private, recoding, shape = private_values(task.plan.schema), decision.recoding, task.plan.schema.shape
    if task.plan.schema.negated:
        return "people are not followed where somebody may know what they do not have (`negated`)"
    if shape.below.sum(axis=0).max(initial=0) + 1 > _DEEPEST:
        return f"people are followed in trees of up to {_DEEPEST} classes one below the other"
    if person is not None and task.engine.empty_rows:
        return (
            "records without any published value are left out of the original, and so names are not with their records"
        )
    rows = task.engine.people(private, person, trees=task.hierarchies.quasi)
    if rows is None or rows.forest is None:
        return None
    line, different = _different(rows.forest)
    if isinstance(recoding, TreeClassRecoding):
        classes = recoding.classes_over(different)
        return Followed.of(rows, key, private, line, Sight(_whole(line, classes)))
    if not isinstance(recoding, TreeRecoding):
        return "trees are shown in a way that people are not followed by"
    names = pa.concat_arrays(
        [
            things_named(name, [str(text) for text in tree.labels[: tree.leaf_count]], key)
            for name, tree in ((name, task.hierarchies.quasi[name]) for name in shape.names)
        ]
    )
    lines = _whole(line, np.zeros(len(different), np.int64))
    return Followed.of(rows, key, private, line, Sight(lines, _marks(recoding, different, names)))


def _different(forest: Forest) -> tuple[NDArray[np.int64], Forest]:
    """The number of each record's tree, and the different trees."""
    packed = forest.packed().values.to_numpy(zero_copy_only=False)
    keys = row_keys(forest.offsets, packed)
    line = places_in(numbered(keys), keys)
    _, first = np.unique(line, return_index=True)
    return line, taken(forest, first.astype(np.int64), np.bincount(line).astype(np.int64))


def _whole(line: NDArray[np.int64], classes: NDArray[np.int64]) -> Lines:
    """Every line in one class."""
    people = np.bincount(line, minlength=len(classes)).astype(np.int64)
    return Lines(people, np.arange(len(classes) + 1, dtype=np.int64), classes, people)


def _marks(recoding: TreeRecoding, forest: Forest, names: pa.Array) -> Marks:
    number = len(forest)
    tree = np.repeat(np.arange(number), np.diff(forest.offsets))
    things = Ragged.of_pairs(tree, forest.labels.astype(np.int64), number)
    # one value may stand in several places, and be left out in some of them: it is shown if any shows it
    width = len(names)
    shows = np.full(len(things.values), NONE, np.int64)
    at = np.searchsorted(things.owner * width + things.values, tree * width + forest.labels)
    np.maximum.at(shows, at, recoding.shows(forest).astype(np.int64))
    chains, of_lines = _chains(recoding.over(forest))
    labels = int(recoding.first_shown[-1])
    return Marks(
        names,
        things,
        Ragged(things.starts, shows),
        Ragged.empty(number),
        np.full(number, NONE, np.int64),
        Ragged.of(chains),
        np.arange(labels, labels + len(chains), dtype=np.int64),
        Ragged.of(of_lines),
    )


def _chains(shown: Forest) -> tuple[list[tuple[int, ...]], list[list[int]]]:
    """All choices of two or more labels that stand on one path, and which of them each tree has."""
    numbers: dict[tuple[int, ...], int] = {}
    of_trees = []
    offsets, labels, parents = shown.offsets.tolist(), shown.labels.tolist(), shown.parents.tolist()
    for number in range(len(shown)):
        start, mine = offsets[number], set()
        above: list[tuple[int, ...]] = []
        for node in range(start, offsets[number + 1]):
            higher = above[parents[node]] if parents[node] >= 0 else ()
            above.append((*higher, labels[node]))
            for size in range(1, len(higher) + 1):
                mine |= {(*chosen, labels[node]) for chosen in combinations(higher, size)}
        of_trees.append([numbers.setdefault(chain, len(numbers)) for chain in sorted(mine)])
    return list(numbers), of_trees
