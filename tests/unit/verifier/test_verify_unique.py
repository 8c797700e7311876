"""Columns that are published as they are and tell people apart: a name left `plain` is not published with a tick."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samples.verify_releases import check, terms
from shoal.data.schema import Column, Role, Schema
from shoal.guarantees import KAnonymity, KKMAnonymity, KMAnonymity, KMNAnonymity
from shoal.verifier import Terms, Verdict, verify_release
from shoal.verifier.unique import NAME


def judged(columns: dict[str, list[Any]], *, accepted: tuple[str, ...] = (), role: Role = Role.PLAIN) -> Verdict:
    number = len(next(iter(columns.values())))
    roles = [Column("age", Role.QUASI), *(Column(name, role, accept_unique=name in accepted) for name in columns)]
    return verify_release(pa.table({"age": ["20-29"] * number, **columns}), terms(schema=Schema(tuple(roles))))


@pytest.mark.parametrize("role", [Role.PLAIN, Role.SENSITIVE])
def test_an_id_left_plain_does_not_pass(role: Role) -> None:
    verdict = judged({"note": [f"n{i}" for i in range(20)], "ward": ["a", "b"] * 10}, role=role)
    assert not verdict.passed
    (failed,) = (one for one in verdict.checks if not one.passed)
    assert failed.name == NAME
    assert "Column 'note' is published as it is, and 20 of 20 records are alone" in failed.detail
    assert "ward" not in failed.detail and "n1" not in failed.detail


@pytest.mark.parametrize(
    ("alone", "records", "passes"),
    [(10, 200, True), (11, 200, False), (9, 20, True), (10, 20, False), (5, 5, False), (4, 5, True), (50, 1000, True)],
)
def test_the_limit_is_five_per_cent_and_ten_people_or_all(alone: int, records: int, passes: bool) -> None:
    values = [f"own {i}" for i in range(alone)] + ["shared"] * (records - alone)
    if records - alone == 1:
        values[-1] = values[0]  # nobody is alone by chance of the remainder
    assert judged({"note": values}).passed is passes


def test_two_columns_together_do_not_pass_either() -> None:
    pair = {"day": [f"{i % 20}" for i in range(400)], "place": [f"{i // 20}" for i in range(400)]}
    (failed,) = (one for one in judged(pair).checks if not one.passed)
    assert "Columns 'day' and 'place' are published as they are, and 400 of 400 records" in failed.detail


def test_what_the_recipe_accepts_passes_and_is_counted() -> None:
    verdict = judged({"note": [f"n{i}" for i in range(20)]}, accepted=("note",))
    assert verdict.passed
    assert "100.0 % of the records are alone" in check(verdict, NAME).detail
    assert verdict.facts["unique"] == [{"columns": ["note"], "records": 20}]


def test_a_pair_is_accepted_by_one_of_its_columns() -> None:
    pair = {"day": [f"{i % 20}" for i in range(400)], "place": [f"{i // 20}" for i in range(400)]}
    verdict = judged(pair, accepted=("place",))
    assert verdict.passed
    assert {"columns": ["day", "place"], "records": 400} in verdict.facts["unique"]


def test_sensitive_items_count_like_a_column() -> None:
    """What a record holds of them is published as it is."""
    kept = tuple(f"s{i}" for i in range(12))
    items = Column("items", Role.QUASI, "set", kept)
    table = pa.table({"age": ["20-29"] * 24, "items": [["a", f"s{i}"] for i in range(12)] + [["a"]] * 12})
    promised = (KKMAnonymity(2, 1),)
    verdict = verify_release(table, Terms(Schema((Column("age", Role.QUASI), items)), promised))
    assert not check(verdict, NAME).passed
    open_ = Column("items", Role.QUASI, "set", kept, accept_unique=True)
    verdict = verify_release(table, Terms(Schema((Column("age", Role.QUASI), open_)), promised))
    assert check(verdict, NAME).passed and verdict.facts["unique"] == [{"columns": ["items"], "records": 12}]


@pytest.mark.parametrize("kind", ["sets", "trees"])
def test_other_kinds_of_release_are_asked_too(kind: str) -> None:
    note = Column("note", Role.PLAIN)
    if kind == "sets":
        table = pa.table({"items": [["a"]] * 20, "note": [f"n{i}" for i in range(20)]})
        promised = Terms(Schema((Column("items", Role.QUASI, "set"), note)), (KMAnonymity(2, 1),))
    else:
        nodes = pa.array([[{"value": "a"}]] * 20, pa.list_(pa.struct([("value", pa.string())])))
        table = pa.table({"note": [f"n{i}" for i in range(20)], "place": nodes})
        promised = Terms(Schema((note, Column("place", Role.QUASI, "node"))), (KMNAnonymity(2, 1, 0),))
    assert [one.name for one in verify_release(table, promised).checks if not one.passed] == [NAME]


values = st.lists(st.integers(0, 9), min_size=2, max_size=30)


@settings(max_examples=25, deadline=None)
@given(values, values, values, st.sampled_from([(), ("a",), ("b",)]))
def test_counts_agree_with_brute_force(a: list[int], b: list[int], c: list[int], accepted: tuple[str, ...]) -> None:
    number = min(len(a), len(b), len(c))
    columns = {name: held[:number] for name, held in (("a", a), ("b", b), ("c", c))}

    def alone(names: tuple[str, ...]) -> int:
        return sum(n == 1 for n in Counter(zip(*(columns[name] for name in names), strict=True)).values())

    def too_many(found: int) -> bool:
        return found > number / 20 and (found >= 10 or found == number)

    every = [names for size in (1, 2) for names in combinations(columns, size)]
    wrong = any(too_many(alone(names)) and not set(accepted) & set(names) for names in every)
    # a pair with a column that is accepted is accepted; so is one with a column that alone is too many, and told already
    verdict = judged(columns, accepted=accepted)
    assert check(verdict, NAME).passed is not wrong
    for one in verdict.facts["unique"]:
        assert one["records"] == alone(tuple(one["columns"]))


def test_a_single_record_is_not_called_unique() -> None:
    table = pa.table({"age": ["20-29"], "note": ["x"]})
    schema = Schema((Column("age", Role.QUASI), Column("note", Role.PLAIN)))
    assert check(verify_release(table, Terms(schema, (KAnonymity(2),))), NAME).passed
