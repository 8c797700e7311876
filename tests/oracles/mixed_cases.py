"""Random small releases of single values beside item sets, and what is promised about them by the definition."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal.data.schema import Column, Role, Schema
from shoal.guarantees import KKMAnonymity, KLMDiversity
from shoal.verifier import Terms

if TYPE_CHECKING:
    import random

    from shoal.guarantees.guarantee import Guarantee
    from shoal.verifier import Verdict

ITEMS = ("ale", "bread", "cheese", "dates", "eggs")
SENSITIVE = ("hiv", "gout")
Set = frozenset[str]
Value = str | float | None


@dataclass(frozen=True)
class Record:
    values: tuple[Value, ...]  # age, town
    items: Set
    more: Set  # of a second column of sets
    ill: str | None

    def known(self) -> frozenset[tuple[str, str]]:
        found = {("items", item) for item in self.items if item not in SENSITIVE}
        return frozenset(found | {("more", item) for item in self.more})


def same(one: Value, two: Value) -> bool:
    """Whether a reader takes two published values for the same: -0.0 is not 0.0."""
    return repr(one) == repr(two)


@dataclass(frozen=True)
class MixedCase:
    records: tuple[Record, ...]
    two: bool  # whether there are two columns of sets
    number: bool  # whether the first column is of numbers

    @property
    def schema(self) -> Schema:
        columns = [Column("age", Role.QUASI), Column("items", Role.QUASI, "set", SENSITIVE, accept_unique=True)]
        columns += [Column("more", Role.QUASI, "set")] if self.two else []
        return Schema((*columns, Column("town", Role.QUASI), Column("ill", Role.SENSITIVE, accept_unique=True)))

    def terms(self, *guarantees: Guarantee, **more: Any) -> Terms:
        return Terms(self.schema, guarantees, **more)

    def arrow(self) -> pa.Table:
        return table_of(self.records, two=self.two, number=self.number)


def table_of(records: tuple[Record, ...], *, two: bool, number: bool = False) -> pa.Table:
    columns = {
        "age": pa.array([one.values[0] for one in records], pa.float64() if number else pa.string()),
        "town": pa.array([one.values[1] for one in records], pa.string()),
        "items": lists(one.items for one in records),
        "ill": pa.array([one.ill for one in records], pa.string()),
    }
    return pa.table(columns | ({"more": lists(one.more for one in records)} if two else {}))


def lists(sets: Any) -> pa.Array:
    return pa.array([sorted(one) for one in sets], pa.list_(pa.string()))


def random_case(rng: random.Random) -> MixedCase:
    two, number = rng.random() < 0.3, rng.random() < 0.2
    ages: list[Value] = [0.0, -0.0, 1.5, None] if number else ["20-29", "30-39", "*", None]
    ages = rng.sample(ages, rng.choice((1, 1, 2, 3)))
    towns = rng.sample(["Bern", "Basel"], rng.choice((1, 1, 2)))
    share = rng.choice((0.2, 0.5, 0.8))
    kinds = [random_set(rng, share) for _ in range(rng.randint(1, 3))]
    others = [random_set(rng, share) if two else frozenset() for _ in range(rng.randint(1, 2))]
    values: list[str | None] = ["flu", "ulcer", "colic", "gout"][: rng.randint(1, 4)]
    values += [None, "*", " "] if rng.random() < 0.15 else []
    ill = rng.choice((0.0, 0.2, 0.5))
    records = []
    for _ in range(rng.randint(0, 14)):
        hidden = frozenset(item for item in SENSITIVE if rng.random() < ill)
        place = (rng.choice(ages), rng.choice(towns))
        records.append(Record(place, rng.choice(kinds) | hidden, rng.choice(others), rng.choice(values)))
    return MixedCase(tuple(records), two, number)


def random_set(rng: random.Random, share: float = 0.5) -> Set:
    return frozenset(item for item in ITEMS if rng.random() < share)


def random_guarantees(rng: random.Random) -> tuple[Any, ...]:
    """Of each kind, all different."""
    m = [rng.choice((1, 2, 2, 3)) for _ in range(3)]
    return (
        KKMAnonymity(2, m[0]),
        KKMAnonymity(rng.choice((3, 4)), m[1]),
        KLMDiversity(2, rng.choice((2, 2, 3)), m[1], "ill"),
        KLMDiversity(2, rng.choice((2, 2, 3)), m[2], "items"),
        KLMDiversity(3, 2, m[1], "items"),
    )


# ---- by the definition -------------------------------------------------------------------------------------------------

Known = frozenset[tuple[str, str]]
Broken = dict[tuple[int, Known], list[int]]  # (first record of the class, combination) → the records that can be meant


def broken_by_size(case: MixedCase, guarantee: Any, part: str) -> dict[int, Broken]:
    """By number of known items, what breaks one part of a promise: "k" records, or one in "l"."""
    broken: dict[int, Broken] = {}
    known = [one.known() for one in case.records]
    for record, own in zip(case.records, known, strict=True):
        group = [
            i for i, one in enumerate(case.records) if all(map(same, one.values, record.values))
        ]  # the records that look like this one to who knows its values
        for size in range(guarantee.m + 1):
            for some in map(frozenset, combinations(own, size)):
                meant = [i for i in group if some <= known[i]]
                kept = len(meant) >= guarantee.k if part == "k" else is_diverse(case, guarantee, meant)
                if not kept:
                    broken.setdefault(size, {})[group[0], some] = meant
    return broken


def is_diverse(case: MixedCase, guarantee: Any, meant: list[int]) -> bool:
    if guarantee.column == "items":
        held = [sum(item in case.records[i].items for i in meant) for item in SENSITIVE]
        return all(number * guarantee.l <= len(meant) for number in held)
    values = [case.records[i].ill for i in meant]
    seen = Counter(value for value in values if value is not None and value.strip() not in ("", "*"))
    hidden = len(values) - sum(seen.values())
    return all((seen[value] + hidden) * guarantee.l <= len(values) for value in [*seen, "another"])


def parts_of(guarantee: Any) -> tuple[str, ...]:
    return ("k",) if guarantee.name == "k-km-anonymity" else ("k", "l")


def is_kept(case: MixedCase, guarantee: Any) -> bool:
    return not any(broken_by_size(case, guarantee, part) for part in parts_of(guarantee))


def disagreements(case: MixedCase, guarantee: Any, verdict: Verdict) -> list[str]:
    """Where the verdict differs from the definition: the answer, the number of combinations, the witnesses and their rows."""
    (check,) = (one for one in verdict.checks if one.name == guarantee.technical())
    found = [broken for part in parts_of(guarantee) if (broken := broken_by_size(case, guarantee, part))]
    if check.passed != (not found):
        return [f"{check} for {found}"]
    wrong, expected, said = [], {}, 0
    for broken in found:
        first = broken[min(broken)]
        said += min(5, len(first))
        number = f"{len(first)} break"
        if number not in check.detail:
            wrong.append(f"{check.detail} for {number}")
        for (start, some), meant in first.items():
            values = tuple(shown(one) for one in case.records[start].values)
            expected[values, some, len(meant)] = tuple(i + 1 for i in meant)
    witnesses = [one for one in verdict.witnesses if one.guarantee == guarantee.technical()]
    if len(witnesses) != said:
        wrong.append(f"{len(witnesses)} witnesses where {said} should be")
    for one in witnesses:
        values = tuple(text for name, text in one.values if name in ("age", "town"))
        some = frozenset(pair for pair in one.values if pair[0] in ("items", "more"))
        if expected.get((values, some, one.size)) != one.rows:
            wrong.append(f"{one} is not among {expected}")
    return wrong


def shown(value: Value) -> str | None:
    """A value as it stands in a witness."""
    return repr(value) if isinstance(value, float) else value


# ---- originals ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BlurredCase:
    """Clusters of original records, and what each shows. `of` says which original a published record was."""

    originals: tuple[Record, ...]
    published: tuple[Record, ...]
    of: tuple[int, ...]
    two: bool

    def terms(self, *guarantees: Guarantee, **more: Any) -> Terms:
        return MixedCase(self.published, self.two, False).terms(*guarantees, **more)

    def original(self) -> pa.Table:
        return table_of(self.originals, two=self.two)

    def release(self) -> pa.Table:
        return table_of(self.published, two=self.two)

    def assignment(self) -> pa.Table:
        pairs = [(self.originals[i], one) for i, one in zip(self.of, self.published, strict=True)]
        columns: dict[str, pa.Array] = {}
        for side, place in (("raw", 0), ("shown", 1)):
            table = table_of(tuple(pair[place] for pair in pairs), two=self.two)
            columns |= {f"{side}:{name}": table[name] for name in table.column_names if name != "ill"}
        columns["other:ill"] = pa.array([one.ill for _, one in pairs], pa.string())
        return pa.table(columns | {"records": pa.array([1] * len(pairs), pa.int64())})


def random_blurred(rng: random.Random) -> BlurredCase:
    two = rng.random() < 0.3
    number = rng.randint(1, 6)
    originals = tuple(
        Record(
            (rng.choice(("21", "25", "34")), rng.choice(("Bern", "Basel"))),
            random_set(rng) | frozenset(item for item in SENSITIVE if rng.random() < 0.2),
            random_set(rng, 0.3) if two else frozenset(),
            rng.choice(("flu", "ulcer")),
        )
        for _ in range(number)
    )
    order = rng.sample(range(number), number)
    cut = rng.randint(1, number)
    published: list[Record] = []
    for members in filter(None, (order[:cut], order[cut:])):
        published += blurred(rng, [originals[i] for i in members], vocabulary_of(originals))
    return BlurredCase(originals, tuple(published), tuple(order), two)


def vocabulary_of(originals: tuple[Record, ...]) -> dict[str, Set]:
    """By column: the items that are in the data."""
    return {
        "items": frozenset().union(*(one.items for one in originals)),
        "more": frozenset().union(*(one.more for one in originals)),
    }


def blurred(rng: random.Random, members: list[Record], vocabulary: dict[str, Set]) -> list[Record]:
    """What a cluster shows: one value of each column, and items through one mapping."""
    ages = {str(one.values[0]) for one in members}
    age = ages.pop() if len(ages) == 1 else rng.choice(("20-39", f"{min(ages)}-{max(ages)}", "*"))
    towns = {str(one.values[1]) for one in members}
    town = towns.pop() if len(towns) == 1 else "{Basel, Bern}"
    labels = [random_labels(rng, words) for words in vocabulary.values()]
    return [
        Record(
            (age, town),
            frozenset(labels[0].get(item, item) for item in one.items),
            frozenset(labels[1].get(item, item) for item in one.more),
            one.ill,
        )
        for one in members
    ]


def random_labels(rng: random.Random, words: Set) -> dict[str, str]:
    """A partition of the items, each with the label of its part."""
    parts: dict[int, list[str]] = {}
    for item in sorted(words.difference(SENSITIVE)):
        parts.setdefault(rng.randint(0, 4), []).append(item)
    return {item: label(part) for part in parts.values() for item in part}


def label(items: list[str]) -> str:
    return items[0] if len(items) == 1 else f"({','.join(sorted(items))})"


def spoilt(rng: random.Random, case: BlurredCase) -> BlurredCase:
    """One published record changed a little."""
    published = list(case.published)
    at = rng.randrange(len(published))
    one, other = published[at], rng.choice(published)
    published[at] = rng.choice(
        (
            replace(one, values=other.values),
            replace(one, values=("21", one.values[1])),
            replace(one, items=other.items),
            replace(one, items=one.items ^ {rng.choice((*ITEMS, *SENSITIVE))}),
            replace(one, items=one.items | {"(ale,hiv)"}),
            replace(one, ill=rng.choice(("flu", "ulcer", "colic"))),
        )
    )
    return replace(case, published=tuple(published))


def covers(shown_: Record, raw: Record, vocabulary: dict[str, Set]) -> bool:
    """Whether a published record may be this original. A label that names what is no item stands for nothing."""
    age, town = (str(value) for value in shown_.values)
    ages = {"*": ("21", "25", "34"), "20-39": ("21", "25", "34")}
    low, _, high = age.partition("-")
    fits_age = raw.values[0] in ages.get(age, ()) or low <= str(raw.values[0]) <= (high or low)
    fits_town = town in (raw.values[1], "{Basel, Bern}")
    if not (fits_age and fits_town) or shown_.ill != raw.ill:
        return False
    if shown_.items & set(SENSITIVE) != raw.items & set(SENSITIVE):
        return False
    sides = ((shown_.items, raw.items, vocabulary["items"]), (shown_.more, raw.more, vocabulary["more"]))
    for i, (labels, items, words) in enumerate(sides):
        hidden = set(SENSITIVE) if i == 0 else set()
        meant = [members_of(one, words - hidden) for one in labels - hidden]
        known = items - hidden
        if any(not known & one for one in meant) or any(not any(item in one for one in meant) for item in known):
            return False
    return True


def members_of(text: str, words: Set) -> Set:
    named = frozenset(text[1:-1].split(",")) if text.startswith("(") else frozenset([text])
    return named if named <= words else frozenset()


def is_blurred(case: BlurredCase) -> bool:
    """Whether every published record can be given an original of its own, by augmenting paths."""
    vocabulary = vocabulary_of(case.originals)
    taken: dict[int, int] = {}

    def place(j: int, seen: set[int]) -> bool:
        for i, raw in enumerate(case.originals):
            if i not in seen and covers(case.published[j], raw, vocabulary):
                seen.add(i)
                if i not in taken or place(taken[i], seen):
                    taken[i] = j
                    return True
        return False

    return all(place(j, set()) for j in range(len(case.published)))
