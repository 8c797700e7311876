"""Tiny forests, and every tree that could stand behind a published one, by enumeration: who is left for whoever knows the rules.

A tree is a frozenset of paths, closed upwards; a path is a tuple of (class, value). Nothing here shares code with a search or the
verifier, but for the frozen recoding that says what values are shown as and what is left out below what.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from shoal.data.trees import Forest, NodeClass, TreeShape
from shoal.guarantees.kmn_anonymity import KMNAnonymity
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.methods.trees.ground import Ground, Promise
from shoal.recoding.trees.rules import LEFT_OUT, TreeRecoding
from shoal.verifier.hierarchies.hierarchy import Hierarchy as OfVerifier
from shoal.verifier.trees.behind import Behind
from shoal.verifier.trees.candidates import decide_behind
from shoal.verifier.trees.counting import Rows
from shoal.verifier.trees.facts import facts_of
from shoal.verifier.trees.judging import Bound
from shoal.verifier.trees.nodes import Nodes
from shoal.verifier.trees.promises import decide
from shoal.verifier.trees.rules import Rules
from shoal.verifier.trees.shape import TreeShape as Shape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from shoal.verifier.trees.promises import Judged

Label = tuple[str, str]
Tree = frozenset[tuple[Label, ...]]
Fragment = tuple[
    frozenset[Label], frozenset[tuple[Label, Label]], bool
]  # values, relations, whether all stand on one path


@dataclass(frozen=True, eq=False)
class World:
    """Classes with the one each hangs below, their values, and all trees (of at most so many nodes)."""

    parents: dict[str, str | None]
    values: dict[str, int]
    most: int = 12
    hierarchies: dict[str, Hierarchy] = field(init=False)

    def __post_init__(self) -> None:
        made = {
            name: Hierarchy.from_paths([(f"{name}{i + 1}", "*") for i in range(n)]) for name, n in self.values.items()
        }
        object.__setattr__(self, "hierarchies", made)

    @cached_property
    def shape(self) -> TreeShape:
        return TreeShape(tuple(NodeClass(name, parent) for name, parent in self.parents.items()))

    @cached_property
    def labels(self) -> list[Label]:
        return [(name, f"{name}{i + 1}") for name, n in self.values.items() for i in range(n)]

    def above(self, upper: Label, lower: Label) -> bool:
        at = self.parents[lower[0]]
        while at is not None and at != upper[0]:
            at = self.parents[at]
        return at is not None

    @cached_property
    def trees(self) -> list[Tree]:
        paths, front = [], [()]
        while front:
            front = [(*path, one) for path in front for one in self.labels if not path or self.above(path[-1], one)]
            paths += front
        made = layer = {frozenset()}
        for _ in range(self.most):
            layer = {t | {p} for t in layer for p in paths if p not in t and (len(p) == 1 or p[:-1] in t)}
            made = made | layer
        return sorted(made, key=lambda t: (len(t), sorted(t)))

    @cache  # noqa: B019 - a handful of worlds
    def fragments(self, m: int, n: int, strict: bool) -> list[Fragment]:
        made: list[Fragment] = []
        for size in range(1, m + 1):
            for values in itertools.combinations(self.labels, size):
                pairs = [(x, y) for x in values for y in values if self.above(x, y)]
                for number in range(min(n, len(pairs)) + 1):
                    made += [(frozenset(values), frozenset(e), False) for e in itertools.combinations(pairs, number)]
                if strict and size > 1 and len(pairs) == size * (size - 1) // 2:
                    made.append((frozenset(values), frozenset(), True))
        return made

    def ground(self, people: list[Tree], k: int, m: int, n: int, strict: bool, **options: Any) -> Ground:
        first = np.cumsum([0, *self.values.values()])
        number = {label: place for place, label in enumerate(self.labels)}
        forest = Forest.of_paths([[tuple(number[x] for x in p) for p in t] for t in people], self.shape, first)
        return Ground(forest, self.shape, self.hierarchies, Promise(k, m, n, strict), **options)


@cache
def holds(tree: Tree, fragment: Fragment) -> bool:
    values, relations, on_path = fragment
    if on_path:
        return any(values <= set(path) for path in tree)
    if not values <= {path[-1] for path in tree}:
        return False
    return all(any(path[-1] == lower and upper in path for path in tree) for upper, lower in relations)


@cache
def repeated(tree: Tree) -> frozenset[Label]:
    """Values that occur more than once."""
    return frozenset(value for value, times in Counter(path[-1] for path in tree).items() if times > 1)


@dataclass(frozen=True, eq=False)
class Rule:
    """What trees show: values under labels, some left out everywhere, some below others."""

    labels: dict[str, dict[str, str | None]]
    out: frozenset[tuple[Label, Label]]

    @classmethod
    def of(cls, recoding: TreeRecoding) -> Rule:
        said = recoding.to_json()
        return cls(said["shown"], frozenset((tuple(x), tuple(y)) for x, y in said.get("out", [])))

    def __call__(self, tree: Tree) -> Tree:
        made = set()
        for path in tree:
            here: list[Label] = []
            for name, value in path:
                label = self.labels[name].get(value, value)
                if label is not None and not any((upper, (name, label)) in self.out for upper in here):
                    here.append((name, label))
            if here:
                made.add(tuple(here))
        return frozenset(path[:stop] for path in made for stop in range(1, len(path) + 1))


@dataclass(frozen=True)
class Betrayal:
    """Somebody of whom this is true, and how few records may hold it."""

    fragment: Fragment
    candidates: int


def betrayal(
    world: World,
    people: list[Tree],
    rule: Callable[[Tree], Tree],
    k: int,
    fragments: list[Fragment],
    once: frozenset[Label] = frozenset(),
) -> Betrayal | None:
    """The first fragment that is true of somebody and may stand behind fewer than k records. once: values of which it is known
    that no record has them twice."""
    published = Counter(map(rule, people))
    behind: dict[Tree, list[Tree]] = {one: [] for one in published}
    for tree in world.trees:
        if once.isdisjoint(repeated(tree)):
            here = rule(tree)
            if here in behind:
                behind[here].append(tree)
    for fragment in fragments:
        if not any(holds(tree, fragment) for tree in people):
            continue
        candidates = sum(
            times for one, times in published.items() if any(holds(tree, fragment) for tree in behind[one])
        )
        if candidates < k:
            return Betrayal(fragment, candidates)
    return None


WORLDS = (
    World({"a": None, "b": "a"}, {"a": 2, "b": 2}),
    World({"a": None, "b": "a"}, {"a": 1, "b": 3}),
    World({"a": None, "b": "a", "c": "b"}, {"a": 2, "b": 1, "c": 1}),
    World({"a": None, "b": "a", "c": "a"}, {"a": 2, "b": 1, "c": 1}),
    World({"a": None, "b": "a", "c": "b"}, {"a": 1, "b": 1, "c": 2}),
)


@dataclass(frozen=True)
class Case:
    """A few people, and what is promised them."""

    world: World
    people: list[Tree]
    k: int
    m: int
    n: int
    strict: bool

    @classmethod
    def drawn(cls, rng: random.Random) -> Case:
        world = rng.choice(WORLDS)
        k, (m, n), strict = (
            rng.choice([2, 2, 3]),
            rng.choice([(2, 1), (2, 1), (3, 1), (2, 0), (1, 0)]),
            rng.random() < 0.5,
        )
        once = rng.choice([frozenset(world.labels), frozenset(), frozenset(rng.sample(world.labels, 2))])
        trees = [tree for tree in world.trees if 0 < len(tree) <= 5 and once.isdisjoint(repeated(tree))]
        pool = [rng.choice(trees) for _ in range(3)]
        number = rng.choice([4, 5, 6, 8, 10])
        people = [rng.choice(pool) if rng.random() < 0.75 else rng.choice(trees) for _ in range(number)]
        return cls(world, people, k, m, n, strict)

    def ground(self) -> Ground:
        return self.world.ground(self.people, self.k, self.m, self.n, self.strict, in_place=True)

    @property
    def once(self) -> frozenset[Label]:
        """All values that nobody has twice: no more can be known."""
        return frozenset(self.world.labels).difference(*map(repeated, self.people))

    def betrayal(self, recoding: TreeRecoding) -> Betrayal | None:
        """To somebody who knows the rules; or besides, which values occur once."""
        return self.betrayed_by(Rule.of(recoding)) or self.betrayed_by(Rule.of(recoding), self.once)

    def betrayed_by(self, rule: Callable[[Tree], Tree], once: frozenset[Label] = frozenset()) -> Betrayal | None:
        fragments = self.world.fragments(self.m, self.n, self.strict)
        return betrayal(self.world, self.people, rule, self.k, fragments, once)


def published(case: Case, recoding: TreeRecoding) -> Any:
    """The published records as the verifier holds them."""
    shape = Shape.of(case.world.parents)
    nodes = Nodes(shape)
    trees = list(map(Rule.of(recoding), case.people))
    place: dict[tuple[int, tuple[Label, ...]], int] = {}
    for number, name in enumerate(shape.names):
        mine = [(i, path) for i, tree in enumerate(trees) for path in sorted(tree) if path[-1][0] == name]
        words = nodes.words[number]
        codes = np.array([words.setdefault(path[-1][1], len(words)) for _, path in mine], np.int64)
        above = np.array([place[i, path[:-1]] if len(path) > 1 else -1 for i, path in mine], np.int64)
        made = nodes.add(np.array([i for i, _ in mine], np.int64), number, codes, above)
        place |= dict(zip(mine, made.tolist(), strict=True))
    return nodes.trees("the release", len(trees), shape.names, pa.table({}))


def accepted(case: Case, recoding: TreeRecoding) -> bool:
    """Whether a release passes the verifier's three counts; the first that it does not pass ends it."""
    return all(judged.check.passed for judged in counts(case, recoding))


