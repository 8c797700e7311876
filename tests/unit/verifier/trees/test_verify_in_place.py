"""Labels left out in place: what the verifier counts, the witness of each breach, and what it does not decide."""

from __future__ import annotations

from typing import Any

import pytest

from oracles.published_trees import Record, TreeCase, closed
from shoal.data.schema import Column, Role, Schema
from shoal.errors import DataError
from shoal.guarantees import KMNAnonymity, KMNDiversity
from shoal.verifier import Terms, verify_release
from shoal.verifier.hierarchies.hierarchy import Hierarchy
from shoal.verifier.verdict import Check, Verdict

PARENTS = {"clinic": None, "illness": "clinic", "cure": "clinic"}
CLASS = {**dict.fromkeys("ABC", "clinic"), **dict.fromkeys(("flu", "ill"), "illness"), "tea": "cure"}
IN_PLACE = "left out in place"
SHOWN, RULES, ONCE = "", ", to whoever knows the rules", ", to whoever knows the rules, and that values occur once"


def case(*records: str) -> TreeCase:
    """Records such as `A>flu B`."""
    paths = ([tuple((CLASS[one], one) for one in path.split(">")) for path in record.split()] for record in records)
    return TreeCase(tuple(Record(closed(one), "x") for one in paths), tuple(PARENTS.items()))


def told(*pairs: str, **shown: Any) -> dict[str, Any]:
    """The rules: pairs such as `A>flu`, of which the second is left out below the first."""
    named = [[[CLASS[one], one] for one in pair.split(">")] for pair in pairs]
    return {"kind": "trees", "shown": {name: shown.get(name, {}) for name in PARENTS}, "apart": [], "out": named}


def judged(release: TreeCase, rules: Any, guarantee: Any, hierarchies: Any = (), **more: Any) -> Verdict:
    return verify_release(release.arrow(), release.terms(guarantee, hierarchies=dict(hierarchies)), rules=rules, **more)


def check(verdict: Verdict, name: str) -> Check:
    (one,) = (one for one in verdict.checks if one.name == name)
    return one


TWO = KMNAnonymity(2, 2, 1)
SOME = case("A B", "A B", "B>flu", "B>flu")


def readings(verdict: Verdict, guarantee: Any = TWO) -> list[bool]:
    """Whether each of the three counts passed."""
    return [check(verdict, f"{guarantee.technical()}{reading}").passed for reading in (SHOWN, RULES, ONCE)]


def witness_of(verdict: Verdict, reading: str, *values: str) -> Any:
    """The witness that names these values."""
    name, named = f"{TWO.technical()}{reading}", {(CLASS[one], one) for one in values}
    (one,) = (one for one in verdict.witnesses if one.guarantee == name and set(one.values) == named)
    return one


def test_a_release_that_keeps_all_three() -> None:
    original = case("A>flu B", "A B", "B>flu", "B>flu").arrow()
    verdict = judged(SOME, told("A>flu"), TWO, original=original)
    assert readings(verdict) == [True, True, True]
    assert verdict.passed, verdict.checks


def test_rules_that_tell_less_than_was_done_are_seen() -> None:
    """Else what is hidden would not be counted."""
    original = case("A>flu B", "A B", "B>flu", "B>flu").arrow()
    verdict = judged(SOME, told(), TWO, original=original)
    assert not check(verdict, "nothing lost or invented").passed


def test_a_breach_of_what_is_shown() -> None:
    verdict = judged(case("A B", "A B", "B>flu", "B"), told("A>flu"), TWO)
    assert readings(verdict)[0] is False
    assert witness_of(verdict, SHOWN, "flu").rows == (3,)


def test_a_breach_to_whoever_knows_the_rules() -> None:
    """Tea is left out below A. One record shows A, and no other may have tea."""
    verdict = judged(case("A", "B", "B"), told("A>tea"), TWO)
    assert readings(verdict) == [False, False, False]
    witness = witness_of(verdict, RULES, "tea")
    assert (witness.size, witness.rows) == (1, (1,))
    assert witness.reason == "1 record may have these values, shown or left out; 2 are promised."
    assert not any("tea" in "".join(one.drawn) for one in verdict.witnesses if one.guarantee == TWO.technical())


def test_a_breach_to_somebody_who_knows_that_values_occur_once() -> None:
    """ERRATA 000-11, left out in place: the two that show flu below B have none below A."""
    verdict = judged(case("A B", "A B>flu", "A B>flu"), told("A>flu"), TWO)
    assert readings(verdict) == [True, True, False]
    witness = witness_of(verdict, ONCE, "A", "flu")
    assert (witness.size, witness.rows) == (1, (1,))
    assert [line.strip("│├└─ ") for line in witness.drawn[1:]] == ["clinic = A", "illness = flu"]


