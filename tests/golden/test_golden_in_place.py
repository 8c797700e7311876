"""Counterexamples to ways of hiding a relation in trees: what each publishes, who is betrayed by it, and what the verifier says."""

from __future__ import annotations

from oracles.possible_worlds import Case, Rule, World, counts, recoded, tree

A2B1 = World({"a": None, "b": "a"}, {"a": 2, "b": 1})
A2B4 = World({"a": None, "b": "a"}, {"a": 2, "b": 4}, 7)
A2B1C1 = World({"a": None, "b": "a", "c": "b"}, {"a": 2, "b": 1, "c": 1})


def passed(case, recoding):
    """Of each of the verifier's three counts, whether it passed."""
    return [judged.check.passed for judged in counts(case, recoding)]


def fragment(values, *relations, on_path=False):
    """As `a1 b1`, `a1>b1`."""
    pairs = frozenset(tuple((one[0], one) for one in pair.split(">")) for pair in relations)
    return frozenset((one[0], one) for one in values.split()), pairs, on_path


# ---- ce_min: a node that is moved (ERRATA 000-11) ---------------------------------------------------------------------------

MOVED = Case(A2B1, [tree("a1>b1", "a2"), tree("a1", "a2>b1"), tree("a1", "a2>b1")], 2, 2, 1, strict=True)


def moved_beside_a1(record):
    """The paper's way to keep b1 apart from a1."""
    here = (("a", "a1"), ("b", "b1"))
    return record - {here} | {here[1:]} if here in record else record


def test_the_place_of_a_moved_node_betrays_who_had_the_relation():
    published = [moved_beside_a1(one) for one in MOVED.people]
    assert published == [tree("a1", "a2", "b1"), *[tree("a1", "a2>b1")] * 2]
    betrayal = MOVED.betrayed_by(moved_beside_a1)
    assert (betrayal.fragment, betrayal.candidates) == (fragment("a1 b1", "a1>b1"), 1)


def test_left_out_in_place_it_betrays_only_to_somebody_who_knows_that_it_occurs_once():
    recoding = recoded(MOVED, {}, [("a1", "b1")])
    assert list(map(Rule.of(recoding), MOVED.people)) == [tree("a1", "a2"), *[tree("a1", "a2>b1")] * 2]
    assert MOVED.betrayed_by(Rule.of(recoding)) is None
    # the two that show b1 below a2 cannot have it below a1 as well
    assert MOVED.betrayed_by(Rule.of(recoding), MOVED.once).candidates == 1
    assert passed(MOVED, recoding) == [True, True, False]


# ---- ce_prune_n2: two relations ---------------------------------------------------------------------------------------------


def test_with_two_relations_what_is_shown_does_not_suffice():
    people = [tree("a1>b1>c1", "a2>c1"), tree("a1", "b1", "a2>c1"), tree("a1>b1", "a2", "c1")]
    case = Case(A2B1C1, people, 2, 3, 2, strict=False)
    recoding = recoded(case, {}, [("b1", "c1")])
    betrayal = case.betrayed_by(Rule.of(recoding))
    assert betrayal.candidates == 1
    shown, *others = counts(case, recoding)
    assert shown.check.passed
    for judged in others:
        assert not judged.check.passed
        assert judged.check.detail.startswith("Not decided, and so does not pass")


# ---- ce_climb: shown under a wider label in place ---------------------------------------------------------------------------

CLIMBED = Case(
    A2B4, [tree("a1>b1", "a2"), tree("a1>b3"), tree("a2>b2"), tree("a2>b4"), tree("a1", "a2")], 2, 2, 1, strict=True
)
PAIRS = [("a1", "b1"), ("a1", "b3"), ("a2", "b2"), ("a2", "b4")]


def blurred_in_place(record):
    """Below a, b is shown as any of its class; elsewhere as it is."""
    return frozenset(
        (*path[:-1], ("b", "*")) if (path[0][1], path[-1][1]) in PAIRS else path for path in record if path
    )


def test_shown_under_a_wider_label_in_place_it_betrays():
    published = [blurred_in_place(one) for one in CLIMBED.people]
    assert published == [tree("a1>b*", "a2"), tree("a1>b*"), *[tree("a2>b*")] * 2, tree("a1", "a2")]
    betrayal = CLIMBED.betrayed_by(blurred_in_place)
    assert (betrayal.fragment, betrayal.candidates) == (fragment("a2 b1"), 1)


def test_left_out_in_place_it_does_not():
    recoding = recoded(CLIMBED, {}, PAIRS)
    assert CLIMBED.betrayal(recoding) is None
    assert passed(CLIMBED, recoding) == [True, True, True]
