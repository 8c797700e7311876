"""The frontier over delta as a user asks for it: from Python and from the command line; every point a verified release."""

from __future__ import annotations

import json
import random
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

import shoal
from shoal.cli.errors import run_command
from shoal.cli.root import shoal as commands
from shoal.release import make as module
from shoal.release.kinds.mixed.delta_trial import ExactPoint, ranked
from shoal.release.kinds.mixed.deltas import asked_for, between, grid
from shoal.release.kinds.mixed.frontier import MixedFrontierResult
from shoal.report.mixed.frontier import DeltaPoint

RECIPE = {
    "columns": {
        "age": {"role": "quasi", "hierarchy": {"intervals": [5, 20], "from": 0, "to": 80}},
        "town": {"role": "quasi"},
        "items": {"role": "quasi", "kind": "set", "sensitive_items": ["h"]},
    },
    "guarantee": [{"name": "k-km-anonymity", "k": 4, "m": 2}],
    "method": {"name": "rum-bound", "delta": 0.65},
}
SCHEMA = pa.schema([("age", pa.string()), ("town", pa.string()), ("items", pa.list_(pa.string()))])


def rows(number=150):
    chance = random.Random(5)
    return [
        (
            str(chance.randrange(20, 60)),
            chance.choice(["Bern", "Basel", "Chur"]),
            sorted({chance.choice("aaabbccdefgh") for _ in range(chance.randrange(4))}),
        )
        for _ in range(number)
    ]


@pytest.fixture
def people():
    return pd.DataFrame(rows(), columns=["age", "town", "items"])


@pytest.fixture
def files(tmp_path):
    written = "".join(f"{age},{town},{'|'.join(items)}\n" for age, town, items in rows())
    (tmp_path / "in.csv").write_text(f"age,town,items\n{written}")
    (tmp_path / "recipe.toml").write_text(
        """
[input]
path = "in.csv"
[output]
path = "release/out.csv"
[columns]
age = { role = "quasi", hierarchy = { intervals = [5, 20], from = 0, to = 80 } }
town = { role = "quasi" }
items = { role = "quasi", kind = "set", sensitive_items = ["h"] }
[[guarantee]]
name = "k-km-anonymity"
k = 4
m = 2
[method]
name = "rum-bound"
delta = 0.65
"""
    )
    return tmp_path


@pytest.fixture
def call(capsys):
    def run(*args):
        code = run_command(commands, [str(a) for a in args])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err + captured.out
        return code, captured.out, captured.err

    return run


def changed(**method):
    return {**RECIPE, "method": method}


def check(found, bounded):
    """What every frontier keeps."""
    assert found.passed
    for point in found.facts.passed:
        lost = point.table_loss if bounded == "values" else found.facts.item_loss(point)
        assert lost <= float(point.delta) + 1e-9
        assert point.smallest_class >= 4 and point.largest_class >= point.smallest_class
    losses = [(p.table_loss, found.facts.item_loss(p)) for p in found.front]
    assert len(set(losses)) == len(losses)
    for values, items in losses:
        assert not any(v <= values and i <= items and (v, i) != (values, items) for v, i in losses)
    front = sorted(losses)
    assert [items for _, items in front] == sorted((items for _, items in front), reverse=True)


# ---- Python ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["item-ncp", "ul"])
@pytest.mark.parametrize(("method", "bounded"), [("rum-bound", "values"), ("tum-bound", "items")])
def test_every_point_is_a_release_within_its_delta(people, method, bounded, loss):
    events = []
    recipe = changed(name=method, delta=0.65) | {"loss": {"name": loss}}
    found = shoal.frontier(people, recipe, points=4, listener=events.append)
    assert isinstance(found, MixedFrontierResult)
    check(found, bounded)
    assert "0.65" in {point.delta for point in found.points}
    assert found.facts.chosen_loss.name == loss
    assert len(found.front) > 1
    assert all({"item-ncp", "ul"} == set(point.item_losses) for point in found.facts.passed)
    assert {"load", "count", "search", "verify"} <= {event.stage for event in events}
    done = [event.done for event in events if event.message.startswith("delta = ") and event.done is not None]
    assert done == sorted(done) and max(done) <= 1
    ET.fromstring(found.picture)
    assert found._repr_html_().startswith("<svg") and "<table>" in found._repr_html_()
    assert repr(found).startswith(f"MixedFrontierResult({method}, ")


