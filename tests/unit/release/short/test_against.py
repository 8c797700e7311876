"""Losses against an original: those of the report, without knowing which record became which."""

from __future__ import annotations

import json
import random
from collections import Counter

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import shoal
from shoal.cli.root import shoal as command
from shoal.data.frequency import FrequencySet, SensitiveCounts
from shoal.hierarchies.build import build
from shoal.release.short.against import Counted, losses_against

SAME = ("ncp", "glm", "dm", "entropy", "are")


@pytest.fixture(scope="module")
def frame():
    draw = random.Random(1)
    return pl.DataFrame(
        {
            "age": [draw.randrange(20, 80) for _ in range(150)],
            "sex": [draw.choice(["f", "m", None]) for _ in range(150)],
            "postcode": [f"0{draw.randrange(100, 130)}" for _ in range(150)],
            "diagnosis": [draw.choice(["flu", "asthma", "gout"]) for _ in range(150)],
        }
    )


@pytest.mark.parametrize("method", ["optimal", "mondrian"])
def test_they_are_those_of_the_report(frame, method):
    """Whatever the order: the release is shuffled before it is measured."""
    roles = {"quasi": ["age", "sex", "postcode"], "sensitive": "diagnosis"}
    release = shoal.anonymize(frame, **roles, k=5, suppression=0.1, method=method)
    rules = {name: release.recipe.columns[name].hierarchy for name in roles["quasi"]}
    shuffled = release.data.sample(fraction=1.0, shuffle=True, seed=3)
    measured = shoal.measure(shuffled, quasi=rules, sensitive="diagnosis", original=frame)
    reported = release.described.losses
    assert {name: measured.loss(name).value for name in SAME} == {name: pytest.approx(reported[name]) for name in SAME}
    assert measured.loss("c_avg").value == release.records_out / measured.classes / measured.k
    assert measured.original_records == 150
    assert measured.loss("il").value is None and "which record became which" in measured.loss("il").reason
    json.dumps(measured.to_json())


def _counted(labels, private=None):
    """As an engine counts one column, and a private one beside it."""
    tree = build(None, dict.fromkeys(labels))
    codes = [tree.code(label) for label in labels]
    counts = Counter(codes)
    sensitive = {}
    if private is not None:
        pairs = sorted(Counter(zip(codes, map(int, private), strict=True)).items())
        order = {code: number for number, code in enumerate(sorted(counts))}
        sensitive["s"] = SensitiveCounts(
            np.array([order[code] for (code, _), _ in pairs]),
            np.array([value for (_, value), _ in pairs], np.int32),
            np.array([count for _, count in pairs]),
            2,
        )
    different = np.array(sorted(counts), np.int32)
    sizes = np.array([counts[code] for code in different.tolist()])
    return Counted(FrequencySet(("age",), different[:, None], sizes, sensitive), {"age": tree})


people = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2), st.booleans()), min_size=1, max_size=20)


@settings(max_examples=100, deadline=None)
@given(people)
def test_against_the_definitions(people):
    """Ranges of one column, over the values that occur; some records are left out. The order of the rest says nothing."""
    ages = [age for age, _, _ in people]
    labels = sorted(
        (f"{age}", f"{age - age % 5}-{age - age % 5 + 4}", "*")[width] for age, width, published in people if published
    )
    assume(labels)
    private = [str(number % 2) for number in range(len(labels))]
    measured = losses_against(_counted(labels, private), _counted([str(age) for age in ages]), 2)
    values = {loss.name: loss.value for loss in measured}
    domain = set(ages)

    def covered(label):
        low, _, high = label.partition("-")
        if label == "*":
            return domain
        return {age for age in domain if int(low) <= age <= int(high or low)}

    hidden, rows = len(ages) - len(labels), len(ages)
    shares = [0 if len(covered(label)) == 1 else len(covered(label)) / len(domain) for label in labels]
    if len(domain) > 1:
        assert values["ncp"] == pytest.approx((sum(shares) + hidden) / rows)
        steps = [(len(covered(label)) - 1) / (len(domain) - 1) for label in labels]
        assert values["glm"] == pytest.approx((sum(steps) + hidden) / rows)
    sizes = Counter(labels)
    assert values["dm"] == sum(size * size for size in sizes.values()) + hidden * rows
    assert values["c_avg"] == len(labels) / len(sizes) / 2
    right = sum(max(Counter(s for s, l in zip(private, labels, strict=True) if l == one).values()) for one in sizes)
    assert values["ce"] == pytest.approx((rows - right) / rows)
    assert list(values) == [entry.name for entry in shoal.losses().of("tables")]


def test_what_cannot_be_read_is_refused_with_the_reason(frame, tmp_path):
    released = pl.DataFrame({"sex": ["anyone"] * 4 + ["secret label"] * 2})
    measured = shoal.measure(released, quasi="sex", original=frame)
    assert measured.loss("dm").value is not None
    lost = measured.loss("ncp")
    assert lost.value is None and "2 of the 2 values of 'sex' stand for no value" in lost.reason
    assert "secret" not in json.dumps(measured.to_json())
    hierarchy = tmp_path / "sex.csv"
    hierarchy.write_text("f;anyone;*\nm;anyone;*\n")
    with pytest.raises(KeyError, match="No loss 'nc'"):
        measured.loss("nc")
    readable = released.filter(pl.col("sex") == "anyone")
    whole = frame.drop_nulls()
    ruled = shoal.measure(readable, quasi={"sex": shoal.hierarchy_file(str(hierarchy))}, original=whole)
    assert ruled.loss("ncp").value == 1.0


@pytest.mark.parametrize(
    ("released", "original", "error", "words"),
    [
        ({"sex": ["f"] * 3}, {"sex": ["f"] * 2}, shoal.DataError, "3 records and the original 2"),
        ({"sex": ["f"]}, {"sexx": ["f"]}, shoal.RecipeError, "original: there is no column 'sex'. Did you mean 'sexx'"),
        ({"sex": [["f"]]}, {"sex": [["f"]]}, shoal.RecipeError, "original: losses are measured of tables"),
    ],
)
def test_mistakes_are_named(released, original, error, words):
    with pytest.raises(error, match=words):
        shoal.measure(pl.DataFrame(released), quasi="sex", original=pl.DataFrame(original))


def test_the_command(tmp_path):
    (tmp_path / "before.csv").write_text("sex,age\nf,31\nm,32\nf,38\nm,39\n")
    (tmp_path / "after.csv").write_text("sex;age\nanyone;30-35\nanyone;30-35\nanyone;36-39\nanyone;36-39\n")
    (tmp_path / "sex.csv").write_text("f;anyone\nm;anyone\n")
    call = ["measure", str(tmp_path / "after.csv"), "--quasi", "sex,age", "--original", str(tmp_path / "before.csv")]
    rule = ["--hierarchy", f"sex={tmp_path / 'sex.csv'}"]
    answer = CliRunner().invoke(command, [*call, *rule, "--json"])
    assert answer.exit_code == 0, answer.output
    losses = {loss["name"]: loss["value"] for loss in json.loads(answer.stdout)["losses"]}
    assert losses["ncp"] == 0.75 and losses["il"] is None
    told = CliRunner().invoke(command, [*call, *rule])
    assert "(NCP): 0.75" in told.stdout
    assert CliRunner().invoke(command, [*call, "--hierarchy", "sex"]).exit_code == 2
