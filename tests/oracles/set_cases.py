"""Random small releases of item sets, and what each guarantee means by its definition, counted in the plainest way."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import combinations, pairwise, permutations
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal.data.schema import Column, Role, Schema
from shoal.guarantees import KMAnonymity, KMatching, LMatching, LMDiversity
from shoal.verifier import Terms

if TYPE_CHECKING:
    import random

    from shoal.guarantees.guarantee import Guarantee
    from shoal.verifier import Verdict

ITEMS = ("ale", "bread", "cheese", "dates", "eggs")
KINDS = ("km-anonymity", "lm-diversity", "k-matching", "l-matching")
SCHEMA = Schema(
    (
        Column("items", Role.QUASI, "set"),
        Column("ill", Role.SENSITIVE, accept_unique=True),
        Column("town", Role.PLAIN, accept_unique=True),
    )
)
Set = frozenset[str]


# ---- published sets -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SetCase:
    records: tuple[tuple[Set, str | None], ...]
    noise: tuple[tuple[str, ...] | None, ...]  # how each set stands in the file: any order, missing for none

    def arrow(self) -> pa.Table:
        return pa.table(
            {
                "items": pa.array([None if one is None else list(one) for one in self.noise], pa.list_(pa.string())),
                "ill": pa.array([value for _, value in self.records], pa.string()),
                "town": pa.array(["Bern"] * len(self.records), pa.string()),
            }
        )


def set_case(rng: random.Random, records: list[tuple[Set, str | None]]) -> SetCase:
    noise: list[tuple[str, ...] | None] = []
    for items, _ in records:
        listed = rng.sample(sorted(items), len(items))
        noise.append(None if not listed and rng.random() < 0.5 else tuple(listed))
    return SetCase(tuple(records), tuple(noise))


def random_sets(rng: random.Random) -> SetCase:
    kinds = [random_set(rng, rng.choice((0.2, 0.5, 0.8))) for _ in range(rng.randint(1, 4))]
    values = ["flu", "ulcer", "colic", "gout"][: rng.randint(1, 4)]
    shown = [*values, *([None, "*", " "] if rng.random() < 0.2 else [])]
    number = rng.randint(0, 14)
    return set_case(rng, [(rng.choice(kinds), rng.choice(shown)) for _ in range(number)])


def random_set(rng: random.Random, share: float = 0.5) -> Set:
    return frozenset(item for item in ITEMS if rng.random() < share)


def broken_combinations(case: SetCase, guarantee: Any) -> dict[int, dict[Set, tuple[str, ...]]]:
    """By size: the combinations of a record that break the promise, each with the values of the records that hold it."""
    held = {
        frozenset(some)
        for items, _ in case.records
        for size in range(guarantee.m + 1)
        for some in combinations(items, size)
    }
    broken: dict[int, dict[Set, Any]] = {}
    for combination in held:
        values = [value for items, value in case.records if combination <= items]
        if guarantee.name == "km-anonymity":
            kept = len(values) >= guarantee.k
        else:
            seen = Counter(value for value in values if value is not None and value.strip() not in ("", "*"))
            hidden = len(values) - sum(seen.values())
            kept = all((seen[value] + hidden) * guarantee.l <= len(values) for value in [*seen, "another"])
        if not kept:
            broken.setdefault(len(combination), {})[combination] = values
    return broken


def set_disagreements(case: SetCase, guarantee: Any, verdict: Verdict) -> list[str]:
    """Where the verdict differs from the definition: the answer, the number of combinations, the witnesses and their rows."""
    broken = broken_combinations(case, guarantee)
    (check,) = (one for one in verdict.checks if one.name == guarantee.technical())
    if check.passed != (not broken):
        return [f"{check} for {broken}"]
    if not broken:
        return []
    size = min(broken)
    wrong = []
    if not check.detail.startswith(f"{len(broken[size])} combination"):
        wrong.append(f"{check.detail} for {broken[size]}")
    witnesses = [one for one in verdict.witnesses if one.guarantee == guarantee.technical()]
    if len(witnesses) != min(5, len(broken[size])):
        wrong.append(f"{len(witnesses)} witnesses")
    for one in witnesses:
        combination = frozenset(str(text) for _, text in one.values)
        rows = tuple(i for i, (items, _) in enumerate(case.records, start=1) if combination <= items)
        if combination not in broken[size] or one.size != len(rows) or one.rows != rows[:20]:
            wrong.append(f"{one} for {rows}")
    return wrong


# ---- published records that stand for many sets ---------------------------------------------------------------------------

Shown = tuple[Set, Set, int]  # base, items that may differ, and how many at most


@dataclass(frozen=True)
class MatchingCase:
    originals: tuple[tuple[Set, str | None], ...]
    published: tuple[tuple[Shown, str | None], ...]
    edges: tuple[tuple[int, Set, int], ...] = ()  # class, original set, records; of the certificate
    classes: tuple[Shown, ...] = ()  # by class: what it shows

    def original(self) -> pa.Table:
        return _table([items for items, _ in self.originals], [value for _, value in self.originals])

    def release(self) -> pa.Table:
        shown = [one for one, _ in self.published]
        table = _table([base for base, _, _ in shown], [value for _, value in self.published])
        table = table.append_column("items:differ", _lists([differ for _, differ, _ in shown]))
        return table.append_column("items:at_most", pa.array([most for _, _, most in shown], pa.int32()))

    def certificate(self) -> pa.Table:
        shown = [self.classes[one] for one, _, _ in self.edges]
        return pa.table(
            {
                "shown:items": _lists([base for base, _, _ in shown]),
                "shown:items:differ": _lists([differ for _, differ, _ in shown]),
                "shown:items:at_most": pa.array([most for _, _, most in shown], pa.int32()),
                "class": pa.array([one for one, _, _ in self.edges], pa.int64()),
                "raw:items": _lists([items for _, items, _ in self.edges]),
                "records": pa.array([records for _, _, records in self.edges], pa.int64()),
            }
        )


def _lists(sets: list[Set]) -> pa.Array:
    return pa.array([sorted(one) for one in sets], pa.list_(pa.string()))


def _table(sets: list[Set], values: list[str | None]) -> pa.Table:
    town = pa.array(["Bern"] * len(sets), pa.string())
    return pa.table({"items": _lists(sets), "ill": pa.array(values, pa.string()), "town": town})


def fits(items: Set, shown: Shown) -> bool:
    base, differ, most = shown
    apart = items ^ base
    return apart <= differ and len(apart) <= most


def perfect_edges(left: int, right: int, edge: Any) -> set[tuple[int, int]]:
    """The pairs that lie in some perfect matching, by trying all of them. edge(i, j): whether i may be j."""
    found: set[tuple[int, int]] = set()
    if left == right:
        for order in permutations(range(right)):
            if all(edge(i, j) for i, j in enumerate(order)):
                found |= set(enumerate(order))
    return found


def matching_kept(case: MatchingCase, guarantee: Any, edges: set[tuple[int, int]]) -> bool:
    """Whether every original has k published records, or l values, among the edges that count."""
    if not edges:
        return False
    for i in range(len(case.originals)):
        beside = [j for giver, j in edges if giver == i]
        if guarantee.name == "k-matching":
            if len(beside) < guarantee.k:
                return False
        elif len({case.published[j][1] for j in beside} - {None}) < guarantee.l:
            return False
    return True


def fitting_edges(case: MatchingCase) -> set[tuple[int, int]]:
    """Of all that fits."""
    return perfect_edges(
        len(case.originals),
        len(case.published),
        lambda i, j: fits(case.originals[i][0], case.published[j][0]),
    )


def random_matching(rng: random.Random) -> MatchingCase:
    """Published records that fit at random, or as a method would make them: blocks or a ring, sometimes with a slip."""
    number = rng.randint(1, 6)
    kinds = [random_set(rng) for _ in range(rng.randint(1, number))]
    values = ["flu", "ulcer", "colic"][: rng.randint(1, 3)]
    originals = [
        (rng.choice(kinds), rng.choice([*values, None] if rng.random() < 0.1 else values)) for _ in range(number)
    ]
    way = rng.random()
    if way < 0.35:
        return in_blocks(rng, originals, rng.randint(1, 4))
    if way < 0.7 and number > 1:
        return in_ring(rng, originals, rng.randint(1, min(4, number)))
    published = []
    for items, value in originals:
        differ = random_set(rng, 0.6)
        base = items ^ frozenset(item for item in differ if rng.random() < 0.5)
        published.append(((base, differ, rng.randint(0, len(differ))), value))
    return MatchingCase(tuple(originals), tuple(published))


def around(rng: random.Random, members: list[Set]) -> Shown:
    """The least that these sets all fit, around any of them."""
    base = rng.choice(members)
    differ = frozenset().union(*(one ^ base for one in members))
    return base, differ, max(len(one ^ base) for one in members)


def in_blocks(rng: random.Random, originals: list[tuple[Set, str | None]], size: int) -> MatchingCase:
    order = rng.sample(range(len(originals)), len(originals))
    cuts = [*range(0, len(order) - size + 1, size), len(order)] if len(order) >= size else [0, len(order)]
    published: list[tuple[Shown, str | None]] = []
    edges: list[tuple[int, Set, int]] = []
    classes: list[Shown] = []
    for start, stop in pairwise(cuts):
        members = order[start:stop]
        shown = around(rng, [originals[i][0] for i in members])
        labels = [originals[i][1] for i in rng.sample(members, len(members))]
        published += [(shown, label) for label in labels]
        counts = Counter(originals[i][0] for i in members)
        edges += [(len(classes), items, records) for items, records in counts.items()]
        classes.append(shown)
    rng.shuffle(published)
    return MatchingCase(tuple(originals), tuple(published), tuple(edges), tuple(classes))


def in_ring(rng: random.Random, originals: list[tuple[Set, str | None]], k: int) -> MatchingCase:
    number = len(originals)
    order = rng.sample(range(number), number)
    shift = rng.randrange(k)  # one of the k assignments that the ring is made of
    published, edges, classes = [], [], []
    for place in range(number):
        members = [order[(place + step) % number] for step in range(k)]
        shown = around(rng, [originals[i][0] for i in members])
        published.append((shown, originals[members[shift]][1]))
        edges += [(place, items, records) for items, records in Counter(originals[i][0] for i in members).items()]
        classes.append(shown)
    return MatchingCase(tuple(originals), tuple(published), tuple(edges), tuple(classes))


def told_edges(case: MatchingCase) -> set[tuple[int, int]]:
    """Of the certificate: a record may be any published record of a class that its set is named for."""
    named = {(one, items) for one, items, _ in case.edges}
    shows: dict[Shown, list[int]] = {}
    for number, shown in enumerate(case.classes):
        shows.setdefault(shown, []).append(number)
    return perfect_edges(
        len(case.originals),
        len(case.published),
        lambda i, j: any((one, case.originals[i][0]) in named for one in shows.get(case.published[j][0], ())),
    )


def spoilt(rng: random.Random, case: MatchingCase) -> MatchingCase:
    """One edge of the certificate changed: dropped, added, another number, another set, another class."""
    edges = list(case.edges)
    at = rng.randrange(len(edges))
    one, items, records = edges[at]
    way = rng.randrange(5)
    if way == 0:
        del edges[at]
    elif way == 1:
        edges.append((rng.randrange(len(case.classes)), rng.choice(case.originals)[0], 1))
    elif way == 2:
        edges[at] = (one, items, records + rng.choice([-1, 1, 2]))
    elif way == 3:
        edges[at] = (one, items ^ {rng.choice(ITEMS)}, records)
    else:
        edges[at] = (rng.randrange(len(case.classes)), items, records)
    return replace(case, edges=tuple(edge for edge in edges if edge[2] > 0))


# ---- guarantees ----------------------------------------------------------------------------------------------------------


def random_guarantee(rng: random.Random, kind: str) -> Guarantee:
    few = rng.choice((2, 2, 2, 3, 4))
    if kind == "km-anonymity":
        return KMAnonymity(few, rng.randint(1, 4))
    if kind == "lm-diversity":
        return LMDiversity(few if rng.random() < 0.3 else 2, rng.randint(1, 3), "ill")
    return KMatching(few) if kind == "k-matching" else LMatching(rng.choice((2, 2, 3)), "ill")


def terms_of(*guarantees: Guarantee, **more: Any) -> Terms:
    return Terms(SCHEMA, guarantees, **more)
