"""The frontier as a user asks for it: from Python, from the command line, as a method, as a picture."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest

import shoal
from shoal.cli.errors import run_command
from shoal.cli.root import shoal as commands
from shoal.methods.tables import frontier as frontier_module
from shoal.methods.tables.frontier import Frontier, FrontierMethod, Point, Tie
from shoal.methods.tables.poka import Poka
from shoal.release.examples import write_example
from shoal.report.tables.charts.frontier import frontier as draw
from shoal.report.tables.frontier import FrontierFacts, FrontierPoint, how_sure, level_words, next_steps

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def demo(tmp_path):
    write_example("table", tmp_path / "demo")
    return tmp_path / "demo"


@pytest.fixture
def call(capsys):
    def run(*args):
        code = run_command(commands, [str(a) for a in args])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err + captured.out
        return code, captured.out, captured.err

    return run


def recipe(demo, **changes):
    """The example's recipe with only k promised, and whatever else is changed."""
    values = json.loads(shoal.Recipe.load(demo / "recipe.toml").model_dump_json(exclude_defaults=True))
    values["guarantee"] = [{"name": "k-anonymity", "k": 5}]
    values["columns"]["schooling"]["hierarchy"] = str(demo / "schooling.csv")
    return {**values, **changes}


@pytest.fixture
def people(demo):
    return pd.read_csv(demo / "patients.csv", dtype=str)


# ---- Python ----------------------------------------------------------------------------------------------------------


def diverse(demo, l=2, **changes):
    promised = [{"name": "k-anonymity", "k": 5}, {"name": "l-diversity", "l": l, "column": "diagnosis"}]
    return recipe(demo, guarantee=promised, suppression={"limit": 0.0}, method={"name": "optimal"}, **changes)


def test_with_l_diversity_every_k_and_l_that_is_worth_choosing(demo, people):
    found = shoal.frontier(people, diverse(demo))
    assert found.diverse is not None and found.diverse.complete and found.warnings == ()
    points = found.diverse.points
    assert {(p.k, p.loss) for p in points} >= {
        (p.k, p.loss) for p in found.points
    }  # of k alone: l is what comes with it
    assert not any(a is not b and a.k >= b.k and a.l >= b.l and a.loss <= b.loss for a in points for b in points)
    for l in (2, 4):
        release = shoal.anonymize(people, diverse(demo, l))
        best = found.diverse.reaching(5, l)
        assert release.decision.loss == best.loss and release.decision.optimal
    assert found.reaching == found.diverse.reaching(5, 2)
    assert "What each k and l cost" in found.picture and ET.fromstring(found.picture).tag == f"{SVG}svg"
    told = json.loads(json.dumps(found.to_json()))["diverse"]
    assert told["column"] == "diagnosis" and len(told["points"]) == len(points) and told["complete"]


def test_two_promises_of_l_diversity_have_no_l_in_common(demo, people):
    twice = [{"name": "l-diversity", "l": 2, "column": "diagnosis"}, {"name": "l-diversity", "l": 2, "column": "ward"}]
    values = diverse(demo)
    values["guarantee"] = [values["guarantee"][0], *twice]
    values["columns"]["ward"] = {"role": "sensitive"}
    found = shoal.frontier(people, values)
    assert found.diverse is None and "k alone" in found.warnings[0]


def test_a_lattice_too_large_to_hold_is_searched_for_k_alone(demo, people, monkeypatch):
    monkeypatch.setattr(frontier_module, "ARRAY_NODES", 10)
    found = shoal.frontier(people, diverse(demo), budget=1)
    assert found.diverse is None and "k alone" in found.warnings[0]


def test_the_command_prints_k_and_l(demo, call):
    code, out, _ = call("frontier", demo / "recipe.toml")
    assert code == 0 and "different values of 'diagnosis'" in out and "proved to be all" in out


def test_from_a_frame_and_from_a_file_are_the_same(demo, people):
    one, other = shoal.frontier(people, demo / "recipe.toml"), shoal.frontier(demo / "recipe.toml")
    assert one.points == other.points
    assert one.found.complete and one.found.evaluated < one.found.lattice
    assert "complete" in repr(one) and f"{len(one.points)} points" in repr(one)
    assert one._repr_html_().startswith("<svg") and "<table>" in one._repr_html_()