def counts(case: Case, recoding: TreeRecoding) -> Iterator[Judged]:
    """The verifier's three counts: of what is shown, of what may stand behind it, and that where values occur once."""
    guarantee = KMNAnonymity(case.k, case.m, case.n, "strict" if case.strict else "pairwise")
    trees = published(case, recoding)
    hierarchies = {
        name: OfVerifier.of([(f"{name}{i + 1}", "*") for i in range(number)])
        for name, number in case.world.values.items()
    }
    yield decide(guarantee, Bound.of(guarantee), trees, Rows.of(facts_of(trees)), lambda _: None)
    behind = Behind(trees, Rules.read(recoding.to_json()), hierarchies)
    assert not behind.contradicted
    at_most = behind.at_most()
    yield decide_behind(guarantee, at_most, at_most, "rules", lambda _: None)
    yield decide_behind(guarantee, at_most, behind.surely(case.k, case.m), "once", lambda _: None)


def tree(*paths: str) -> Tree:
    """Of texts such as `a1>b1`; `b*` is the widest label of b."""
    made = [tuple((one[0], one[1:] if one.endswith("*") else one) for one in path.split(">")) for path in paths]
    return frozenset(path[:stop] for path in made for stop in range(1, len(path) + 1))


def recoded(case: Case, shown_as: dict[str, str | None], out: list[tuple[str, str]]) -> TreeRecoding:
    """By hand: values that are shown as something else, or left out (None), and pairs of which the lower label is left out below
    the upper."""
    world = case.world
    bare = case.ground().whole
    nodes = []
    for name in bare.shape.names:
        tree = world.hierarchies[name]
        labels = [shown_as.get(leaf, leaf) for leaf in tree.labels[: tree.leaf_count]]
        nodes.append(np.array([LEFT_OUT if label is None else tree.node(label) for label in labels], np.int32))
    number = {bare.name_of(label): label for label in range(int(bare.first_shown[-1]))}
    class_of = {text: name for name, text in world.labels} | {f"{name}*": name for name in world.parents}
    pairs = [tuple(number[class_of[one], "*" if one.endswith("*") else one] for one in pair) for pair in out]
    return TreeRecoding(world.shape, world.hierarchies, tuple(nodes), (), tuple(sorted(pairs)))


def by_chance(case: Case, rng: random.Random) -> TreeRecoding:
    """Some values under the widest label or left out everywhere (of classes with children all or none), and some labels left out
    below some others."""
    world = case.world
    childless = [name for name in world.parents if name not in world.parents.values()]
    whole = {name: rng.random() < 0.1 for name in world.parents}
    drawn: dict[str, str | None] = {}
    for name, text in world.labels:
        if rng.random() < 0.3:
            drawn[text] = rng.choice(["*", "*", "*", None]) if name in childless else "*"
        if whole[name]:
            drawn[text] = None
    labels = [(name, f"{name}*" if drawn.get(text) else text) for name, text in world.labels if drawn.get(text, text)]
    pairs = {
        (x, y)
        for upper, x in labels
        for lower, y in labels
        if lower in childless and world.above((upper, x), (lower, y)) and rng.random() < 0.4
    }
    return recoded(case, drawn, sorted(pairs))
