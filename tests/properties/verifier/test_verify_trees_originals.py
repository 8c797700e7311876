"""Trees against originals: what was done passes, by rules or by an assignment, and what was changed afterwards does not."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given, settings

from oracles.published_trees import (
    HIERARCHIES,
    ILL,
    Record,
    Tree,
    TreeCase,
    closed,
    json_of,
    planted,
    random_recoded,
    random_tree,
)
from oracles.trees_by_hand import FIRST, SHAPE, forests, recodings
from shoal.guarantees import KMNAnonymity
from shoal.verifier import verify_release
from shoal.verifier.trees.rules import Rules

if TYPE_CHECKING:
    from shoal.data.trees import Forest
    from shoal.recoding.trees.rules import TreeRecoding

PROMISE = KMNAnonymity(2, 1, 0)
COVERED = "nothing lost or invented"


def checks_of(release: TreeCase, original: TreeCase, limit: int = 0, **more: Any) -> dict[str, bool]:
    terms = release.terms(PROMISE, hierarchies=HIERARCHIES, suppression_limit=limit)
    verdict = verify_release(release.arrow(), terms, original=original.arrow(), **more)
    return {check.name: check.passed for check in verdict.checks}


# ---- rules -------------------------------------------------------------------------------------------------------------


def as_case(forest: Forest, names: list[tuple[str, str]]) -> TreeCase:
    """names: class and text of each label"""
    return TreeCase(
        tuple(
            Record(frozenset(tuple(names[label] for label in path) for path in forest.paths(i)), ILL[i % 2])
            for i in range(len(forest))
        )
    )


def raw_names() -> list[tuple[str, str]]:
    return [
        (name, str(HIERARCHIES[name].labels[i]))
        for number, name in enumerate(SHAPE.names)
        for i in range(int(FIRST[1]))
    ]


@settings(max_examples=30, deadline=None)
@given(forests(), recodings())
def test_what_a_recoding_shows_is_what_its_rules_say(forest: Forest, recoding: TreeRecoding) -> None:
    shown = [recoding.name_of(label) for label in range(int(recoding.first_shown[-1]))]
    original = as_case(forest, raw_names())
    release = as_case(recoding.over(forest), shown)
    told = json.loads(json.dumps(recoding.to_json()))
    found = checks_of(release, original, rules=told)
    assert found["rules"] and found[COVERED] and found["labels"]
    fewer = replace(release, records=release.records[1:])
    assert checks_of(fewer, original, limit=1, rules=told)[COVERED]
    more = replace(release, records=(*release.records, release.records[0]))
    found = checks_of(more, original, rules=told)
    assert not found[COVERED] and not found["suppression"]


@settings(max_examples=30, deadline=None)
@given(forests(), recodings())
def test_a_changed_release_is_found(forest: Forest, recoding: TreeRecoding) -> None:
    shown = [recoding.name_of(label) for label in range(int(recoding.first_shown[-1]))]
    original, release = as_case(forest, raw_names()), as_case(recoding.over(forest), shown)
    rng = random.Random(len(forest.labels))
    wrong = planted(rng, release)
    same = Counter(wrong.records) == Counter(release.records)
    assert checks_of(wrong, original, rules=recoding.to_json())[COVERED] == same


def test_rules_written_by_hand() -> None:
    """Against a third way to apply them: node by node."""
    rng = random.Random("by hand")
    changed = 0
    for _ in range(25):
        original, release, rules = random_recoded(rng)
        assert checks_of(release, original, rules=rules)[COVERED]
        wrong = planted(rng, release)
        same = Counter(wrong.records) == Counter(release.records)
        assert checks_of(wrong, original, rules=rules)[COVERED] == same
        changed += not same
    assert changed


def test_from_the_root_downwards() -> None:
    """A path that is cut short gives nothing else; and no two labels that are to be kept apart stand above each other."""
    rng = random.Random("order")
    classes = ("a", "b", "c", "d", "e")
    for _ in range(400):
        path = tuple((name, f"{name}{rng.randrange(2)}") for name in classes)
        pairs = [(x, y) for i, x in enumerate(path) for y in path[i + 1 :]]
        apart = frozenset(rng.sample(pairs, rng.randint(0, 5)))
        rules = Rules({}, apart)
        whole = closed(rules.over(path))
        assert whole == closed(one for stop in range(1, 6) for one in rules.over(path[:stop]))
        assert not any((x, y) in apart for one in whole for i, x in enumerate(one) for y in one[i + 1 :])
        assert {label for one in whole for label in one} == set(path)


def test_the_order_of_parting_matters() -> None:
    a, b, c, d = path = tuple((name, name) for name in "abcd")
    assert Rules({}, frozenset({(a, b), (b, c)})).over(path) == {(a, c, d), (b,)}
    other_way_round = {(a, d), (a, c), (b,)}  # first b from c in a b c d, then a from b in a b d
    first = Rules({}, frozenset({(b, c)})).over(path)
    assert {one for some in first for one in Rules({}, frozenset({(a, b)})).over(some)} == other_way_round


def case(*trees: Tree, ills: tuple[str | None, ...] = ()) -> TreeCase:
    ills = ills or ("flu",) * len(trees)
    return TreeCase(tuple(Record(tree, ill) for tree, ill in zip(trees, ills, strict=True)))


ULM = closed([(("place", "place0"), ("illness", "illness0"))])


@pytest.mark.parametrize(
    "shown",
    [
        {"place": {"place0": "placeb"}},  # a label that stands for others
        {"place": {"place0": "nowhere"}},
        {"place": {"placea": "place"}},  # not a value
        {"street": {"x": "y"}},
    ],
)
def test_rules_that_do_not_cover(shown: dict[str, Any]) -> None:
    found = checks_of(case(ULM, ULM), case(ULM, ULM), rules={"kind": "trees", "shown": shown, "apart": []})
    assert not found["rules"]


def test_pairs_that_never_stand_above_each_other() -> None:
    rules = {"kind": "trees", "shown": {}, "apart": [[["sex", "sex0"], ["illness", "illness0"]]]}
    assert not checks_of(case(ULM), case(ULM), rules=rules)["rules"]


@pytest.mark.parametrize(
    "told",
    [
        {},
        [],
        "trees",
        {"kind": "items", "shown": {}, "apart": []},
        {"kind": "trees", "shown": [], "apart": []},
        {"kind": "trees", "shown": {"place": {"place0": 3}}, "apart": []},
        {"kind": "trees", "shown": {}, "apart": [["a", "b"]]},
        {"kind": "trees", "shown": {}, "apart": [], "more": 1},
    ],
)
def test_rules_of_another_form_are_refused(told: Any) -> None:
    from shoal.errors import DataError

    with pytest.raises(DataError, match="do not have the form"):
        checks_of(case(ULM), case(ULM), rules=told)


def test_without_rules_and_assignment_it_does_not_pass() -> None:
    assert not checks_of(case(ULM, ULM), case(ULM, ULM))[COVERED]
    verdict = verify_release(case(ULM, ULM).arrow(), case(ULM).terms(PROMISE))
    assert verdict.passed
    assert any("not compared with the original" in warning for warning in verdict.warnings)


def test_original_values_that_the_hierarchy_does_not_know() -> None:
    stranger = closed([(("place", "elsewhere"),)])
    rules = {"kind": "trees", "shown": {"place": {}}, "apart": []}
    assert not checks_of(case(stranger), case(stranger), rules=rules)["rules"]


def test_other_columns_belong_to_their_trees() -> None:
    rules = {"kind": "trees", "shown": {}, "apart": []}
    empty: Tree = frozenset()
    original = case(ULM, empty, ills=("flu", "gout"))
    assert checks_of(case(empty, ULM, ills=("gout", "flu")), original, rules=rules)[COVERED]
    assert not checks_of(case(empty, ULM, ills=("flu", "gout")), original, rules=rules)[COVERED]
    assert not checks_of(case(empty, ULM, ills=("gout", None)), original, rules=rules)[COVERED]


# ---- assignments -------------------------------------------------------------------------------------------------------


def clustered(rng: random.Random) -> tuple[TreeCase, TreeCase, list[tuple[Record, Record]]]:
    """Original, release and who shows what: paths shortened, values taken out, labels put in their place."""
    pairs = []
    for _ in range(rng.randint(1, 6)):
        raw = Record(random_tree(rng, 4), rng.choice(ILL))
        shown = []
        for path in raw.tree:
            kept = [(name, value) for name, value in path if rng.random() < 0.7]
            shown.append(tuple((name, lifted(rng, name, value)) for name, value in kept))
        pairs.append((raw, Record(closed(shown), raw.ill)))
    shown_records = [shown for _, shown in pairs]
    rng.shuffle(shown_records)
    return TreeCase(tuple(raw for raw, _ in pairs)), TreeCase(tuple(shown_records)), pairs


def lifted(rng: random.Random, name: str, value: str) -> str:
    tree = HIERARCHIES[name]
    leaf = tree.code(value)
    assert leaf is not None
    return str(tree.label(leaf, rng.randint(0, 2)))


def assignment(pairs: list[tuple[Record, Record]]) -> pa.Table:
    counts = Counter(pairs)
    return pa.table(
        {
            "raw": pa.array([json.dumps(json_of(raw.tree, SHAPE.names)) for raw, _ in counts], pa.string()),
            "shown": pa.array([json.dumps(json_of(shown.tree, SHAPE.names)) for _, shown in counts], pa.string()),
            "other:ill": pa.array([raw.ill for raw, _ in counts], pa.string()),
            "records": pa.array(list(counts.values()), pa.int64()),
        }
    )


def test_assignments() -> None:
    rng = random.Random("told trees")
    refused = 0
    for _ in range(20):
        original, release, pairs = clustered(rng)
        right = assignment(pairs)
        assert checks_of(release, original, assignment=right)[COVERED]
        assert not checks_of(release, original, assignment=right.slice(1))[COVERED]
        fewer = replace(release, records=release.records[1:])
        without = list(pairs)
        without.remove(next(pair for pair in pairs if pair[1] == release.records[0]))
        assert checks_of(fewer, original, limit=1, assignment=assignment(without))[COVERED]
        wrong = planted(rng, release)
        if Counter(wrong.records) != Counter(release.records):
            assert not checks_of(wrong, original, assignment=right)[COVERED]
            refused += 1
    assert refused


def test_an_assignment_that_invents() -> None:
    """The numbers agree, but a record would show what it does not hold: a value, a pair, or values of two paths on one."""
    two = closed([(("place", "place0"), ("illness", "illness0")), (("place", "place1"), ("illness", "illness1"))])
    for tree in (
        closed([(("place", "place2"),)]),
        closed([(("place", "place0"), ("illness", "illness1"))]),
        closed([(("place", "place0"), ("illness", "illness0"), ("cure", "cure0"))]),
        closed([(("place", "placeb"),)]),
    ):
        shown = Record(tree, "flu")
        pairs = [(Record(two, "flu"), shown)]
        assert not checks_of(TreeCase((shown,)), case(two), assignment=assignment(pairs))[COVERED]
    fine = Record(closed([(("place", "placea"), ("illness", "illnessa")), (("illness", "illness1"),)]), "flu")
    assert checks_of(TreeCase((fine,)), case(two), assignment=assignment([(Record(two, "flu"), fine)]))[COVERED]
