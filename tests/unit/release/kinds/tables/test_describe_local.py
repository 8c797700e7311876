"""What is said beside a release in which every class shows values of its own, counted again by hand."""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction

import jsonschema
import numpy as np
import pytest
from local_release import TRIED, Example, glm_of

from shoal.engines.engine import Alike
from shoal.errors import InternalError
from shoal.io.folder import Sealed
from shoal.methods.method import Attempt
from shoal.recoding.tables.groups import GroupRecoding
from shoal.recoding.tables.recoded import HIDDEN
from shoal.release.kinds.tables.view import View
from shoal.report.digits import above, down
from shoal.report.json import read_json
from shoal.report.masking import BELOW_K, WITHHELD
from shoal.report.schema import schema

K = 5


@pytest.fixture
def example(demo):
    made = Example(demo)
    yield made
    made.close()


@pytest.fixture(params=["nodes", "hidden", "free", "by age"])
def recoding(example, request):
    if request.param == "free":
        return example.of_free(example.groups())
    if request.param == "hidden":
        return example.of_nodes(example.groups(), hidden=(3, 4, 11))
    order = ("age", "sex", "postcode", "schooling")
    return example.of_nodes(example.groups(order) if request.param == "by age" else example.groups())


def published(recoding, frequency):
    """One row per published record: the labels it shows."""
    recoded = recoding.over(frequency)
    rows = []
    for part, number in enumerate(recoded.classes.tolist()):
        if number != HIDDEN:
            labels = tuple(recoded.shown[c].labels[v] for c, v in enumerate(recoded.values[number]))
            rows += [labels] * int(recoded.counts[part])
    return rows


def test_records_by_level_are_those_of_the_published_rows(example, recoding):
    facts = example.describe(example.decision(recoding)).facts
    rows = published(recoding, example.frequency)
    assert facts.records.published == len(rows)
    for c, (column, tree) in enumerate(zip(facts.quasi, example.trees, strict=True)):
        shown = Counter(row[c] for row in rows)
        by_level = defaultdict(int)
        for label, records in shown.items():
            if tree.node(label) is not None:
                by_level[tree.path(leaf_of(tree, label)).index(label)] += records
        mixed = {share.level: share.records for share in column.mix if not share.between}
        assert (mixed if column.level is None else {column.level: len(rows)}) == dict(by_level)
        between = sum(share.records for share in column.mix if share.between)
        assert between == sum(records for label, records in shown.items() if tree.node(label) is None)
        for share in column.mix:
            assert share.example == "" or shown[share.example] >= K
        assert column.reason == ""


def leaf_of(tree, label):
    return int(tree.first[tree.node(label)])


def test_what_lies_between_two_levels_is_wider_than_the_labels_of_one_and_not_of_the_other(example):
    recoding = example.of_free(example.groups())
    view = View.of(recoding, example.frequency, frozenset(), K)
    age = recoding.recoded.shown[0]
    widths = {
        at: max(Counter(example.trees[0].groups[at].tolist()).values()) for at in range(example.trees[0].height + 1)
    }
    counted = Counter()
    for value, records in enumerate(recoding.recoded.records(0).tolist()):
        level = next(at for at, widest in widths.items() if widest >= len(age.leaves_of(value)))
        between = example.trees[0].node(age.labels[value]) is None
        counted[f"{level - 1}-{level}" if between else str(level)] += records
    assert {share.place: share.records for share in view.mix(0)} == {place: n for place, n in counted.items() if n}


def test_detail_kept_is_one_minus_glm_of_the_column(example, recoding):
    described = example.describe(example.decision(recoding))
    view = View.of(recoding, example.frequency, frozenset(), K)
    kept = [view.kept(c) for c in range(len(example.columns))]
    assert 1 - sum(kept) / len(kept) == pytest.approx(float(glm_of(recoding, example.frequency)))
    assert [column.kept for column in described.facts.quasi] == [down(share) for share in kept]
    assert described.losses["glm"] == pytest.approx(float(glm_of(recoding, example.frequency)))


