"""What a search over cuts stands on: the distinct trees, the hierarchies of all classes as one numbered whole, and the promise.

An *opening* is a step of the search. A class that is left out is opened to the root of its hierarchy; a label that is no leaf is
opened to its children. Openings are numbered: a label by itself, the top of class i by the number of labels plus i. After these
come the labels that say of a value that a record lacks it, see `denials.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from shoal.errors import InternalError
from shoal.kernels.trees.breaches import Bounds
from shoal.kernels.trees.placing import Trees
from shoal.kernels.trees.supports import holders_of, trees_with
from shoal.methods.trees.denials import Denials
from shoal.recoding.trees.rules import LEFT_OUT, TreeRecoding

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from shoal.data.trees import Forest, TreeShape
    from shoal.hierarchies.hierarchy import Hierarchy

Pair = tuple[int, int]  # of shown labels, the upper one first


@dataclass(frozen=True)
class Promise:
    """What is promised, as the searches ask for it."""

    k: int
    m: int
    n: int
    strict: bool
    # of the values of a sensitive column, among the records that fit: so many are different, and none is held by more than one in
    # so many. The second asks for the first. 0: nothing is asked
    different: int = 0
    one_in: int = 0

    @property
    def bounds(self) -> Bounds:
        return Bounds(self.k, max(self.different, self.one_in), self.one_in)


@dataclass(frozen=True)
class Breach:
    """Labels that some records hold, and fewer than k, with those relations of them that somebody may know."""

    records: int
    labels: tuple[int, ...]
    relations: tuple[Pair, ...]


class AllRecords(Protocol):
    """The records behind a sample of trees."""

    def breaches(self, ground: Ground, shown_as: NDArray[np.int32], apart: frozenset[Pair]) -> list[Breach]:
        """What fewer than k of them hold; if very much, some of it."""
        ...


@dataclass(frozen=True, eq=False)
class Ground:
    """The distinct trees, and all that is counted over them once."""

    forest: Forest
    shape: TreeShape
    hierarchies: Mapping[str, Hierarchy]
    promise: Promise
    negated: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # by class: values that may be known to be absent
    in_place: bool = False  # what is kept apart is left out where it stands; else it is moved
    always: frozenset[int] = frozenset()  # classes of which nothing is left out in place, because there always is one
    # where the trees are a sample: all records, and what they are promised; the promise above is what is asked of the sample then
    everyone: AllRecords | None = None

    def __post_init__(self) -> None:
        if self.promise.bounds.different and self.forest.values is None:
            raise InternalError("A promise speaks of sensitive values, and the trees come without.")

    @cached_property
    def trees(self) -> Trees:
        forest = self.forest
        asked = forest.values if self.promise.bounds.different else None
        values = np.zeros(len(forest), np.int64) if asked is None else asked
        count = int(values.max(initial=0)) + 1
        trees = Trees(forest.offsets, forest.labels, forest.parents, forest.records, values, count)
        return self.denials.over(trees, self.values)

    @cached_property
    def denials(self) -> Denials:
        denials = []
        for name, start in zip(self.shape.names, self.whole.first[:-1].tolist(), strict=True):
            for text in self.negated.get(name, ()):
                code = self.hierarchies[name].code(text)
                if code is None:
                    raise InternalError(
                        f"Class '{name}': a value that may be known to be absent is not in its hierarchy."
                    )
                denials.append(start + code)
        return Denials(np.array(denials, np.int64), self.labels + len(self.shape.names))

    @cached_property
    def whole(self) -> TreeRecoding:
        """Of all recodings the one that leaves out everything; it knows how labels are numbered."""
        return self.recoding(np.full(self.values, LEFT_OUT, np.int32), ())

    @cached_property
    def values(self) -> int:
        """How many values all classes have together: the labels before."""
        return sum(self.hierarchies[name].leaf_count for name in self.shape.names)

    @property
    def labels(self) -> int:
        """How many labels can be shown."""
        return int(self.whole.first_shown[-1])

    @cached_property
    def class_of(self) -> NDArray[np.int32]:
        """(labels,)"""
        sizes = np.diff(self.whole.first_shown)
        return np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """(labels + classes,): what each opening shows."""
        children: list[tuple[int, ...]] = []
        for number, name in enumerate(self.shape.names):
            tree, start = self.hierarchies[name], int(self.whole.first_shown[number])
            below: list[list[int]] = [[] for _ in tree.labels]
            for node in sorted(range(len(tree.labels)), key=lambda node: (tree.first[node], tree.last[node])):
                if tree.parents[node] >= 0:
                    below[int(tree.parents[node])].append(start + node)
            children += map(tuple, below)
        tops = [(int(end) - 1,) for end in self.whole.first_shown[1:]]  # the root is the last node
        return (*children, *tops)

    def span(self, label: int) -> slice:
        """The original labels that a shown one stands for."""
        number = int(self.class_of[label])
        tree, node = self.hierarchies[self.shape.names[number]], label - int(self.whole.first_shown[number])
        start = int(self.whole.first[number])
        return slice(start + int(tree.first[node]), start + int(tree.last[node]) + 1)

    def spans(self, opening: int) -> slice:
        """The original labels that an opening speaks of."""
        return self.span(opening) if opening < self.labels else self.span(self.children[opening][0])

    def holders(self, opening: int, denials: Iterable[int] = ()) -> NDArray[np.int64]:
        """The trees that hold something of it, or lack one of some values."""
        asked = np.zeros(self.values + len(self.denials.values), np.bool_)
        asked[self.spans(opening)] = True
        for label in denials:
            asked[self.values + label - self.denials.first] = True
        return trees_with(self.trees, asked)

    @cached_property
    def supports(self) -> NDArray[np.int64]:
        """(labels + classes + denials,): how many records hold something that a label stands for; 0 for the tops of classes."""
        first, last = [], []
        for name, start in zip(self.shape.names, self.whole.first[:-1], strict=True):
            first.append(self.hierarchies[name].first + start)
            last.append(self.hierarchies[name].last + start)
        denials = self.values + np.arange(len(self.denials.values))
        ends = (np.concatenate([*each, denials]).astype(np.int32) for each in (first, last))
        return np.insert(holders_of(self.trees, *ends), self.labels, np.zeros(len(self.shape.names), np.int64))

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """(values,): the mean share of a record's nodes that have this value."""
        sizes = np.diff(self.forest.offsets)
        share = np.repeat(self.forest.records / np.maximum(sizes, 1), sizes)
        return np.bincount(self.forest.labels, share, self.values) / max(self.records, 1)

    @cached_property
    def gains(self) -> NDArray[np.float64]:
        """(labels + classes,): by how much an opening lowers the loss of values, between 0 and 1.

        The loss of values is the mean over the records of the mean over a record's nodes of the levels up to what is shown, in
        parts of all levels there are up to being left out. What an opening gains is the same whatever else is open.
        """
        gains = np.zeros(self.labels + len(self.shape.names))
        for number, name in enumerate(self.shape.names):
            tree, start = self.hierarchies[name], int(self.whole.first_shown[number])
            mine = self.weights[int(self.whole.first[number]) : int(self.whole.first[number + 1])] / (tree.height + 1)
            for leaf in range(tree.leaf_count):
                node, level = leaf, 0
                while node >= 0:
                    above = int(tree.parents[node])
                    up = tree.height + 1 if above < 0 else int(np.argmax(tree.levels[:, leaf] == above))
                    opening = self.labels + number if above < 0 else start + above
                    gains[opening] += mine[leaf] * (up - level)
                    node, level = above, up
        return gains

    @cached_property
    def all_gains(self) -> NDArray[np.float64]:
        """(labels + classes,): what an opening gains together with all that could be opened below it."""
        gains = self.gains.copy()
        for number in range(len(self.shape.names)):
            order = [self.labels + number]
            for opening in order:  # grows while it is read
                order += self.children[opening]
            for opening in reversed(order):
                gains[opening] += sum(gains[child] for child in self.children[opening])
        return gains

    @property
    def records(self) -> int:
        return int(self.forest.records.sum())

    @cached_property
    def hideable(self) -> NDArray[np.bool_]:
        """(labels,): whether it may be left out in place: it hangs below something, and nothing can hang below it."""
        may = ~self.shape.below.any(axis=1) & (self.shape.parents >= 0)
        may[list(self.always)] = False
        return may[self.class_of]

    @cached_property
    def wider(self) -> NDArray[np.int64]:
        """(labels,): the next wider label of the class, LEFT_OUT above the widest."""
        trees = [self.hierarchies[name] for name in self.shape.names]
        starts = self.whole.first_shown[:-1].tolist()
        parents = [
            np.where(tree.parents < 0, LEFT_OUT, tree.parents + start)
            for tree, start in zip(trees, starts, strict=True)
        ]
        return np.concatenate(parents).astype(np.int64)

    @cached_property
    def levels(self) -> NDArray[np.float64]:
        """(labels,): what a value loses that is shown as this label, between 0 and 1."""
        losses = []
        for name in self.shape.names:
            tree = self.hierarchies[name]
            lowest = np.zeros(len(tree.labels))
            for level in range(tree.height, -1, -1):
                lowest[tree.levels[level]] = level
            losses.append(lowest / (tree.height + 1))
        return np.concatenate(losses)

    def recoding(self, shown_as: NDArray[np.int32], apart: Iterable[Pair]) -> TreeRecoding:
        """From what each original label is shown as."""
        counts = [self.hierarchies[name].leaf_count for name in self.shape.names]
        sizes = [len(self.hierarchies[name].labels) for name in self.shape.names]
        starts = np.cumsum([0, *sizes])[:-1]
        parts = np.split(shown_as, np.cumsum(counts)[:-1])
        nodes = tuple(
            np.where(part == LEFT_OUT, LEFT_OUT, part - start).astype(np.int32)
            for part, start in zip(parts, starts, strict=True)
        )
        pairs = tuple(sorted(apart))
        moved, out = ((), pairs) if self.in_place else (pairs, ())
        return TreeRecoding(self.shape, self.hierarchies, nodes, moved, out)