def test_every_point_is_what_optimal_publishes(demo, people):
    """Without suppression a point is the optimum for its k."""
    found = shoal.frontier(people, recipe(demo, suppression={"limit": 0.0}))
    assert found.points[0].k == 1 and found.points[0].loss == 0
    for point in found.points[1:3]:
        asked = recipe(demo, suppression={"limit": 0.0}, guarantee=[{"name": "k-anonymity", "k": point.k}])
        release = shoal.anonymize(people, asked | {"method": {"name": "optimal"}})
        assert release.decision.loss == point.loss
        assert release.decision.recoding.levels in {tie.levels for tie in point.ties}


def test_other_promises_are_not_looked_at_and_that_is_said(demo):
    close = {"name": "t-closeness", "t": 0.5, "column": "diagnosis"}
    asked = recipe(demo, input={"path": str(demo / "patients.csv")}, guarantee=[{"name": "k-anonymity", "k": 5}, close])
    found = shoal.frontier(asked)
    assert "also promises" in found.warnings[0] and found.diverse is None
    assert shoal.frontier(recipe(demo, input={"path": str(demo / "patients.csv")})).warnings == ()


def test_a_budget_gives_points_with_bounds(demo, people):
    whole = shoal.frontier(people, recipe(demo))
    cut = shoal.frontier(people, recipe(demo), budget="1ms")
    assert not cut.found.complete
    for point in cut.points:
        true = whole.found.reaching(point.k)
        assert point.bound <= float(true.loss) + 1e-9
        assert not point.proved or point.loss == true.loss
    assert "the time was up" in how_sure(cut.facts)
    assert "No larger k was found" in cut.steps[-1]
    ET.fromstring(cut.picture)


def test_a_lattice_too_large_to_hold(demo, people, monkeypatch):
    whole = shoal.frontier(people, recipe(demo))
    monkeypatch.setattr(frontier_module, "ARRAY_NODES", 10)
    large = shoal.frontier(people, recipe(demo), budget=20)
    assert not large.found.complete
    for k in (2, 3, 5, 10, 20):
        assert large.found.reaching(k).loss == whole.found.reaching(k).loss
        assert large.found.reaching(k).bound <= float(whole.found.reaching(k).loss) + 1e-9
    assert large.found.reaching(5).proved


@pytest.mark.parametrize("loss", ["ncp", "dm", "entropy", "ce"])
def test_every_loss_can_be_asked_for(demo, people, loss):
    given = {"name": loss, "column": "diagnosis"} if loss == "ce" else {"name": loss}
    found = shoal.frontier(people, recipe(demo, loss=given))
    assert found.found.complete and found.found.loss_name == loss
    assert [p.k for p in found.points] == sorted({p.k for p in found.points})
    ET.fromstring(found.picture)


# ---- the methods -----------------------------------------------------------------------------------------------------


class _Made:
    """What a method decides on a frame."""

    def __init__(self, people, values, method, **options):
        from shoal.engines.local import LocalEngine
        from shoal.io.source import from_frame
        from shoal.release.hierarchies import build_hierarchies
        from shoal.release.make import problem_of
        from shoal.release.plan import make_plan

        plan = make_plan(shoal.Recipe.of(values), from_frame(people))
        engine = LocalEngine(None, None)
        try:
            engine.load(plan.source, plan.schema)
            self.problem = problem_of(plan, build_hierarchies(plan, engine))
            self.events = []
            self.decision = method.decide(engine, self.problem, self.events.append, **options)
            self.written = engine.apply(self.decision.recoding)
        finally:
            engine.close()


@pytest.mark.parametrize("limit", [0.0, 0.02])
def test_the_method_takes_the_cheapest_point_that_reaches_k(demo, people, limit):
    values = recipe(demo, suppression={"limit": limit})
    made = _Made(people, values, FrontierMethod())
    point = shoal.frontier(people, values).found.reaching(5)
    assert made.decision.loss == point.loss
    assert (made.decision.recoding.levels, made.decision.suppressed) == (point.levels, point.suppressed)
    assert made.written.suppressed == point.suppressed
    assert made.decision.optimal is (limit == 0.0)
    assert {event.stage for event in made.events} == {"count", "search"}


def test_releases_of_both_are_verified(demo, people):
    for method in ({"name": "frontier"}, {"name": "poka", "depth": 2}):
        release = shoal.anonymize(people, recipe(demo, method=method))
        assert release.verdict.passed and release.verdict.smallest_class >= 5
        assert release.records_in == release.records_out + release.suppressed