def test_a_point_is_what_its_line_publishes(people):
    found = shoal.frontier(people, RECIPE, deltas=[0.5, 0.8])
    assert [point.delta for point in found.points] == ["0.5", "0.8"]
    for point in found.front:
        release = shoal.anonymize(people, changed(name="rum-bound", delta=float(point.delta)))
        assert release.verdict.passed
        assert release.loss == pytest.approx(found.facts.item_loss(point))
        assert release.verdict.classes == point.classes


def test_deltas_that_cannot_be_kept_are_shown_as_such(people):
    found = shoal.frontier(people, RECIPE, deltas=[0, 0.01, 0.9])
    assert [point.outcome for point in found.points] == ["none", "none", "pass"]
    assert found.points[0].reason and found.points[0].item_losses == {}
    assert found.to_json()["points"][0]["table_loss"] is None
    assert not shoal.frontier(people, RECIPE, deltas=[0]).passed


def test_from_a_file_and_from_a_frame_are_the_same_and_nothing_stays(people, files):
    one, other = shoal.frontier(people, RECIPE, points=2), shoal.frontier(files / "recipe.toml", points=2)
    assert [replace(p, seconds=0) for p in one.points] == [replace(p, seconds=0) for p in other.points]
    assert sorted(path.name for path in files.rglob("*")) == ["in.csv", "recipe.toml"]


def test_the_verifier_reads_a_file_where_there_is_an_output(files, monkeypatch):
    read = []
    judge = module.judge

    def watched(plan, release, assignment, *args, **options):
        read.append((release, assignment))
        assert release.is_file() and assignment.is_file()
        assert release.parent.parent == files / "release" and release.parent.stat().st_mode & 0o077 == 0
        return judge(plan, release, assignment, *args, **options)

    monkeypatch.setattr(module, "judge", watched)
    (files / "release").mkdir()
    (files / "release/out.csv").write_text("stays")
    shoal.frontier(files / "recipe.toml", deltas=[0.6, 0.9])
    assert len(read) == 2 and not any(release.exists() for release, _ in read)
    assert [path.name for path in (files / "release").iterdir()] == ["out.csv"]


def test_what_the_verifier_does_not_pass_cannot_be_picked(people, files, call, monkeypatch):
    judge = module.judge

    def strict(*args, **options):
        verdict = judge(*args, **options)
        return replace(verdict, passed=False, checks=tuple(replace(one, passed=False) for one in verdict.checks))

    monkeypatch.setattr(module, "judge", strict)
    found = shoal.frontier(people, RECIPE, deltas=[0.7])
    assert (found.points[0].outcome, found.front, found.passed) == ("fail", (), False)
    assert "did not pass" in found.points[0].reason
    code, out, _ = call("frontier", files / "recipe.toml", "--deltas", "0.7")
    assert code == 1 and "did NOT pass" in out


def test_a_budget_leaves_deltas_out(people):
    found = shoal.frontier(people, RECIPE, budget="1ms")
    assert len(found.points) == 1 and found.facts.left_out >= 8
    assert found.to_json()["left_out"] == found.facts.left_out


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"points": 1}, "from 2 to"),
        ({"points": True}, "from 2 to"),
        ({"deltas": []}, "from 0 to 1"),
        ({"deltas": [1.5]}, "from 0 to 1"),
        ({"deltas": ["a"]}, "from 0 to 1"),
        ({"deltas": [0.5], "points": 3}, "not both"),
        ({"budget": "soon"}, "budget"),
    ],
)
def test_nonsense_is_refused(people, more, words):
    with pytest.raises(shoal.RecipeError, match=words):
        shoal.frontier(people, RECIPE, **more)


def test_who_has_no_delta_is_refused(people):
    with pytest.raises(shoal.RecipeError, match="'rfirst' has no delta"):
        shoal.frontier(people, changed(name="rfirst"))
    with pytest.raises(shoal.Infeasible):
        shoal.frontier(people[:3], RECIPE)
    empty = pa.table({"age": [], "town": [], "items": []}, schema=SCHEMA)
    with pytest.raises(shoal.DataError, match="no records"):
        shoal.frontier(empty, RECIPE)
    table = {"columns": {"town": {"role": "quasi"}}, "guarantee": [{"name": "k-anonymity", "k": 2}]}
    with pytest.raises(shoal.RecipeError, match="of a table every k is shown"):
        shoal.frontier(people[["town"]], table, points=3)