def test_risk_and_private_facts_are_those_of_the_classes(example, recoding, demo):
    facts = example.describe(example.decision(recoding)).facts
    sizes = Counter(published(recoding, example.frequency))
    assert facts.risk.after.classes == len(sizes)
    assert facts.risk.after.smallest_class == min(sizes.values()) >= K
    diagnoses = defaultdict(set)
    recoded = recoding.over(example.frequency)
    class_of = {tuple(code): int(number) for code, number in zip(recoded.codes.tolist(), recoded.classes, strict=True)}
    with (demo / "patients.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            code = tuple(tree.code(row[name]) for name, tree in zip(example.columns, example.trees, strict=True))
            if class_of[code] != HIDDEN:
                diagnoses[class_of[code]].add(row["diagnosis"])
    same = [number for number, values in diagnoses.items() if len(values) == 1]
    (fact,) = facts.private_facts
    assert (fact.column, fact.classes, fact.same_classes) == ("diagnosis", len(sizes), len(same))
    assert fact.same_records == sum(int(recoded.class_sizes[number]) for number in same)


def test_distributions_add_up_and_show_nothing_small(example, recoding):
    facts = example.describe(example.decision(recoding)).facts
    rows = published(recoding, example.frequency)
    for c, distribution in enumerate(facts.distributions):
        shown = Counter(row[c] for row in rows)
        other = 0 if distribution.other is None else distribution.other.published
        assert sum(bar.published for bar in distribution.bars) + other == len(rows)
        assert len(distribution.bars) <= 12
        if not distribution.within:
            assert all(shown[bar.value] == bar.published >= K for bar in distribution.bars)
            assert len(distribution.bars) + distribution.other_values == len(shown)
        for bar in distribution.bars:
            assert bar.suppressed in (None, 0, BELOW_K, WITHHELD) or bar.suppressed >= K


def test_values_too_many_to_name_are_counted_within_labels(example):
    recoding = example.of_free(example.groups(("age", "sex", "postcode", "schooling")))
    age = example.describe(example.decision(recoding)).facts.distributions[0]
    assert age.within
    tree = example.trees[0]
    rows = Counter(row[0] for row in published(recoding, example.frequency))
    for bar in age.bars:
        low, high = (int(bound) for bound in tree.bounds[tree.node(bar.value)])
        inside = [label for label in rows if low <= int(label.split("-")[0]) <= int(label.split("-")[-1]) <= high]
        assert bar.published == sum(rows[label] for label in inside)


def test_the_codebook_explains_every_published_value(example, recoding):
    book = example.describe(example.decision(recoding)).codebook()
    jsonschema.validate(json.loads(json.dumps(book)), schema("codebook"), jsonschema.Draft202012Validator)
    rows = published(recoding, example.frequency)
    columns = {column["name"]: column for column in book["columns"]}
    recoded = recoding.over(example.frequency)
    for c, name in enumerate(example.columns):
        held = {row[c] for row in rows}
        listed = {value["value"]: value for value in columns[name]["values"]}
        if columns[name]["level"] == 0:
            assert not listed
            continue
        assert set(listed) == held
        leaves = dict(
            zip(
                recoded.shown[c].labels,
                map(recoded.shown[c].leaves_of, range(len(recoded.shown[c].labels))),
                strict=True,
            )
        )
        for label, value in listed.items():
            raw = [example.trees[c].labels[leaf] for leaf in leaves[label]]
            if value["kind"] == "range":
                assert all(value.get("lower", 0) <= int(v) <= value.get("upper", 999) for v in raw)
            if "members" in value:
                assert set(value["members"]) == set(raw)
            if value["kind"] == "exact":
                assert raw == [label]


def test_a_postcode_that_is_not_published_is_named_nowhere(example):
    """The mask was drawn from the data; what is hidden behind it stays there."""
    described = example.describe(
        example.decision(example.of_nodes(example.groups(("sex", "schooling", "age", "postcode"))))
    )
    shown = {row[2] for row in published(described.decision.recoding, example.frequency)}
    secret = [label for label in example.trees[2].labels[: example.trees[2].leaf_count] if label not in shown]
    assert secret
    told = json.dumps(described.codebook()) + json.dumps(described.facts.to_json())
    assert not any(f'"{label}"' in told for label in secret)


def test_the_files_beside_a_local_release(example, recoding, demo):
    decision = example.decision(recoding, tried=TRIED)
    described = example.describe(decision, floor=float(decision.loss) * 0.9)
    assert "above the best possible" in described.why[1]
    files = described.sidecars("patients.csv", Sealed("0" * 64))
    report = json.loads(files["report.json"])
    jsonschema.validate(report, schema("report"), jsonschema.Draft202012Validator)
    facts = read_json(files["report.json"].decode())
    assert facts.columns == described.public.columns
    page, private = (files[name].decode() for name in ("report.html", "report.private.html"))
    assert "0 of 0" not in page + private
    assert "What was tried" not in page
    assert "What was tried" in private
    manifest = json.loads(files["manifest.private.json"])
    assert manifest["recoding"]["kind"] == "groups"
    assert type(facts).from_json(manifest["facts"]).columns == described.facts.columns
    assert set(report["statements"]["why"]).isdisjoint(described.why[1:2])


def test_the_result_of_a_local_release(example, recoding):
    release = example.release(example.decision(recoding, tried=TRIED), floor=0.05)
    said = json.loads(json.dumps(release.to_json()))
    assert said["levels"] == {column.name: column.level for column in release.described.facts.quasi}
    assert said["bound"] is None
    assert said["tried"][1] == {
        "method": "mstk", "loss": 0.0712, "seconds": 3.2, "note": "spanning tree, then local search", "kept": True,
    }  # fmt: skip
    assert said["floor"]["loss"] == 0.05
    assert said["floor"]["at_most_above"] == above(release.loss, 0.05) >= release.loss / 0.05 - 1
    for column, shares in said["level_shares"].items():
        assert sum(shares.values()) == pytest.approx(1)
        assert said["levels"][column] is None or shares == {str(said["levels"][column]): 1.0}
    # more than twice the floor: it says nothing
    assert ("above the best possible" in repr(release)) is (release.floor.at_most_above <= 1)
    close = example.release(example.decision(recoding, tried=TRIED), floor=release.loss * 0.9)
    assert "at most 12" in repr(close) and "above the best possible" in repr(close)
    page = release._repr_html_()
    assert "mstk, the best of 3 tried" in page
    assert "age " in page


def test_groups_that_all_show_one_level_are_described_as_levels(example):
    """The same release, decided as groups and as levels, reads the same."""
    levels = (4, 0, 1, 1)
    nodes = np.stack(
        [
            t.levels[at][example.frequency.codes[:, c]]
            for c, (t, at) in enumerate(zip(example.trees, levels, strict=True))
        ],
        1,
    )
    shown, groups = np.unique(nodes, axis=0, return_inverse=True)
    sizes = np.bincount(groups.reshape(-1), weights=example.frequency.counts)
    groups = np.where(sizes[groups.reshape(-1)] < K, HIDDEN, groups.reshape(-1)).astype(np.int32)
    grouped = GroupRecoding.of_nodes(
        example.columns,
        example.trees,
        example.frequency.codes,
        example.frequency.counts,
        groups,
        shown.astype(np.int32),
    )
    view = View.of(grouped, example.frequency, frozenset(), K)
    assert view.levels == levels
    assert not any(view.mix(c) for c in range(4))
    facts = example.describe(example.decision(grouped)).facts
    assert not facts.local
    assert facts.search.gap is None
    assert all(bar.suppressed is not None for d in facts.distributions for bar in d.bars)
    hidden = sum(int(n) for n in example.frequency.counts[groups == HIDDEN])
    assert facts.records.suppressed == hidden > 0


def test_a_release_of_nothing_is_fully_hidden(example):
    groups = np.full(len(example.frequency.counts), HIDDEN, np.int32)
    nodes = np.zeros((1, len(example.columns)), np.int32)
    recoding = GroupRecoding.of_nodes(
        example.columns, example.trees, example.frequency.codes, example.frequency.counts, groups, nodes
    )
    view = View.of(recoding, example.frequency, frozenset(), K)
    assert view.levels == tuple(tree.height for tree in example.trees)
    assert [view.kept(c) for c in range(4)] == [0, 0, 0, 0]
    assert view.distribution(0).bars == ()


def test_a_tuple_in_several_classes_is_counted_on_the_release(example):
    """Which of its records went where is the engine's to say."""
    groups = example.groups()
    codes, counts = example.frequency.codes, example.frequency.counts
    many = int(np.argmax(counts))
    apart = int(np.flatnonzero((codes[:, 1] != codes[many, 1]) & (groups != groups[many]))[0])
    tops = [len(tree.labels) - 1 for tree in example.trees]
    nodes = np.array([[tops[0], tops[1], tops[2], g % 2] for g in (0, 1)], np.int32)
    recoding = GroupRecoding.of_nodes(
        example.columns,
        example.trees,
        np.concatenate([codes, codes[[many]]]),
        np.concatenate([counts - (np.arange(len(counts)) == many), [1]]),
        np.append(np.arange(len(counts)) == apart, True).astype(np.int32),
        nodes,
    )
    frequency = example.engine.frequency_set(example.hierarchies.quasi, {"diagnosis": None})
    view = View.of(recoding, frequency, frozenset(), K)

    class Wrote:
        def alike(self, column):
            assert column == "diagnosis"
            return Alike(3, 2, 7)

    fact = view.private_fact("diagnosis", Wrote())
    assert (fact.classes, fact.same_classes, fact.same_records) == (3, 2, 7)


def test_the_floor(example):
    decision = example.decision(example.of_nodes(example.groups()))
    loss = float(decision.loss)
    assert example.describe(decision).facts.floor is None
    assert example.describe(decision, floor=0.0).facts.floor is None  # says nothing
    assert example.describe(decision, floor=loss * (1 + 1e-12)).facts.floor.at_most_above == 0
    half = example.describe(decision, floor=loss / 2).facts.floor
    assert half.loss == down(loss / 2) <= loss / 2
    assert half.at_most_above == pytest.approx(1, rel=0.03) and loss <= half.loss * (1 + half.at_most_above)
    with pytest.raises(InternalError, match="less than was proved possible"):
        example.describe(decision, floor=loss * 1.01)


def test_a_bound_is_told_in_three_digits_and_rounded_down(example):
    decision = example.decision(example.of_nodes(example.groups()), lattice=216)
    for bound in (0.0, 0.012345, float(decision.loss) * 0.9999):
        facts = example.describe(replace(decision, bound=bound)).facts
        assert facts.search.gap > 0
        assert facts.main_loss.value - facts.search.gap == pytest.approx(down(bound), abs=1e-12)
    assert example.describe(replace(decision, optimal=True)).facts.search.gap == 0


def test_what_is_kept_does_not_depend_on_what_is_told(example):
    tried = (Attempt("a", 0.20004, 1.0, ""), Attempt("b", 0.20001, 1.0, ""))
    facts = example.describe(example.decision(example.of_nodes(example.groups()), tried=tried)).facts
    assert [(attempt.loss, attempt.kept) for attempt in facts.tried] == [(0.201, False), (0.201, True)]


def test_of_equal_attempts_the_first_is_kept(example):
    tried = (
        Attempt("a", None, 1.0, "no"),
        Attempt("b", 0.2, 1.0, ""),
        Attempt("c", 0.2, 1.0, ""),
        Attempt("d", 0.3, 1.0, ""),
    )
    facts = example.describe(example.decision(example.of_nodes(example.groups()), tried=tried)).facts
    assert [attempt.kept for attempt in facts.tried] == [False, True, False, False]


@pytest.mark.parametrize("k", [5, 6, 9, 17, 40])
@pytest.mark.parametrize("first", ["age", "sex", "postcode", "schooling"])
def test_no_grouping_brings_a_small_count_to_light(example, k, first):
    """`Facts` refuses a number of people between 1 and k-1 wherever it stands."""
    order = (first, *(name for name in example.columns if name != first))
    groups = example.groups(order, k)
    for recoding in (example.of_nodes(groups), example.of_nodes(groups, hidden=(0,)), example.of_free(groups)):
        facts = example.describe(example.decision(recoding)).facts
        assert Fraction(sum(bar.published for bar in facts.distributions[1].bars), facts.records.published) <= 1
