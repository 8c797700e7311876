"""Random small releases, what brute force says of them, and the comparison with the verifier's verdict."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from oracles import brute_force as brute
from shoal.data.schema import Column, Role, Schema
from shoal.guarantees.k_anonymity import KAnonymity
from shoal.guarantees.l_diversity import LDiversity
from shoal.guarantees.t_closeness import TCloseness
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.verifier import Terms

if TYPE_CHECKING:
    from collections.abc import Callable

    from oracles.brute_force import Quasi, Table
    from shoal.guarantees.guarantee import Guarantee
    from shoal.verifier import Verdict

KINDS = (
    "k-anonymity",
    "distinct l-diversity",
    "entropy l-diversity",
    "recursive l-diversity",
    "equal t-closeness",
    "ordered t-closeness",
    "hierarchical t-closeness",
)

# Uneven on purpose: `10` lies directly below the root, `1` and `2` three steps below it.
_NUMBERS = {
    "1": ("1", "one or two", "low", "*"),
    "2": ("2", "one or two", "low", "*"),
    "3": ("3", "low", "*"),
    "5": ("5", "middle", "*"),
    "7.5": ("7.5", "middle", "*"),
    "10": ("10", "*"),
}
_WORDS = {
    "flu": ("flu", "lungs", "*"),
    "angina": ("angina", "lungs", "*"),
    "ulcer": ("ulcer", "belly", "*"),
    "colic": ("colic", "belly", "*"),
    "itch": ("itch", "*"),
}
# texts that a reader takes for one of the words: a blank, an invisible character, another Unicode form
_TWINS = {"flu": "flu ", "ulcer": "ul\u200bcer", "colic": "\u00a0colic"}
_QUASI = ("20-29", "30-39", "[20, 30[", "A", "a", "é", "e\u0301", "*", None)


@dataclass(frozen=True)
class Case:
    """A release with the terms it is held against."""

    quasi: tuple[str, ...]
    table: Table  # as published: hidden values may be None or `*`, words may be twins
    paths: dict[str, tuple[str, ...]]
    typed: bool = False  # the sensitive column holds numbers, not texts

    def arrow(self) -> pa.Table:
        columns: dict[str, Any] = {
            name: pa.array([record[0][i] for record in self.table], pa.string()) for i, name in enumerate(self.quasi)
        }
        values: list[Any] = [value for _, value in self.table]
        if self.typed:
            columns["s"] = pa.array([None if value is None else float(value) for value in values], pa.float64())
        else:
            columns["s"] = pa.array(values, pa.string())
        return pa.table(columns)

    def terms(self, guarantees: tuple[Guarantee, ...]) -> Terms:
        columns = [*(Column(name, Role.QUASI) for name in self.quasi), Column("s", Role.SENSITIVE, accept_unique=True)]
        hierarchy = Hierarchy.from_paths(self.paths.values())
        return Terms(Schema(tuple(columns)), guarantees, {"s": hierarchy})

    def plain(self, *, twins_as_one: bool) -> Table:
        """For brute force: hidden values are None; twins are one value or not."""
        one = {twin: word for word, twin in _TWINS.items()} if twins_as_one else {}
        return [(quasi, None if value == "*" else one.get(value or "", value)) for quasi, value in self.people]

    @property
    def people(self) -> Table:
        """Without rows in which everything is missing: nobody stands behind them."""
        return [record for record in self.table if is_somebody(record)]

    @property
    def has_twins(self) -> bool:
        return any(value in _TWINS.values() for _, value in self.table)


def is_somebody(record: tuple[Quasi, str | None]) -> bool:
    quasi, value = record
    return value is not None or any(one is not None for one in quasi)


def random_case(rng: random.Random) -> Case:
    quasi = tuple(f"q {i}" for i in range(rng.randint(1, 3)))
    pools = [rng.sample(_QUASI, rng.randint(1, 3)) for _ in quasi]
    paths = rng.choice((_NUMBERS, _WORDS))
    values: list[str | None] = list(rng.sample(list(paths), rng.randint(1, min(5, len(paths)))))
    typed = paths is _NUMBERS and rng.random() < 0.3
    if rng.random() < 0.3:
        values.append(None)
        if not typed and rng.random() < 0.5:
            values.append("*")
    if paths is _WORDS and rng.random() < 0.3:
        values += [_TWINS[value] for value in values if value in _TWINS]
    size = rng.choice((0, 1, 2, 3, 4, 6, 8, 10, 12, 16, 20))
    table: Table = [(tuple(rng.choice(pool) for pool in pools), rng.choice(values)) for _ in range(size)]
    if table and rng.random() < 0.5:  # whole copies of a record set make classes that keep promises
        table = [record for record in table for _ in range(rng.choice((1, 2, 2, 3)))]
        rng.shuffle(table)
    return Case(quasi, table, paths, typed)


def random_guarantee(rng: random.Random, kind: str) -> Guarantee:
    if kind == "k-anonymity":
        return KAnonymity(rng.randint(2, 5))
    variant: Any = kind.partition(" ")[0]
    if kind.endswith("l-diversity"):
        c = rng.choice((0.5, 1, 1.1, 1.5, 2, 3.0, 5)) if variant == "recursive" else None
        l = rng.choice((1.25, 1.5, 2, 2.5, 3)) if variant == "entropy" else rng.randint(2, 4)
        return LDiversity(l, "s", variant, c)
    return TCloseness(rng.choice((0, 0.05, 0.1, 0.125, 0.2, 0.25, 0.3, 0.375, 0.4, 0.5, 0.625, 0.75)), "s", variant)


def random_guarantees(rng: random.Random, case: Case) -> dict[str, Guarantee]:
    """One of each kind that can be asked of this case: twins have no place in an order or a hierarchy."""
    kinds = KINDS[:5] if case.has_twins else KINDS
    return {kind: random_guarantee(rng, kind) for kind in kinds}


def broken_classes(case: Case, guarantee: Guarantee) -> set[Quasi]:
    """What brute force says."""
    if isinstance(guarantee, KAnonymity):
        return brute.k_anonymity(case.people, guarantee.k)
    if isinstance(guarantee, LDiversity):
        table = case.plain(twins_as_one=True)
        if guarantee.variant == "distinct":
            return brute.distinct(table, guarantee.l)
        if guarantee.variant == "entropy":
            return brute.entropy(table, guarantee.l)
        return brute.recursive(table, str(guarantee.c), guarantee.l)
    assert isinstance(guarantee, TCloseness)
    table = case.plain(twins_as_one=False)
    values = {value for _, value in table}
    if guarantee.distance == "equal":
        distances = [brute.equal_distance(values)]
    elif guarantee.distance == "hierarchical":
        distances = [brute.hierarchical_distance(values, case.paths)]
    else:
        key: Callable[[str], Any] = Fraction if case.paths is _NUMBERS else list(case.paths).index
        order = sorted((value for value in values if value is not None), key=key)
        ends = ([None, *order], [*order, None]) if None in values else (order,)
        distances = [brute.ordered_distance(end) for end in ends]
    return brute.t_closeness(table, str(guarantee.t), distances)


def disagreements(case: Case, expectations: dict[Guarantee, set[Quasi]], verdict: Verdict) -> list[str]:
    """Where the verdict differs from what brute force expects; also false witnesses, and missing ones."""
    found: list[str] = []
    checks = {check.name: check for check in verdict.checks}
    for guarantee, expected in expectations.items():
        promise = guarantee.technical()
        if checks[promise].passed != (not expected):
            found.append(f"{promise} is {'kept' if not expected else 'broken'} by brute force")
        witnesses = [witness for witness in verdict.witnesses if witness.guarantee == promise]
        if len(witnesses) != min(5, len(expected)) or len({w.values for w in witnesses}) != len(witnesses):
            found.append(f"{promise}: {len(witnesses)} witnesses for {len(expected)} broken classes")
        for witness in witnesses:
            quasi = tuple(value for _, value in witness.values)
            rows = [i for i, one in enumerate(case.table, start=1) if one[0] == quasi and is_somebody(one)]
            if quasi not in expected or list(witness.rows) != rows[:20] or witness.size != len(rows):
                found.append(f"{promise}: a witness that is none")
        if guarantee.name == "k-anonymity" and [w.size for w in witnesses] != sorted(w.size for w in witnesses):
            found.append(f"{promise}: the worst witness does not come first")
    if verdict.passed != all(check.passed for check in verdict.checks):
        found.append("the verdict is not that of its checks")
    if verdict.records != len(case.people) or verdict.classes != len(brute.classes(case.people)):
        found.append("records or classes are miscounted")
    return found


# ---- planted breaches ------------------------------------------------------------------------------------------------


def planted(rng: random.Random, kind: str) -> tuple[Case, Guarantee]:
    """A release that kept its promise until one cell, one row or one copy was changed."""
    while True:
        case, guarantee = _keeping(rng, kind)
        if broken_classes(case, guarantee):
            continue
        for _ in range(12):
            spoilt = Case(case.quasi, _spoil(rng, case), case.paths, case.typed)
            if broken_classes(spoilt, guarantee):
                return spoilt, guarantee


def _keeping(rng: random.Random, kind: str) -> tuple[Case, Guarantee]:
    """A case that is likely to keep a promise: classes of about the same values."""
    quasi = tuple(f"q {i}" for i in range(rng.randint(1, 3)))
    paths = rng.choice((_NUMBERS, _WORDS))
    values = rng.sample(list(paths), rng.randint(2, 4))
    mixture = values * rng.randint(1, 2) + rng.choices(values, k=rng.randint(0, 1))
    keys = {tuple(rng.choice(_QUASI) for _ in quasi) for _ in range(rng.randint(1, 4))}
    table: Table = [(key, value) for key in sorted(keys, key=repr) for value in mixture]
    rng.shuffle(table)
    return Case(quasi, table, paths), random_guarantee(rng, kind)


def _spoil(rng: random.Random, case: Case) -> Table:
    table = list(case.table)
    at = rng.randrange(len(table))
    quasi, value = table[at]
    what = rng.randrange(4)
    if what == 0:  # one quasi cell
        i = rng.randrange(len(quasi))
        changed = rng.choice([*(other[0][i] for other in table), *_QUASI])
        table[at] = ((*quasi[:i], changed, *quasi[i + 1 :]), value)
    elif what == 1:  # one sensitive cell
        table[at] = (quasi, rng.choice([*case.paths, None]))
    elif what == 2:  # one row less
        del table[at]
    else:  # one row more
        table.insert(rng.randrange(len(table) + 1), (quasi, value))
    return table