# ---- the command -----------------------------------------------------------------------------------------------------


def test_a_person_picks_a_line(files, call):
    code, out, _ = call("frontier", files / "recipe.toml", "--points", "3", "--plot", files / "front.svg")
    assert code == 0
    assert "delta = 0.65" in out and "the recipe" in out
    assert "put its line into `[method]` of the recipe" in out
    ET.fromstring((files / "front.svg").read_text())


def test_json(files, call):
    code, out, err = call("frontier", files / "recipe.toml", "--deltas", "0.6, 0.9", "--json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert {"verdict", "loss", "records_in", "records_out", "suppressed", "seconds"} <= told.keys()
    assert [point["delta"] for point in told["points"]] == [0.6, 0.9]
    assert told["points"][0]["line"] == "delta = 0.6"
    assert told["front"] and set(told["front"]) <= {0.6, 0.9}
    assert (told["method"], told["loss_name"], told["records_in"], told["asked"]) == (
        "rum-bound",
        "item-ncp",
        150,
        0.65,
    )
    code, _, err = call("frontier", files / "recipe.toml", "--deltas", "half")
    assert code == 2 and "--deltas" in err


def test_every_json_key_is_documented(people):
    page = (Path(__file__).parents[5] / "docs/reference/exit-codes.md").read_text(encoding="utf-8")
    section = (
        page.split("\n### shoal frontier\n")[1]
        .split("\n### ")[0]
        .split("\nOf [mixed tables]")[1]
        .split("\nOf item sets")[0]
    )
    cells = re.findall(r"^\| (`.*?`) \|", section, re.MULTILINE)
    told = shoal.frontier(people, RECIPE, deltas=[0.9]).to_json()
    assert sorted(key for cell in cells for key in re.findall("`(.*?)`", cell)) == sorted(told)
    for key in told["points"][0]:
        assert f"`{key}`" in section


# ---- the parts -------------------------------------------------------------------------------------------------------


def test_the_grid_reaches_its_ends():
    for low, high, points in ((Fraction(1, 3), Fraction(1), 9), (Fraction(1, 700), Fraction(1, 90), 9), (0, 1, 2)):
        made = grid(Fraction(low), Fraction(high), points)
        assert made == sorted(set(made)) and 2 <= len(made) <= points
        assert made[0] >= low and made[-1] >= high and made[-1] <= 1
        assert all(len(str(float(one))) <= 9 for one in made)
    assert grid(Fraction(1, 2), Fraction(1, 2), 9) == [Fraction(1, 2)]
    assert asked_for(None, [0.5, 0.3, 0.5]) == [Fraction(3, 10), Fraction(1, 2)]


def made(delta, values, items, outcome="pass"):
    point = DeltaPoint(delta, outcome, 0.0, "" if outcome == "pass" else "why")
    return ExactPoint(point, Fraction(values), Fraction(items))


def test_what_is_beaten_and_what_is_the_same():
    found = [
        made("0.1", 0, 0, "none"),
        made("0.2", 2, 9),
        made("0.3", 3, 9),
        made("0.4", 4, 5),
        made("0.5", 4, 5),
        made("0.6", 4, 6),
        made("0.7", 1, 1, "fail"),
    ]
    told = {point.delta: (point.dominated, point.same_as) for point in ranked(found)}
    assert told == {
        "0.1": (False, None),
        "0.2": (False, None),
        "0.3": (True, None),
        "0.4": (False, None),
        "0.5": (False, "0.4"),
        "0.6": (True, None),
        "0.7": (False, None),
    }


def test_half_way():
    assert between(Fraction(2, 100), Fraction(26, 100)) == Fraction(14, 100)
    assert Fraction(1, 1000) < between(Fraction(1, 1000), Fraction(2, 1000)) < Fraction(2, 1000)


def test_below_the_first_release_more_are_looked_for(people):
    """The recipe's own delta is too small; between it and the least of the grid there may be releases."""
    found = shoal.frontier(people, changed(name="rum-bound", delta=0.0), points=2)
    assert found.points[0].outcome == "none" and len(found.points) > 3
    last = max(i for i, point in enumerate(found.points) if point.outcome == "none")
    assert all(point.outcome == "pass" for point in found.points[last + 1 :])
