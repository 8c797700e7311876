"""Random small forests, and the definitions on sets of paths in plain Python, for tests of what works on trees."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, compress
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st

from shoal.data.trees import Forest, TreeShape
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.recoding.trees.rules import LEFT_OUT, TreeRecoding

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hypothesis.strategies import DrawFn

Path = tuple[int, ...]
SHAPE = TreeShape.of(
    {"place": None, "illness": "place", "cure": "illness", "dose": "cure", "sex": None, "test": "place"}
)
CHAINS = [("place", "illness", "cure", "dose"), ("sex",), ("place", "test")]
HIERARCHIES = {
    name: Hierarchy.from_paths([(f"{name}{i}", f"{name}{'ab'[i // 2]}", name) for i in range(4)])
    for name in SHAPE.names
}
FIRST = np.arange(len(SHAPE.names) + 1, dtype=np.int64) * 4


@st.composite
def forests(draw: DrawFn, most: int = 6) -> Forest:
    """Trees over SHAPE; values may be left out anywhere, as if they were missing."""
    made = []
    for _ in range(draw(st.integers(1, most))):
        paths = []
        for _ in range(draw(st.integers(0, 4))):
            chain = draw(st.sampled_from(CHAINS))
            path = tuple(
                int(FIRST[SHAPE.names.index(name)]) + draw(st.integers(0, 3))
                for name in chain[: draw(st.integers(1, len(chain)))]
                if draw(st.integers(0, 7))
            )
            paths.append(path)
        made.append(paths)
    return Forest.of_paths(made, SHAPE, FIRST)


@st.composite
def recodings(draw: DrawFn) -> TreeRecoding:
    nodes = []
    for name in SHAPE.names:
        tree = HIERARCHIES[name]
        kind = draw(st.integers(0, 4))
        level = tree.levels[min(kind, 2)].copy()
        if kind == 3:
            level = tree.levels[0].copy()
            level[:2] = tree.levels[1][:2]
        nodes.append(np.full(4, LEFT_OUT, np.int32) if kind == 4 else level.astype(np.int32))
    bare = TreeRecoding(SHAPE, HIERARCHIES, tuple(nodes))
    labels = sorted(set(bare.shown_as.tolist()) - {LEFT_OUT})
    pairs = [(a, b) for a in labels for b in labels if SHAPE.below[bare.class_of(a), bare.class_of(b)]]
    apart = draw(st.lists(st.sampled_from(pairs), max_size=4, unique=True)) if pairs else []
    return TreeRecoding(SHAPE, HIERARCHIES, tuple(nodes), tuple(sorted(apart)))


def prefixes(paths: Iterable[Path]) -> set[Path]:
    return {path[: i + 1] for path in paths for i in range(len(path))}


def parted(paths: set[Path], upper: int, lower: int) -> set[Path]:
    """Definition 2 of the paper on every path that has both."""
    made: set[Path] = set()
    for path in paths:
        if upper in path and lower in path and path.index(upper) < path.index(lower):
            at = path.index(lower)
            made |= {path[:at] + path[at + 1 :], (*path[: path.index(upper)], lower)}
        else:
            made.add(path)
    return prefixes(made)


def shown(paths: set[Path], recoding: TreeRecoding) -> set[Path]:
    """What a tree shows: pair by pair, always the one whose lower label is nearest to the root, of these the topmost upper one."""
    as_label = recoding.shown_as
    made = prefixes(tuple(int(as_label[v]) for v in path if as_label[v] != LEFT_OUT) for path in paths)
    if recoding.out:
        out = set(recoding.out)
        return {path for path in made if not any(pair in out for pair in combinations(path, 2))}
    while True:
        found = [
            (recoding.class_of(lower), path.index(upper), upper, lower)
            for upper, lower in recoding.apart
            for path in made
            if upper in path and lower in path[path.index(upper) :]
        ]
        if not found:
            return made
        _, _, upper, lower = min(found)
        made = parted(made, upper, lower)


def labels_of(paths: set[Path]) -> set[int]:
    return {label for path in paths for label in path}


def relations_of(paths: set[Path]) -> set[tuple[int, int]]:
    return {pair for path in paths for pair in combinations(path, 2)}


def on_one_path(paths: set[Path], size: int) -> set[frozenset[int]]:
    return {frozenset(one) for path in paths for one in combinations(path, size)}


def keeps(records: list[set[Path]], k: int, m: int, n: int, *, strict: bool) -> bool:
    """The promise, from its definition."""
    known = [(labels_of(paths), relations_of(paths)) for paths in records]
    for labels, relations in known:
        for size in range(m + 1):
            for items in combinations(sorted(labels), size):
                among = [pair for pair in relations if set(pair) <= set(items)]
                for number in range(min(n, len(among)) + 1):
                    for chosen in combinations(among, number):
                        fitting = sum(set(items) <= a and set(chosen) <= b for a, b in known)
                        if fitting < k:
                            return False
    if strict:
        for size in range(1, m + 1):
            held = [on_one_path(paths, size) for paths in records]
            for sets in held:
                if any(sum(one in other for other in held) < k for one in sets):
                    return False
    return True


def fits(values: list[int], k: int, l: int, form: str) -> bool:
    """Whether the records that fit something are enough, and diverse. The value 0 is hidden."""
    seen = Counter(value for value in values if value)
    hidden = len(values) - seen.total()
    if form == "frequency":
        return len(values) >= k and (max(seen.values(), default=0) + hidden) * l <= len(values)
    return len(values) >= k and len(seen) >= l


def keeps_diversity(
    records: list[set[Path]],
    values: list[int],
    k: int,
    m: int,
    n: int,
    l: int,
    form: str,
    *,
    strict: bool,
) -> bool:
    """The promise about sensitive values, from its definition. values: of each record, 0 is hidden."""
    known = [(labels_of(paths), relations_of(paths)) for paths in records]
    for labels, relations in known:
        for size in range(m + 1):
            for items in combinations(sorted(labels), size):
                among = [pair for pair in relations if set(pair) <= set(items)]
                for number in range(min(n, len(among)) + 1):
                    for chosen in combinations(among, number):
                        fitting = [set(items) <= a and set(chosen) <= b for a, b in known]
                        if not fits(list(compress(values, fitting)), k, l, form):
                            return False
    for size in range(1, m + 1) if strict else ():
        held = [on_one_path(paths, size) for paths in records]
        for one in set().union(*held):
            if not fits(list(compress(values, [one in other for other in held])), k, l, form):
                return False
    return True
