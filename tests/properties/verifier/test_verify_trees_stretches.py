"""Trees that are read and counted a stretch after the other: the verdict is that of all of them at once."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.published_trees import HIERARCHIES, TreeCase, random_case, random_guarantees, random_recoded
from shoal.verifier.audit import audit
from shoal.verifier.files import aside
from shoal.verifier.sql.duckdb import connection
from shoal.verifier.trees import audit as auditing
from shoal.verifier.trees import counting, facts, reading
from shoal.verifier.trees import telling_apart as telling
from shoal.verifier.trees.cover import trees_of
from shoal.verifier.trees.facts import facts_of
from shoal.verifier.trees.reading import read_facts, read_trees
from shoal.verifier.trees.telling_apart import Sets, same_sets

if TYPE_CHECKING:
    from pathlib import Path

CASES = 40


@settings(deadline=None)
@given(st.lists(st.frozensets(st.integers(0, 6)), max_size=12), st.sampled_from([np.int32, np.int64]), st.booleans())
def test_same_sets(sets: list[frozenset[int]], kind: type, collide: bool) -> None:
    """Numbered as they come, whatever the hash says."""
    edges = np.cumsum([0, *map(len, sets)])
    members = np.array([one for some in sets for one in sorted(some)], kind)
    number: dict[frozenset[int], int] = {}
    expected = [number.setdefault(one, len(number)) for one in sets]
    with pytest.MonkeyPatch.context() as patch:
        if collide:
            patch.setattr(telling, "_mixed", lambda numbers: np.zeros(len(numbers), np.uint64))
        patch.setattr(telling, "_SETS", 3)
        assert same_sets(edges, members).tolist() == expected
    assert telling._by_bytes(edges, members).tolist() == expected


@settings(deadline=None)
@given(st.lists(st.lists(st.frozensets(st.integers(0, 6)), max_size=9), max_size=6), st.integers(1, 50), st.booleans())
def test_sets_of_many_stretches(stretches: list[list[frozenset[int]]], about: int, collide: bool) -> None:
    """In buckets, on disk, they have the numbers that they have at once."""
    whole = [one for stretch in stretches for one in stretch]
    number: dict[frozenset[int], int] = {}
    expected = [number.setdefault(one, len(number)) for one in whole]
    with pytest.MonkeyPatch.context() as patch:
        if collide:
            patch.setattr(telling, "_mixed", lambda numbers: np.zeros(len(numbers), np.uint64))
        patch.setattr(telling, "MEMBERS", 5)
        patch.setattr(aside, "_FEW", 2)
        sets = Sets(about)
        for stretch in stretches:
            edges = np.cumsum([0, *map(len, stretch)])
            sets.add(edges, np.array([one for some in stretch for one in sorted(some)], np.int32))
        found = sets.numbers()
    assert [len(one) for one in found] == [len(stretch) for stretch in stretches]
    assert [one for some in found for one in some.tolist()] == expected


@pytest.mark.parametrize("rows", [1, 3, 100])
def test_what_is_read_in_stretches_is_what_is_read_at_once(
    rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_ROWS", rows)
    monkeypatch.setattr(telling, "MEMBERS", 7)
    monkeypatch.setattr(facts, "AT_ONCE", 11)
    monkeypatch.setattr(aside, "_FEW", 5)
    rng = random.Random(f"read {rows}")
    for _ in range(CASES):
        case = random_case(rng)
        path = tmp_path / "release.jsonl"
        path.write_text("".join(json.dumps(_shuffled(rng, one)) + "\n" for one in case.objects()))
        for data in (case.arrow(), path):
            whole = read_trees("release", data, case.schema.shape, ("ill",))
            trees, found = read_facts("release", data, case.schema.shape, ("ill",))
            expected = facts_of(whole)
            assert len(trees.record) == 0
            assert (trees.labels, trees.records, trees.names) == (whole.labels, whole.records, whole.names)
            assert (trees.disordered, trees.marks) == (whole.disordered, whole.marks)
            assert trees.others.equals(whole.others)
            assert (found.twins, found.nodes) == (expected.twins, expected.nodes) == (found.twins, len(whole.label))
            assert found.tree.tolist() == expected.tree.tolist()
            assert trees_of(trees, found) == trees_of(whole, expected)


def _shuffled(rng: random.Random, node: dict) -> dict:  # type: ignore[type-arg]
    """Siblings in another order, and one of them twice."""
    made = {}
    for name, below in node.items():
        if isinstance(below, list):
            nodes = [_shuffled(rng, one) for one in below]
            rng.shuffle(nodes)
            made[name] = [*nodes, nodes[0]] if nodes and rng.random() < 0.1 else nodes
        else:
            made[name] = below
    return made


def _at_once(patch: pytest.MonkeyPatch) -> None:
    """As everything is read where nodes are looked at one by one."""
    read = auditing._Audit._read
    patch.setattr(auditing._Audit, "_read", lambda self, view, data, nodes=True: read(self, view, data, nodes=True))


@pytest.mark.parametrize(("paths", "keys"), [(1, 1), (4, 2), (9, 1 << 20)])
def test_verdicts_are_the_same(paths: int, keys: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(f"stretches {paths}")
    passed = 0
    with connection() as con:
        con.execute("SET threads = 1")
        for _ in range(CASES):
            case, asked = random_case(rng), random_guarantees(rng)
            with pytest.MonkeyPatch.context() as patch, con.cursor() as one:
                _at_once(patch)
                expected = audit(one, case.arrow(), case.terms(*asked))
            with pytest.MonkeyPatch.context() as patch, con.cursor() as one:
                patch.setattr(facts, "AT_ONCE", paths)
                patch.setattr(counting, "HELD", keys)
                patch.setattr(reading, "_ROWS", 3)
                patch.setattr(aside, "_FEW", 4)
                patch.setattr(telling, "MEMBERS", 6)
                assert audit(one, case.arrow(), case.terms(*asked)) == expected
            passed += expected.passed
    assert 0 < passed < CASES


def test_verdicts_against_originals_are_the_same() -> None:
    rng = random.Random("stretches of originals")
    with connection() as con:
        con.execute("SET threads = 1")
        for _ in range(CASES):
            original, release, rules = random_recoded(rng)
            wrong = TreeCase(release.records[1:] + original.records[:1])
            for published in (release, wrong):
                terms = published.terms(random_guarantees(rng)[0], hierarchies=HIERARCHIES, suppression_limit=1)
                verdicts = []
                for small in (False, True):
                    with pytest.MonkeyPatch.context() as patch, con.cursor() as one:
                        if small:
                            patch.setattr(facts, "AT_ONCE", 3)
                            patch.setattr(reading, "_ROWS", 2)
                            patch.setattr(aside, "_FEW", 4)
                            patch.setattr(telling, "MEMBERS", 5)
                        else:
                            _at_once(patch)
                        given = {"original": original.arrow(), "rules": rules}
                        verdicts.append(audit(one, published.arrow(), terms, **given))
                assert verdicts[0] == verdicts[1]
