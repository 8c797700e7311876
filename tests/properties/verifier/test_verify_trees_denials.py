"""Verdicts where somebody may know what a person does not have, against the definition in plain Python sets."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.published_trees import HIERARCHIES, Record, TreeCase, closed
from shoal.data.schema import Column, Role, Schema
from shoal.guarantees import KMNAnonymity
from shoal.verifier import Terms, verify_release

PLACES = [f"place{i}" for i in range(4)]
CUTS: list[dict[str, str | None]] = [  # what each place is shown as
    {},
    {"place0": "placea", "place1": "placea"},
    {"place0": "placea", "place1": "placea", "place2": "placeb", "place3": "placeb"},
    {"place1": "placea"},  # place0 has stepped out of the group, which stands for one value then
    {"place0": "place", "place1": "place", "place3": "place"},
    {"place3": None},
]


def expected(records: list[set[str]], cut: dict[str, str | None], negated: set[str], k: int, m: int) -> bool:
    stands_for: dict[str, set[str]] = {}
    for place in PLACES:
        label = cut.get(place, place)
        if label is not None:
            stands_for.setdefault(label, set()).add(place)
    shown = [{label for one in record if (label := cut.get(one, one)) is not None} for record in records]
    denied = {label for label, values in stands_for.items() if values <= negated and len(values) <= m}
    denied &= set().union(*shown)  # of what nobody shows nothing is learnt
    known = [{*labels, *(f"not {label}" for label in denied - labels)} for labels in shown]
    return all(
        sum(set(items) <= other for other in known) >= k
        for labels in known
        for size in range(m + 1)
        for items in combinations(sorted(labels), size)
    )


@given(
    st.lists(st.sets(st.sampled_from(PLACES)), min_size=2, max_size=10),
    st.integers(0, 2),
    st.sampled_from(CUTS),
    st.sets(st.sampled_from(PLACES), min_size=1),
    st.integers(2, 3),
    st.integers(1, 3),
    st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_denials_count(
    records: list[set[str]], more: int, cut: dict[str, str | None], negated: set[str], k: int, m: int, told: bool
) -> None:
    """told: the verifier knows the rules; it must not need them."""
    records = records + records[: len(records) // 2] * more
    trees = [closed([(("place", cut.get(one, one)),) for one in record if cut.get(one, one)]) for record in records]  # type: ignore[misc]
    release = TreeCase(tuple(Record(tree, None) for tree in trees), (("place", None),))
    schema = Schema(
        (
            Column("ill", Role.SENSITIVE, accept_unique=True),
            Column("place", Role.QUASI, "node", negated=tuple(sorted(negated))),
        )
    )
    terms = Terms(schema, (KMNAnonymity(k, m, 0),), {"place": HIERARCHIES["place"]})
    rules: Any = {"kind": "trees", "shown": {"place": cut}, "apart": []}
    verdict = verify_release(release.arrow(), terms, rules=rules if told else None)
    by_name = {check.name: check.passed for check in verdict.checks}
    assert by_name["values that are absent"]
    right = expected(records, cut, negated, k, m)
    passed = by_name[terms.guarantees[0].technical()]
    if told:
        assert passed == right
    elif passed:  # of what a label could stand for and nobody has, only the rules tell
        held = {one for record in records for one in record}
        assert right or (any(label for label in cut.values()) and held != set(PLACES))
    for witness in verdict.witnesses:
        assert all(name in ("place", "not place") for name, _ in witness.values)
