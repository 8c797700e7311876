"""What may stand behind published trees of which labels are left out below others: the largest tree that would show the same.

The rules say that below a, b is shown for nobody. To whoever knows them, every record that shows a may have b below it, at every
node below which it could hang, all at once: what is behind a release *at most*. Every original tree is part of it.

Somebody may also know of some values that no record has them twice. What a record *surely* may have, whichever these are:

- A record that shows no b may hide one.
- A label stands for v values, and a record shows it in c places. If v - c is m or more, there is a value for each of these places
  that is not among the m that somebody knows, and these may be hidden.
- If some record shows the label in more than v places, one of its values is there twice, and is not known to occur once. It may be
  in all places that show the label, of any record, and whatever somebody knows may be hidden. Asked for are k such records.

A third thing somebody may know: that every node of a class has one of another below it. A node without tells then that one was left
out (`bare`).

Somebody who knows one relation looks for one hidden place at most. Who knows two may ask for one value in two of them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.verifier.finding import counted
from shoal.verifier.trees.facts import number_paths

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from shoal.verifier.hierarchies.hierarchy import Hierarchy
    from shoal.verifier.trees.nodes import Trees
    from shoal.verifier.trees.rules import Rules

_ANY = 1 << 40  # places in which a label may be shown, and be hidden somewhere else all the same


class Behind:
    """Published trees, and where each may hide something."""

    def __init__(self, trees: Trees, rules: Rules, hierarchies: Mapping[str, Hierarchy]) -> None:
        names = trees.shape.names
        of_class = {name: number for number, name in enumerate(names)}
        lowers = {(of_class[name], text) for _, (name, text) in rules.out}
        labels = tuple(sorted({*trees.labels, *lowers}))
        number = {label: place for place, label in enumerate(labels)}
        moved = np.array([number[label] for label in trees.labels], np.int64)
        self.trees = replace(trees, labels=labels, label=moved[trees.label] if len(moved) else trees.label)
        self._out: dict[int, set[int]] = {}
        for (name, text), (below, lower) in rules.out:
            upper = number.get((of_class[name], text))
            if upper is not None:  # else no record shows it, and nothing is below it
                self._out.setdefault(upper, set()).add(number[of_class[below], lower])
        self._partly = {name for name, shown in rules.shown.items() if None in shown.values()}
        self._values = [_values(rules, names[of], text, hierarchies.get(names[of])) for of, text in labels]
        self._places()

    def _places(self) -> None:
        """Of every node the labels that may be hidden below it."""
        trees, names = self.trees, self.trees.shape.names
        paths, of = number_paths(trees)
        under = [{names.index(one) for one in trees.shape.under(name)} for name in names]
        out: list[set[int]] = []
        may: list[list[int]] = []
        self.contradicted = 0  # paths that show what the rules leave out
        for parent, label in zip(paths.parent.tolist(), paths.label.tolist(), strict=True):
            above = out[parent] if parent >= 0 else set()
            self.contradicted += label in above
            out.append(above | self._out.get(label, set()))
            below = under[trees.labels[label][0]]
            may.append([one for one in sorted(out[-1]) if trees.labels[one][0] in below])
        sizes = np.array([len(one) for one in may], np.int64)
        starts = np.cumsum(sizes) - sizes
        hidden = np.array([label for one in may for label in one], np.int64)
        each = sizes[of] if len(of) else np.zeros(0, np.int64)
        self._node = np.repeat(np.arange(len(of)), each)
        place = np.arange(int(each.sum())) - np.repeat(np.cumsum(each) - each, each)
        self._label = hidden[np.repeat(starts[of], each) + place] if len(place) else np.zeros(0, np.int64)

    def at_most(self) -> Trees:
        """With all that records may hide."""
        return self._with(np.full(len(self.trees.labels), _ANY, np.int64))

    def surely(self, k: int, m: int) -> Trees:
        """With what they may hide whichever values are known to occur once."""
        fewest, most = np.array(self._values, np.int64).reshape(-1, 2).T
        width = max(len(most), 1)
        keys, times = np.unique(self.trees.record * width + self.trees.label, return_counts=True)
        repeated = np.bincount(keys[times > most[keys % width]] % width, minlength=width)[: len(most)] >= k
        return self._with(np.where(repeated, _ANY, np.maximum(fewest - m, 0)))

    def bare(self, k: int) -> Iterator[str]:
        """Classes of which a node that shows none of them below may tell that one was left out there. That is so if there always is
        one; nobody knows that there is, if k records show a node where none is and none can have been left out."""
        trees, names = self.trees, self.trees.shape.names
        class_of = np.array([of for of, _ in trees.labels], np.int64)
        above = {one.name: one.parent for one in trees.shape.classes}
        of = class_of[trees.label]
        for lower in np.unique(class_of[self._label]).tolist():
            upper = above[names[lower]]
            while upper is not None and not trees.texts(names.index(upper)):  # left out as a whole
                upper = above[upper]
            if upper is None:
                continue
            has = np.zeros(len(of), np.bool_)
            at = trees.parent[of == lower]
            while len(at := at[at >= 0]):
                has[at] = True
                at = trees.parent[at]
            bare = (of == names.index(upper)) & ~has
            hiding = np.zeros(len(of), np.bool_)
            hiding[self._node[class_of[self._label] == lower]] = True
            telling, plain = (len(np.unique(trees.record[bare & some])) for some in (hiding, ~hiding))
            if telling and (plain < k or names[lower] in self._partly):
                yield (
                    f"{counted(telling, 'record')} show a '{upper}' without any '{names[lower]}' where one may have been left out. "
                    f"Whoever knows that each has one sees that it was: {counted(plain, 'record')} show one without otherwise."
                )

    def _with(self, most: NDArray[np.int64]) -> Trees:
        """most: by label, the places in which a record may show it, and hide it elsewhere."""
        trees = self.trees
        width = max(len(trees.labels), 1)
        keys, times = np.unique(trees.record * width + trees.label, return_counts=True)
        asked = trees.record[self._node] * width + self._label
        found = np.searchsorted(keys, asked)
        there = np.minimum(found, max(len(keys) - 1, 0))
        shown = (
            np.where((found < len(keys)) & (keys[there] == asked), times[there], 0)
            if len(keys)
            else np.zeros_like(asked)
        )
        kept = shown <= most[self._label]
        node, label = self._node[kept], self._label[kept]
        return replace(
            trees,
            record=np.concatenate((trees.record, trees.record[node])),
            label=np.concatenate((trees.label, label)),
            parent=np.concatenate((trees.parent, node)),
        )


def _values(rules: Rules, name: str, text: str, hierarchy: Hierarchy | None) -> tuple[int, int]:
    """How many values a label stands for everywhere: at least, at most. Rules that all may read do not tell of every class."""
    told = rules.shown.get(name)
    if hierarchy is None:
        number = 1 if told is None else max(sum(label == text for label in told.values()), 1)
        return number, _ANY if told is None else number
    node = hierarchy.node(text)
    if node is None:
        return 1, _ANY
    leaves = hierarchy.labels[int(hierarchy.first[node]) : int(hierarchy.last[node]) + 1]
    if told is None:
        return 1, len(leaves)
    number = max(Counter(rules.shown_as((name, str(leaf))) for leaf in leaves)[name, text], 1)
    return number, number
