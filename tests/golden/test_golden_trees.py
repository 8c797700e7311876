"""The worked examples of paper 000, by id."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from oracles.published_trees import Record, TreeCase, closed
from shoal.guarantees import KMNAnonymity, KMNDiversity
from shoal.verifier import verify_release
from shoal.verifier.trees.rules import Rules


@pytest.fixture(scope="session")
def golden_trees(shared):
    """The cases by id."""
    return {case["id"]: case for case in json.loads((shared / "golden" / "000_tree.json").read_text())["cases"]}


def paths_of(record, classes):
    """Of texts such as `a/b/d`; classes: by value."""
    return [tuple((classes[value], value) for value in text.split("/")) for text in record]


def case_of(records, parents, classes, ills=None):
    ills = ills or [f"{i}" for i in range(len(records))]
    made = (Record(closed(paths_of(one, classes)), ill) for one, ill in zip(records, ills, strict=True))
    return TreeCase(tuple(made), tuple(parents.items()))


def answer(case, guarantee, **more):
    """Whether the promise is kept, as the verifier says, and its verdict."""
    verdict = verify_release(case.arrow(), case.terms(guarantee), **more)
    (check,) = (one for one in verdict.checks if one.name == guarantee.technical())
    return check.passed, verdict


def told(witness):
    """What a witness says: its values, and its drawing without the lines that draw."""
    return {text for _, text in witness.values}, [line.strip("│├└─ ") for line in witness.drawn[1:]]


HOSPITALS = {"hospital": None, "disease": "hospital", "treatment": "disease"}


def hospital_class(value):
    if value.startswith(("Hospital", "Rea", "Gaia")):
        return "hospital"
    return "treatment" if value in ("Antibiotics", "Painkillers", "Medicine") else "disease"


class ByName(dict):
    def __missing__(self, value):
        return hospital_class(value)


FLAT = {"one": None}
ABC = {"a": None, "b": "a", "c": None}


def test_exact_m(golden_trees):
    case = golden_trees["000-ce-exact-m"]
    params = case["params"]
    release = case_of(case["input"]["records"], FLAT, {"a": "one", "b": "one"})
    passed, verdict = answer(release, KMNAnonymity(params["k"], params["m"], params["n"]))
    assert not passed
    (witness,) = verdict.witnesses
    assert (witness.values, witness.rows) == ((("one", "a"),), (1,))


def test_unrelated_item(golden_trees):
    case = golden_trees["000-ce-unrelated-item"]
    params = case["params"]
    release = case_of(case["input"]["records"], ABC, {"a": "a", "b": "b", "c": "c"})
    for mode in ("pairwise", "strict"):
        passed, verdict = answer(release, KMNAnonymity(params["k"], params["m"], params["n"], mode))
        assert not passed
        (expected,) = case["expected"]["violations"]
        (witness,) = verdict.witnesses
        assert {text for _, text in witness.values} == set(expected["items"])
        assert list(witness.rows) == expected["records"]
        assert witness.drawn == ("(someone)", "├─ a = a", "│  └─ b = b", "└─ c = c")
    assert answer(release, KMNAnonymity(2, 2, 1))[0]


def test_running_example(golden_trees):
    case = golden_trees["000-running-example"]
    params, expected = case["params"], case["expected"]
    promise = KMNAnonymity(params["k"], params["m"], params["n"])
    before = case_of(expected["projected"], HOSPITALS, ByName())
    passed, verdict = answer(before, promise)
    assert not passed
    found = sorted(
        ("~>".join(told(one)[1][i].split(" = ")[1] for i in range(2)), list(one.rows)) for one in verdict.witnesses
    )
    assert found == sorted((name, rows) for name, rows in expected["violations_before"])
    assert answer(before, KMNAnonymity(3, 2, 0, "pairwise"))[0] is expected["projected_is_3_2_anonymous"]
    after = case_of(expected["published"], HOSPITALS, ByName())
    assert answer(after, promise)[0]
    assert answer(after, KMNAnonymity(3, 2, 1, "pairwise"))[0]
    # the attack on the original data
    raw = case_of(case["input"]["records"], HOSPITALS, ByName())
    assert not answer(raw, promise)[0]


def test_running_example_is_what_the_rules_say(golden_trees):
    case = golden_trees["000-running-example"]
    expected = case["expected"]
    shown = {"hospital": {}, "disease": {}, "treatment": {}}
    for value, label in case["input"]["generalization"].items():
        shown[hospital_class(value)][value] = label
    rules = Rules.read({"kind": "trees", "shown": shown, "apart": pairs(expected["disassociations"], ByName())})
    for raw, published in zip(case["input"]["records"], expected["published"], strict=True):
        assert applied(rules, raw, ByName()) == closed(paths_of(published, ByName()))


def test_same_node_embedding(golden_trees):
    case = golden_trees["000-ce-same-node-embedding"]
    params = case["params"]
    classes = {"a": "place", "c": "place", "b": "illness", "d": "cure"}
    release = case_of(case["input"]["records"], {"place": None, "illness": "place", "cure": "illness"}, classes)
    for m in range(1, params["m"] + 1):
        for n in range(params["n"] + 1):
            assert answer(release, KMNAnonymity(params["k"], m, n, "pairwise"))[0]
    passed, verdict = answer(release, KMNAnonymity(params["k"], params["m"], params["n"], "strict"))
    assert not passed
    (witness,) = verdict.witnesses
    assert list(witness.rows) == case["expected"]["records_with_one_path_containing_a_b_d"]
    assert witness.drawn == ("(someone)", "└─ place = a", "   └─ illness = b", "      └─ cure = d")
    assert answer(release, KMNAnonymity(params["k"], 2, 1, "strict"))[0]


def test_star_merges_classes(golden_trees):
    case = golden_trees["000-ce-star-merges-classes"]
    params, parents, classes = case["params"], {"a": None, "b": "a"}, {"a": "a", "b": "b"}
    promise = KMNAnonymity(params["k"], params["m"], params["n"])
    raw = case_of(case["input"]["records"], parents, classes)
    assert not answer(raw, promise)[0]
    # `*` as a value of both classes: equal texts are labels of two classes, and the relation between them counts
    stars = [[path.replace("a", "*a").replace("b", "*b") for path in record] for record in case["input"]["records"]]
    starred = case_of(stars, parents, {"*a": "a", "*b": "b"})
    literal = TreeCase(
        tuple(
            Record(frozenset(tuple((of, "*") for of, _ in path) for path in one.tree), one.ill)
            for one in starred.records
        ),
        starred.parents,
    )
    passed, verdict = answer(literal, promise)
    assert not passed
    assert verdict.witnesses[0].rows == (1,)
    empty = case_of(case["expected"]["required"]["published"], parents, classes)
    assert answer(empty, promise)[0]
    rules = {"kind": "trees", "shown": {"a": {"a": None}, "b": {"b": None}}, "apart": []}
    same = [Record(one.tree, "x") for one in raw.records]
    verdict = verify_release(
        TreeCase(tuple(Record(frozenset(), "x") for _ in same), raw.parents).arrow(),
        raw.terms(promise),
        original=TreeCase(tuple(same), raw.parents).arrow(),
        rules=rules,
    )
    assert verdict.passed


def test_ldiversity_not_monotone(golden_trees):
    case = golden_trees["000-ce-ldiversity-not-monotone"]
    params = case["params"]
    records = case["input"]["records"]
    # who has no sensitive value there has one of their own here: a missing one would be counted as the most frequent
    ills = [one["sensitive"] or f"other {i}" for i, one in enumerate(records)]
    promise = KMNDiversity(params["k"], params["m"], 0, params["l"], "ill", "frequency")
    classes = dict.fromkeys("pqzP", "one")
    fine = case_of([one["items"] for one in records], FLAT, classes, ills)
    assert answer(fine, promise)[0]
    shown = case["input"]["coarse_cut"]
    coarse = case_of([{shown.get(i, i) for i in one["items"]} for one in records], FLAT, classes, ills)
    passed, verdict = answer(coarse, promise)
    assert not passed
    (witness,) = verdict.witnesses
    assert witness.values == (("one", "P"),)
    held = sum(ills[row - 1] == "s" for row in witness.rows)
    assert Fraction(held, witness.size) == Fraction(case["expected"]["max_frequency_coarse_cut"]["exact"])
    for release in (fine, coarse):
        assert answer(release, KMNDiversity(params["k"], params["m"], 0, params["l"], "ill", "distinct"))[0]


# ---- what rules make of a record -----------------------------------------------------------------------------------------


def pairs(texts, classes):
    return [[[classes[value], value] for value in text.split("~>")] for text in texts]


def applied(rules, record, classes):
    return closed(path for one in closed(paths_of(record, classes)) for path in rules.over(one))


def test_definition_2(golden_trees):
    case = golden_trees["000-definition-2"]
    names = ["g0", "a", "x", "b", "nb", "l"]
    classes = {name: name for name in names}
    rules = Rules.read({"kind": "trees", "shown": {}, "apart": pairs([case["input"]["disassociate"]], classes)})
    record = case["input"]["record"]
    assert applied(rules, record, classes) == closed(paths_of(case["expected"]["record"], classes))
    # the longest paths are those of the definition, to the letter
    (whole,) = paths_of(record, classes)
    assert rules.over(whole) == set(paths_of(case["expected"]["record"], classes))


def test_single_pass(golden_trees):
    case = golden_trees["000-ce-single-pass"]
    params, classes = case["params"], ByName()
    promise = KMNAnonymity(params["k"], params["m"], params["n"])
    for name, kept in (("letter", False), ("required", True)):
        expected = case["expected"][name]
        rules = {"kind": "trees", "shown": {}, "apart": pairs(expected["disassociations"], classes)}
        ills = ["x", "x"]
        raw = case_of(case["input"]["records"], HOSPITALS, classes, ills)
        published = case_of(expected["published"], HOSPITALS, classes, ills)
        passed, verdict = answer(published, promise, original=raw.arrow(), rules=rules)
        assert passed is kept
        assert all(one.passed for one in verdict.checks if one.name != promise.technical())
        if not kept:
            (violation,) = expected["violations"]
            (witness,) = verdict.witnesses
            assert ({text for _, text in witness.values}, list(witness.rows)) == (
                set(violation["items"]),
                violation["records"],
            )