def test_poka_reaches_k_at_no_less_loss(demo, people):
    values = recipe(demo)
    best = _Made(people, values, FrontierMethod()).decision
    for depth in (None, 1, "best"):
        found = _Made(people, values, Poka(), **({} if depth is None else {"depth": depth})).decision
        assert found.loss >= best.loss and not found.optimal


@pytest.mark.parametrize("method", [FrontierMethod(), Poka()])
def test_other_guarantees_are_refused(demo, people, method):
    values = recipe(demo)
    values["guarantee"].append({"name": "l-diversity", "l": 2, "column": "diagnosis"})
    with pytest.raises(shoal.RecipeError, match="k-anonymity and nothing else"):
        _Made(people, values, method)
    with pytest.raises(shoal.Infeasible, match="fewer than the"):
        _Made(people, recipe(demo, guarantee=[{"name": "k-anonymity", "k": 10**6}]), method)


def test_poka_refuses_a_lattice_it_could_not_walk(demo, people, monkeypatch):
    monkeypatch.setattr("shoal.methods.tables.poka.ARRAY_NODES", 10)
    with pytest.raises(shoal.RecipeError, match="216 combinations"):
        _Made(people, recipe(demo), Poka())


def test_keys_of_the_methods():
    assert FrontierMethod().problems({"budget": "5s"}) == []
    assert "budget" in FrontierMethod().problems({"budget": "soon"})[0]
    assert "not a key" in FrontierMethod().problems({"depth": 3})[0]
    assert Poka().problems({"depth": 3}) == Poka().problems({"depth": "worst"}) == Poka().problems({}) == []
    for wrong in (0, -1, True, 1.5, "deep"):
        assert "`depth` must be" in Poka().problems({"depth": wrong})[0]
    assert "not a key" in Poka().problems({"budget": "5s"})[0]


def test_values_refuse_nonsense():
    tie = Tie((0,), 0, 1)
    with pytest.raises(ValueError, match="at least 1"):
        Point(0, Fraction(0), (tie,), 0.0)
    points = (Point(2, Fraction(1), (tie,), 1.0), Point(3, Fraction(1), (tie,), 1.0))
    with pytest.raises(ValueError, match="rise in k and in loss"):
        Frontier(("a",), points, 5, 0, (1, 0.0), "glm", 1, 2, True, 0.0)


# ---- the command -----------------------------------------------------------------------------------------------------


def test_json(demo, call):
    code, out, err = call("frontier", demo / "recipe.toml", "--json", "--plot", demo / "front.svg")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert {"verdict", "loss", "records_in", "records_out", "suppressed", "seconds"} <= told.keys()
    assert {"points", "evaluated", "lattice", "complete"} <= told.keys()
    for point in told["points"]:
        assert {"k", "loss", "levels", "ties", "suppressed", "smallest_class", "classes", "next_step"} <= point.keys()
        assert point["levels"] == point["ties"][0]["levels"]
        assert set(point["levels"]) == {"age", "sex", "postcode", "schooling"}
        assert point["smallest_class"] == point["k"]
    assert told["lattice"] == 216
    assert ET.parse(demo / "front.svg").getroot().tag == f"{SVG}svg"


def test_every_json_key_is_documented(demo):
    page = (Path(__file__).parents[3] / "docs/reference/exit-codes.md").read_text(encoding="utf-8")
    section = page.split("\n### shoal frontier\n")[1].split("\n### ")[0].split("\nOf [mixed tables]")[0]
    cells = re.findall(r"^\| (`.*?`) \|", section, re.MULTILINE)
    listed = [key for cell in cells for key in re.findall("`(.*?)`", cell)]
    told = shoal.frontier(demo / "recipe.toml").to_json()
    assert sorted(listed) == sorted(told)
    for key in told["points"][0]:
        assert f"`{key}`" in section


def test_a_person_reads_what_the_next_step_costs(demo, call):
    code, out, err = call("frontier", demo / "recipe.toml")
    assert code == 0
    assert "What the next step costs:" in out
    assert "From k = 1 to k = " in out and "more loss: " in out
    assert "The recipe asks for k = 5" in out
    assert "No other release has as large a k and l for less loss" in out  # the recipe promises l = 2
    assert err == ""


