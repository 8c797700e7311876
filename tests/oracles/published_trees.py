"""Random small releases of trees, and what is promised about them by the definition, in plain Python sets."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal.data.schema import Column, Role, Schema
from shoal.data.trees import TreeShape
from shoal.guarantees import KMNAnonymity, KMNDiversity
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.verifier import Terms

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Sequence

    from shoal.guarantees.guarantee import Guarantee
    from shoal.verifier import Verdict

Label = tuple[str, str]  # class, value
Path = tuple[Label, ...]
Tree = frozenset[Path]  # all paths from the root to a node

PARENTS: dict[str, str | None] = {
    "place": None,
    "illness": "place",
    "cure": "illness",
    "dose": "cure",
    "sex": None,
    "test": "place",
}
SHAPE = TreeShape.of(PARENTS)
CHAINS = (("place", "illness", "cure", "dose"), ("sex",), ("place", "test"))
HIERARCHIES = {
    name: Hierarchy.from_paths([(f"{name}{i}", f"{name}{'ab'[i // 2]}", name) for i in range(4)]) for name in PARENTS
}
ILL = ("flu", "ulcer", "colic", "gout")


@dataclass(frozen=True)
class Record:
    tree: Tree
    ill: str | None


@dataclass(frozen=True)
class TreeCase:
    records: tuple[Record, ...]
    parents: tuple[tuple[str, str | None], ...] = tuple(PARENTS.items())

    @property
    def schema(self) -> Schema:
        nodes = (Column(name, Role.QUASI, "node", parent=parent) for name, parent in self.parents)
        return Schema((Column("ill", Role.SENSITIVE, accept_unique=True), *nodes))

    def terms(self, *guarantees: Guarantee, **more: Any) -> Terms:
        return Terms(self.schema, guarantees, **more)

    def arrow(self) -> pa.Table:
        return arrow_of(self.records, self.schema.shape)

    def lines(self) -> str:
        """As JSON lines."""
        return as_lines(self.objects())

    def objects(self) -> list[dict[str, Any]]:
        order = self.schema.shape.names
        return [{"ill": one.ill, **json_of(one.tree, order)} for one in self.records]


def as_lines(objects: Iterable[dict[str, Any]]) -> str:
    return "".join(f"{json.dumps(line, ensure_ascii=False, separators=(',', ':'))}\n" for line in objects)


def closed(paths: Iterable[Path]) -> Tree:
    """With the paths to all nodes on the way."""
    return frozenset(path[:stop] for path in paths for stop in range(1, len(path) + 1))


# ---- as it is published ------------------------------------------------------------------------------------------------


def node_type(shape: TreeShape, name: str) -> pa.DataType:
    below = [(other, node_type(shape, other)) for other in shape.under(name)]
    return pa.list_(pa.struct([("value", pa.string()), *below]))


def nodes_of(tree: Iterable[Path], shape: TreeShape, name: str, above: Path = ()) -> list[dict[str, Any]]:
    here = sorted(path for path in tree if path[:-1] == above and path[-1][0] == name)
    return [
        {"value": path[-1][1], **{other: nodes_of(tree, shape, other, path) for other in shape.under(name)}}
        for path in here
    ]


def arrow_of(records: Iterable[Record], shape: TreeShape) -> pa.Table:
    records = list(records)
    columns = {"ill": pa.array([one.ill for one in records], pa.string())}
    for name in shape.names:
        columns[name] = pa.array([nodes_of(one.tree, shape, name) for one in records], node_type(shape, name))
    return pa.table(columns)


def json_of(tree: Tree, order: Sequence[str], above: Path = ()) -> dict[str, Any]:
    """The nodes below one, with empty lists left out. order: of the classes."""
    made: dict[str, Any] = {}
    here = [path for path in tree if path[:-1] == above]
    for path in sorted(here, key=lambda path: (order.index(path[-1][0]), path[-1][1])):
        name, value = path[-1]
        made.setdefault(name, []).append({"value": value, **json_of(tree, order, path)})
    return made


# ---- at random ---------------------------------------------------------------------------------------------------------


def random_tree(rng: random.Random, values: int, most: int = 3) -> Tree:
    paths = []
    for _ in range(rng.randint(0, most)):
        chain = rng.choice(CHAINS)
        chain = chain[: rng.randint(1, len(chain))]
        paths.append(tuple((name, f"{name}{rng.randrange(values)}") for name in chain if rng.random() < 0.9))
    return closed(paths)


def random_case(rng: random.Random) -> TreeCase:
    values = rng.choice((1, 1, 2, 2, 3))
    kinds = [random_tree(rng, values) for _ in range(rng.randint(1, 4))]
    ills: list[str | None] = list(ILL[: rng.randint(1, 4)])
    ills += [None, "*", " "] if rng.random() < 0.15 else []
    records = [Record(rng.choice(kinds), rng.choice(ills)) for _ in range(rng.randint(0, 12))]
    return TreeCase(tuple(records))


def random_guarantees(rng: random.Random) -> tuple[Any, ...]:
    """Of each kind, all different."""
    m, n = rng.choice((1, 2, 2, 3, 3, 4)), rng.choice((0, 1, 1, 2, 3))
    return (
        KMNAnonymity(2, m, n, "pairwise"),
        KMNAnonymity(rng.choice((2, 3, 4)), m, n, "strict"),
        KMNDiversity(
            2, rng.choice((1, 2, 3)), n, rng.choice((2, 3)), "ill", "distinct", rng.choice(("strict", "pairwise"))
        ),
        KMNDiversity(2, rng.choice((1, 2, 3)), n, 2, "ill", "frequency", rng.choice(("strict", "pairwise"))),
    )


# ---- by the definition -------------------------------------------------------------------------------------------------


def labels_of(tree: Tree) -> frozenset[Label]:
    return frozenset(label for path in tree for label in path)


def pairs_of(tree: Tree) -> frozenset[tuple[Label, Label]]:
    return frozenset(pair for path in tree for pair in combinations(path, 2))


def broken_by_size(case: TreeCase, guarantee: Any) -> dict[int, dict[tuple[bool, frozenset[Label]], set[int]]]:
    """By number of labels, what breaks the promise: (whether on one path, labels) → the numbers of records that fit some of it."""
    trees = [one.tree for one in case.records]
    labels, pairs = [labels_of(tree) for tree in trees], [pairs_of(tree) for tree in trees]
    broken: dict[int, dict[tuple[bool, frozenset[Label]], set[int]]] = {}

    def ask(on_path: bool, some: frozenset[Label], meant: list[int]) -> None:
        if not is_enough(case, guarantee, meant):
            broken.setdefault(len(some), {}).setdefault((on_path, some), set()).add(len(meant))

    for tree, own in set(zip(trees, pairs, strict=True)):
        for size in range(guarantee.m + 1):
            for some in map(frozenset, combinations(sorted(labels_of(tree)), size)):
                holding = [i for i, one in enumerate(labels) if some <= one]
                among = sorted(pair for pair in own if set(pair) <= some)
                for number in range(min(guarantee.n, len(among)) + 1):
                    for known in map(set, combinations(among, number)):
                        ask(False, some, [i for i in holding if known <= pairs[i]])
            if guarantee.mode == "strict" and size:  # no labels at all stand on the path of no nodes, in every record
                for path in tree:
                    for some in map(frozenset, combinations(path, size)):
                        ask(True, some, [i for i, one in enumerate(trees) if any(some <= set(other) for other in one)])
    return broken


def is_enough(case: TreeCase, guarantee: Any, meant: list[int]) -> bool:
    if len(meant) < guarantee.k:
        return False
    if guarantee.name == "kmn-anonymity":
        return True
    values = [case.records[i].ill for i in meant]
    seen = Counter(value for value in values if value is not None and value.strip() not in ("", "*"))
    if guarantee.form == "distinct":
        return len(seen) >= guarantee.l
    hidden = len(values) - sum(seen.values())
    return all((seen[value] + hidden) * guarantee.l <= len(values) for value in [*seen, "another"])


def is_kept(case: TreeCase, guarantee: Any) -> bool:
    return not case.records or not broken_by_size(case, guarantee)


def disagreements(case: TreeCase, guarantee: Any, verdict: Verdict) -> list[str]:
    """Where the verdict differs from the definition: the answer, the size at which it stops, the witnesses and their rows."""
    (check,) = (one for one in verdict.checks if one.name == guarantee.technical())
    witnesses = [one for one in verdict.witnesses if one.guarantee == guarantee.technical()]
    broken = broken_by_size(case, guarantee) if case.records else {}
    if check.passed != (not broken):
        return [f"it is {check.passed}"]
    if check.passed:
        return [] if not witnesses else ["witnesses of a promise that is kept"]
    smallest = min(broken)
    told = [] if witnesses else ["no witness"]
    counted = broken[smallest]
    # of two labels on one path the pair says as much; the verifier counts it once, where pairs may be known
    number = len({key for key in counted if not key[0] or smallest > (2 if guarantee.n else 1)})
    some = "1 breaks" if number == 1 else f"{number:,} break"
    if not check.detail.startswith(some):
        told.append(f"{number} combinations break it: {check.detail}")
    for witness in witnesses:
        labels = frozenset(witness.values)
        sizes = {size for (_, some), found in counted.items() if some == labels for size in found}
        if len(labels) != smallest or witness.size not in sizes:
            told.append(f"a witness that is none: {witness}")
        rows = [case.records[row - 1].tree for row in witness.rows]
        if len(rows) != witness.size or any(not labels <= labels_of(tree) for tree in rows):
            told.append(f"rows that do not fit: {witness}")
        if sum(f"{name} = {value}" in line for line in witness.drawn for name, value in labels) < len(labels):
            told.append(f"a drawing that lacks a value: {witness.drawn}")
    return told


# ---- by rules ----------------------------------------------------------------------------------------------------------


def random_recoded(rng: random.Random) -> tuple[TreeCase, TreeCase, dict[str, Any]]:
    """Original records, what they show when values are generalized or left out and some labels kept apart, and the rules."""
    shown: dict[Label, Label | None] = {}
    for name, tree in HIERARCHIES.items():
        kind = rng.randrange(4)
        for leaf in range(tree.leaf_count):
            level = rng.choice((0, 1)) if kind == 3 else kind
            label = None if rng.random() < 0.1 else str(tree.label(leaf, level))
            shown[name, str(tree.labels[leaf])] = None if label is None else (name, label)
    original = TreeCase(tuple(Record(random_tree(rng, 4, 4), rng.choice(ILL)) for _ in range(rng.randint(1, 6))))
    bare = [
        Record(closed(tuple(y for x in path if (y := shown[x]) is not None) for path in one.tree), one.ill)
        for one in original.records
    ]
    pairs = sorted({pair for one in bare for pair in pairs_of(one.tree)})
    apart = set(rng.sample(pairs, rng.randint(0, min(3, len(pairs)))))
    release = TreeCase(tuple(replace(one, tree=kept_apart(one.tree, apart)) for one in bare))
    told = {
        name: {value: label and label[1] for (of, value), label in shown.items() if of == name and label != (of, value)}
        for name in HIERARCHIES
    }
    return original, release, {"kind": "trees", "shown": told, "apart": [[list(x), list(y)] for x, y in sorted(apart)]}


def kept_apart(tree: Tree, apart: set[tuple[Label, Label]]) -> Tree:
    """Node by node from the root downwards: one goes beside the topmost node it is to be kept apart from, and what hung below it
    hangs below its former parent."""
    place: dict[Path, Path] = {(): ()}  # where a node went
    below: dict[Path, Path] = {(): ()}  # where what hangs below it goes
    for path in sorted(tree, key=len):
        above = below[path[:-1]]
        stop = next((i for i, upper in enumerate(above) if (upper, path[-1]) in apart), None)
        place[path] = (*above, path[-1]) if stop is None else (*above[:stop], path[-1])
        below[path] = place[path] if stop is None else above
    return closed(place.values())


# ---- planted breaches --------------------------------------------------------------------------------------------------


def crowd(rng: random.Random, k: int = 3) -> TreeCase:
    """A release in which every tree stands with four different values: it keeps 3^(m,n)-anonymity and 2-diversity for all m, n."""
    kinds = {random_tree(rng, 2, 4) for _ in range(rng.randint(1, 3))}
    records = [Record(tree, ill) for tree in sorted(kinds, key=sorted) for ill in ILL]
    rng.shuffle(records)
    return TreeCase(tuple(records))


def planted(rng: random.Random, case: TreeCase) -> TreeCase:
    """One value, one edge, one record or a few sensitive values changed."""
    records = list(case.records)
    at = rng.randrange(len(records))
    one = records[at]
    kind = rng.choice(("value", "edge", "record", "ill"))
    if kind == "ill":
        for i in [i for i, other in enumerate(records) if other.tree == one.tree][: rng.randint(1, 4)]:
            records[i] = replace(records[i], ill=rng.choice(("flu", None)))
    elif kind == "record":
        records[at] = Record(random_tree(rng, 3), one.ill)
    elif kind == "value" and one.tree:
        was = rng.choice(sorted(labels_of(one.tree)))
        new = (was[0], f"{was[0]}{rng.randrange(4)}")
        records[at] = replace(one, tree=frozenset(tuple(new if x == was else x for x in path) for path in one.tree))
    elif kind == "edge" and pairs_of(one.tree):
        upper, lower = rng.choice(sorted(pairs_of(one.tree)))
        made: set[Path] = set()
        for path in one.tree:
            if upper in path and lower in path:
                i, j = path.index(upper), path.index(lower)
                made |= {path[:j] + path[j + 1 :], (*path[:i], lower)}
            else:
                made.add(path)
        records[at] = replace(one, tree=closed(made))
    return replace(case, records=tuple(records))