def test_a_value_that_enough_records_show_twice_is_not_known_to_occur_once() -> None:
    """Below C flu is left out, and one record shows none. Two show it twice: nobody knows that it occurs once."""
    third = case("C", "A>flu B>flu C", "A>flu B>flu C", "A B C", "A B C")
    assert readings(judged(third, told("C>flu"), TWO)) == [True, True, True]
    verdict = judged(case("A>flu C", "A>flu C", "A>flu C", "C"), told("C>flu"), TWO)
    assert readings(verdict) == [True, True, False]
    assert witness_of(verdict, ONCE, "C", "flu").rows == (4,)
    once = case("A>flu B>flu C", "A>flu C", "A>flu C", "B>flu C", "B C", "A B C")
    assert readings(judged(once, told("C>flu"), KMNAnonymity(2, 1, 0)), KMNAnonymity(2, 1, 0)) == [True, True, True]


def test_a_label_of_several_values_may_be_hidden_where_it_is_shown() -> None:
    """Any illness is one of flu, gout and cold. Two are known at most: beside one that is shown there is room for both."""
    hierarchy = {"illness": Hierarchy.of([("flu", "ill"), ("gout", "ill"), ("cold", "ill")])}
    release = case("A B>ill", "A B>ill", "A B>ill")
    ill = dict.fromkeys(("flu", "gout", "cold"), "ill")
    verdict = judged(release, told("A>ill", illness=ill), TWO, hierarchies=hierarchy)
    assert readings(verdict) == [True, True, True]
    # of two values one is shown, and there may be one more, not two
    two = {"illness": Hierarchy.of([("flu", "ill", "*"), ("gout", "ill", "*"), ("cold", "well", "*")])}
    rules = told("A>ill", illness={"flu": "ill", "gout": "ill"})
    assert readings(judged(release, rules, TWO, hierarchies=two)) == [True, True, False]
    # rules that all may read do not tell how many values it has
    told_less = {**told("A>ill"), "shown": {}}
    assert readings(judged(release, told_less, TWO, hierarchies=hierarchy)) == [True, True, False]
    often = case("A C>ill B>ill", "A C>ill B>ill")
    assert readings(judged(often, told_less, TWO, hierarchies=hierarchy)) == [True, True, False]
    assert readings(judged(often, told_less, TWO)) == [True, True, False]


@pytest.mark.parametrize("guarantee", [KMNAnonymity(2, 2, 2), KMNDiversity(2, 2, 1, 2, "ill")])
def test_what_is_not_decided_does_not_pass(guarantee: Any) -> None:
    verdict = judged(SOME, told("A>flu"), guarantee)
    for reading in (RULES, ONCE):
        assert "Not decided, and so does not pass" in check(verdict, f"{guarantee.technical()}{reading}").detail
    assert not verdict.passed


@pytest.mark.parametrize(
    ("rules", "problem"),
    [
        (told("A>flu", clinic={"C": None}), "Class 'clinic': some values are left out"),
        ({**told(), "out": [[["illness", "flu"], ["clinic", "A"]]]}, "can never stand one above the other"),
        ({**told(), "out": [[["clinic", "A"], ["ward", "1"]]]}, "can never stand one above the other"),
        ({**told(), "out": [[["ward", "1"], ["clinic", "A"]]]}, "of classes with children"),
    ],
    ids=["part of a class with children", "the wrong way round", "a class that there is not", "a class with children"],
)
def test_rules_that_are_not_understood_do_not_pass(rules: Any, problem: str) -> None:
    found = check(judged(SOME, rules, TWO), IN_PLACE)
    assert not found.passed
    assert found.detail.startswith("Not decided, and so does not pass.")
    assert problem in found.detail


def test_a_release_that_shows_what_it_says_it_leaves_out() -> None:
    found = check(judged(SOME, told("B>flu"), TWO), IN_PLACE)
    assert (found.passed, found.detail) == (False, "In 1 path the release shows what the rules say is left out there.")


def test_a_node_that_tells_by_what_is_not_below_it() -> None:
    """Every clinic has an illness, but for those where flu is left out: whoever knows that sees where it was."""
    every = judged(case("A", "A", "B>flu", "B>flu"), told("A>flu"), TWO)
    found = check(every, IN_PLACE)
    assert not found.passed
    assert found.detail.startswith("2 records show a 'clinic' without any 'illness' where one may have been left out.")
    assert check(judged(case("A", "A", "B>flu", "B>flu", "B", "B"), told("A>flu"), TWO), IN_PLACE).passed
    # that some illnesses are left out everywhere is another reason why a clinic has none
    partly = told("A>flu", illness={"gout": None})
    assert not check(judged(case("A", "A", "B>flu", "B>flu", "B", "B"), partly, TWO), IN_PLACE).passed


def test_both_ways_at_once_are_no_rules() -> None:
    with pytest.raises(DataError, match="do not have the form"):
        judged(SOME, {**told("A>flu"), "apart": told("B>flu")["out"]}, TWO)


def test_where_values_may_be_known_to_be_absent_nothing_is_decided() -> None:
    schema = Schema((Column("ill", Role.SENSITIVE, accept_unique=True), *_nodes()))
    found = check(verify_release(SOME.arrow(), Terms(schema, (TWO,)), rules=told("A>flu")), IN_PLACE)
    assert not found.passed
    assert "Values may be known to be absent" in found.detail


def _nodes() -> Any:
    for name, parent in PARENTS.items():
        yield Column(name, Role.QUASI, "node", parent=parent, negated=("flu",) if name == "illness" else ())