def test_mistakes(demo, call):
    code, _, err = call("frontier", demo / "recipe.toml", "--plot", "front.png")
    assert code == 2 and ".svg" in err
    code, _, err = call("frontier", demo / "recipe.toml", "--budget", "soon")
    assert code == 2 and "budget" in err
    code, _, err = call("frontier", demo / "missing.toml")
    assert code == 2 and "no recipe" in err
    code, _, err = call("frontier", demo / "recipe.toml", "--plot", demo / "nowhere" / "front.svg")
    assert code == 3 and "cannot be written" in err
    code, out, _ = call("frontier", demo / "recipe.toml", "--budget", "30", "--json")
    assert code == 0 and json.loads(out)["complete"]


def test_no_value_of_the_data_is_told(demo, call):
    """Masked codes are made from the data, so levels of the postcode are told by number only."""
    _, out, _ = call("frontier", demo / "recipe.toml", "--plot", demo / "front.svg")
    codes = {line.split(",")[3] for line in (demo / "patients.csv").read_text().splitlines()[1:]}
    shown = out + (demo / "front.svg").read_text()
    assert not any(code in shown or f"{code[:3]}**" in shown for code in codes)


# ---- the picture -----------------------------------------------------------------------------------------------------


def facts(**changes):
    points = (
        FrontierPoint(1, 0.0, (("age", 0, "exact"), ("sex", 0, "exact")), 0, 90, 1, 0.0, True),
        FrontierPoint(4, 0.25, (("age", 2, "at step 2 of 3"), ("sex", 0, "exact")), 3, 9, 2, 0.25, True),
        FrontierPoint(20, 0.5, (("age", 1, "at step 1 of 3"), ("sex", 1, "hidden")), 1, 2, 1, 0.4, False),
    )
    given = {
        "points": points, "records": 100, "limit": 3, "today_k": 1, "today_loss": 0.0, "asked_k": 3,
        "loss_title": "Granularity (GLM)", "share": True, "complete": True, "evaluated": 5, "lattice": 8,
    }  # fmt: skip
    return FrontierFacts(**{**given, **changes})


def test_the_picture_tells_everything_to_those_who_point_at_it():
    root = ET.fromstring(draw(facts()))
    titles = [title.text for title in root.iter(f"{SVG}title")]
    assert sum(title.startswith("k = ") for title in titles) == 3
    chosen = next(title for title in titles if title.startswith("k = 4:"))
    for part in (
        "3 others",
        "25 % lost".replace(" %", "\u00a0%"),
        "3 records hidden of 100",
        "age at step 2 of 3",
        "2 combinations",
    ):
        assert part in chosen
    assert any(title.startswith("the data as it is: k = 1") for title in titles)
    assert root.find(f"{SVG}desc").text.startswith("k 1: 0.0000; k 4: 0.2500")
    words = " ".join(text.text or "" for text in root.iter(f"{SVG}text"))
    assert "recipe: k = 3" in words and "k = 4: 25" in words
    assert (root.get("width"), root.get("height")) == ("800", "480")


@pytest.mark.parametrize("asked", [1, 4, 20, 10**9])
@pytest.mark.parametrize("share", [True, False])
def test_the_picture_of_any_frontier(asked, share):
    one = FrontierPoint(1, 0.0, (("age", 0, "exact"),), 0, 1, 1, 0.0, True)
    big = FrontierPoint(10**9, 9e8, (("age", 1, "hidden"),), 0, 1, 1, 0.0, False)
    for made in (
        facts(asked_k=asked, share=share, complete=False),
        facts(asked_k=asked, share=share, points=(one,)),
        facts(asked_k=asked, share=False, points=(one, big)),
        facts(asked_k=asked, share=False, points=(big,), today_loss=5.0),
    ):
        assert "nan" not in draw(made).lower()
        ET.fromstring(draw(made))


def test_steps_in_words():
    first, second, last = next_steps(facts())
    assert first == "From k = 1 to k = 4 costs 0.2500 more loss: age at step 2 of 3; 3 records more hidden."
    assert second == (
        "From k = 4 to k = 20 costs 0.2500 more loss: sex hidden; in return age at step 1 of 3; 2 records fewer hidden."
    )
    assert last == "There is no larger k than 20, for 0.5000 in all."
    assert level_words(0, 3, "a") == "exact" and level_words(3, 3, "*") == "hidden"
    assert level_words(1, 3, "20-39") == "in groups such as 20-39 (step 1 of 3)"
    with pytest.raises(ValueError, match="rise in k"):
        facts(points=())
