"""Cases of paper 001 that are verdicts: what is (k, k^m)-anonymous, what an attacker finds, and how sure a sensitive item is."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pyarrow as pa
import pytest

from shoal.data.schema import Column, Role, Schema
from shoal.guarantees import KKMAnonymity, KLMDiversity, KMAnonymity
from shoal.verifier import Terms, verify_release

FIGURES = ("001-fig1b", "001-fig2a", "001-fig2b", "001-fig2c", "001-fig2d")
SENSITIVE = ("G", "H")


def schema(*sensitive):
    return Schema((Column("group", Role.QUASI), Column("items", Role.QUASI, "set", sensitive)))


def table(groups, sets):
    """groups: of each record; sets: its items."""
    lists = pa.array([sorted(one) for one in sets], pa.list_(pa.string()))
    return pa.table({"group": pa.array(list(groups), pa.string()), "items": lists})


def verdict(release, *guarantees, sensitive=(), **more):
    return verify_release(release, Terms(schema(*sensitive), guarantees), **more)


def answer(release, guarantee, *sensitive):
    found = verdict(release, guarantee, sensitive=sensitive)
    (check,) = (check for check in found.checks if check.name == guarantee.technical())
    assert all(one.passed for one in found.checks if one is not check)
    return check.passed, found


def labelled(members):
    """`BCD` as the release shows it: `(B,C,D)`."""
    return members if len(members) == 1 else f"({','.join(members)})"


class Figure:
    def __init__(self, case):
        given = case["input"]
        self.groups = {record: str(i) for i, group in enumerate(given["groups"]) for record in group}
        self.order = sorted(self.groups)
        self.known = {r: {labelled(one) for one in given["items_nonsensitive"][str(r)]} for r in self.order}
        self.sensitive = {r: given["sensitive"][str(r)] for r in self.order}

    @property
    def release(self):
        return table((self.groups[r] for r in self.order), (self.known[r] | {self.sensitive[r]} for r in self.order))


@pytest.mark.parametrize("name", FIGURES)
def test_figures(golden, name):
    case = golden[name]
    k, m = case["params"]["k"], case["params"]["m"]
    figure, expected = Figure(case), case["expected"]
    passed, found = answer(figure.release, KKMAnonymity(k, m), *SENSITIVE)
    assert passed == expected["k_km_anonymous"]
    violations = {
        (figure.groups[one["record"]], tuple(sorted(labelled(item) for item in one["items"]))): one["support"]
        for one in expected["violations"]
    }
    smallest = {key: rows for key, rows in violations.items() if len(key[1]) == min(len(key[1]) for key in violations)}
    told = {
        (one.values[0][1], tuple(sorted(text for _, text in one.values[1:]))): [row - 1 for row in one.rows]
        for one in found.witnesses
    }
    assert told == smallest
    # the sets alone, as a release of item sets
    alone = pa.table({"items": pa.array([sorted(figure.known[r]) for r in figure.order], pa.list_(pa.string()))})
    only = Terms(Schema((Column("items", Role.QUASI, "set"),)), (KMAnonymity(k, m),))
    assert verify_release(alone, only).passed == expected["transaction_part_alone_2_2_anonymous"]


@pytest.mark.parametrize("name", FIGURES)
def test_sensitive_items_must_be_named(golden, name):
    """With G and H as ordinary items none of the figures is 2^2-anonymous."""
    assert not answer(Figure(golden[name]).release, KKMAnonymity(2, 2))[0]


@pytest.mark.parametrize("name", FIGURES)
def test_how_sure_a_sensitive_item_is(golden, name):
    case = golden[name]
    figure, most = Figure(case), case["expected"]["max_sensitive_probability"]
    passed, found = answer(figure.release, KLMDiversity(2, 2, 2, "items"), *SENSITIVE)
    assert passed == (Fraction(most["exact"]) <= Fraction(1, 2) and case["expected"]["k_km_anonymous"])
    diverse = [one for one in found.witnesses if "may hold the same" in one.reason]
    assert bool(diverse) == (Fraction(most["exact"]) > Fraction(1, 2))
    if diverse:
        first = diverse[0]
        numerator = int(first.reason.split(" of the ")[0])
        assert Fraction(numerator, first.size) == Fraction(most["exact"])
        known = sorted(labelled(item) for item in most["known_items"])
        rows = [r + 1 for r in most["supporting_records"]]
        assert (known, rows) in [
            (sorted(text for _, text in one.values[1:]), list(one.rows)) for one in diverse if one.size == first.size
        ]


def test_figure_1a_becomes_each_figure(golden):
    """The published figures are the original, blurred; not so when every record has the items of the next."""
    given = golden["001-fig1a"]["input"]
    assert tuple(given["sensitive_items"]) == SENSITIVE
    records = sorted(given["items"], key=int)
    for name in FIGURES:
        figure = Figure(golden[name])
        shown = {group: [] for group in set(figure.groups.values())}
        for r in figure.order:
            shown[figure.groups[r]].append(given["relational"][str(r)][0])
        ages = {g: f"[{min(a, key=int)}, {max(a, key=int)}]" for g, a in shown.items()}
        sets = [figure.known[r] | {figure.sensitive[r]} for r in figure.order]
        original = table((given["relational"][r][0] for r in records), (given["items"][r] for r in records))
        release = table((ages[figure.groups[r]] for r in figure.order), sets)
        found = verdict(release, KKMAnonymity(2, 2), sensitive=SENSITIVE, original=original)
        assert found.passed == golden[name]["expected"]["k_km_anonymous"], name
        assert [one.name for one in found.checks if not one.passed] == ([] if found.passed else ["(2, 2^2)-anonymity"])
        swapped = [*sets[1:], sets[0]]
        found = verdict(
            table((ages[figure.groups[r]] for r in figure.order), swapped),
            KKMAnonymity(2, 2),
            sensitive=SENSITIVE,
            original=original,
        )
        covered = [one.passed for one in found.checks if one.name == "nothing lost or invented"]
        assert covered == [name == "001-fig2b"]  # one group: who is who does not show


def test_the_attack_on_jim(golden):
    case = golden["001-attack-jim"]
    figure = Figure(golden[f"001-fig{case['input']['figure']}"])
    group, known = case["input"]["group"], case["input"]["known"]["items"]
    _, found = answer(figure.release, KKMAnonymity(2, 1), *SENSITIVE)
    (one,) = (
        one
        for one in found.witnesses
        if one.values[0][1] == figure.groups[group[0]] and [text for _, text in one.values[1:]] == known
    )
    assert [row - 1 for row in one.rows] == case["expected"]["matching_records"]


def test_group_definition(golden):
    case = golden["001-ce-group-definition"]
    for given, expected in zip(case["input"]["cases"], case["expected"]["k_km"], strict=True):
        release = table(["1"] * len(given["records"]), given["records"])
        assert answer(release, KKMAnonymity(given["k"], given["m"]))[0] == expected


def test_empty_transactions(golden):
    """The most general mapping, all items one label, decides whether any does."""
    case = golden["001-ce-empty-transactions"]
    k, m = case["params"]["k"], case["params"]["m"]
    for cluster, feasible in zip(
        case["input"]["clusters"], case["expected"]["feasible_by_generalization"], strict=True
    ):
        items = sorted({item for one in cluster for item in one})
        partitions = [{item: labelled("".join(items)) for item in items}, {item: item for item in items}]
        answers = [
            answer(table(["1"] * len(cluster), [{shown[item] for item in one} for one in cluster]), KKMAnonymity(k, m))[
                0
            ]
            for shown in partitions
        ]
        assert any(answers) == feasible
        filled = sum(bool(one) for one in cluster)
        assert feasible == (filled == 0 or filled >= k)


def test_diversity_is_not_monotone(golden):
    case = golden["001-ce-lm-not-monotone"]
    k, l, m = (case["params"][key] for key in "klm")
    records, shown = case["input"]["records"], case["input"]["generalize"]
    before = [{*one["items"], *one["sensitive"]} for one in records]
    after = [{*(shown.get(item, item) for item in one["items"]), *one["sensitive"]} for one in records]
    guarantee = KLMDiversity(k, l, m, "items")
    for sets, expected in ((before, "max_probability_before"), (after, "max_probability_after")):
        most = Fraction(case["expected"][expected]["exact"])
        passed, found = answer(table(["1"] * len(sets), sets), guarantee, "s")
        assert passed == (most <= Fraction(1, l))
        assert most == max(
            Fraction(sum("s" in one for one in held), len(held))
            for size in range(m + 1)
            for some in combinations(sorted(set().union(*sets) - {"s"}), size)
            if (held := [one for one in sets if one >= set(some)])
        )
        if not passed:
            assert f"{most.numerator * 2} of the {most.denominator * 2} records" in found.witnesses[0].reason
