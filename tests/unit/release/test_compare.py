"""Methods side by side: the same data, every release verified, nothing written."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import replace

import pyarrow as pa
import pyarrow.csv
import pytest

import shoal
from shoal.release import compare as compare_file
from shoal.release import judge as judge_module
from shoal.release.examples import write_example
from shoal.report.comparing.chart import compare as draw
from shoal.report.comparing.facts import ComparedLoss, CompareFacts, MethodFacts, cells, heads, notes

METHODS = ["optimal", "mondrian", "incognito", "cluster"]


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    write_example("table", folder)
    return folder


@pytest.fixture(scope="module")
def found(demo):
    return shoal.compare(demo / "recipe.toml", methods=METHODS)


def test_every_method_is_verified_and_measured(found):
    assert [of.method for of in found.methods] == METHODS
    assert found.passed
    for of in found.methods:
        assert of.outcome == "pass"
        assert of.records + of.suppressed == 1500
        assert of.smallest_class >= 5
        assert {"glm", "ncp", "entropy", "dm", "c_avg", "il"} <= of.losses.keys()
        assert of.average_class == pytest.approx(of.records / of.classes)


def test_no_release_is_below_the_floor(found):
    assert found.floor is not None and found.floor > 0
    for of in found.methods:
        assert of.losses[found.facts.chosen.name] >= found.floor
        assert found.facts.above_floor(of) >= 0


def test_a_floor_along_the_hierarchies_says_nothing_of_free_values(demo):
    loaded = shoal.Recipe.load(demo / "recipe.toml")
    method = type(loaded.method)(name="auto", values="free", budget="1s")
    found = shoal.compare(loaded.model_copy(update={"method": method}), methods=["auto", "mondrian"])
    free, mondrian = found.methods
    assert found.facts.above_floor(mondrian) is not None
    assert free.outcome == "pass" and found.facts.above_floor(free) is None


def test_the_figures_are_those_of_a_release(demo, found):
    for of in found.methods:
        loaded = shoal.Recipe.load(demo / "recipe.toml")
        recipe = loaded.model_copy(update={"method": type(loaded.method)(name=of.method)})
        frame = pyarrow.csv.read_csv(demo / "patients.csv", convert_options=_text(demo))
        release = shoal.anonymize(frame, recipe)
        assert release.loss == pytest.approx(of.losses[recipe.loss.name])
        assert (release.verdict.classes, release.suppressed) == (of.classes, of.suppressed)


def _text(demo):
    names = (demo / "patients.csv").read_text().splitlines()[0].split(",")
    return pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(names, pyarrow.string()))


def test_frames_are_compared_as_files_are(demo, found):
    frame = pyarrow.csv.read_csv(demo / "patients.csv", convert_options=_text(demo))
    again = shoal.compare(frame, demo / "recipe.toml", ["mondrian", "mondrian"])
    assert [of.method for of in again.methods] == ["mondrian"]
    assert again.methods[0].losses == found.methods[1].losses


def test_releases_are_verified_in_memory(demo, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = sorted(demo.rglob("*"))
    seen = []
    real = judge_module.verify_by_recipe

    def spy(release, *args, **kwargs):
        files = [path for path in tmp_path.rglob("*") if not path.is_dir()]
        seen.append((type(release), type(kwargs["assignment"]), files))
        return real(release, *args, **kwargs)

    monkeypatch.setattr(judge_module, "verify_by_recipe", spy)
    shoal.compare(demo / "recipe.toml", methods=["optimal", "cluster"])
    assert seen == [(pa.Table, type(None), []), (pa.Table, pa.Table, [])]
    assert sorted(demo.rglob("*")) == before
    assert list(tmp_path.iterdir()) == []


NO_FILES = """
import os, resource, sys, tempfile
import shoal

def compare():
    found = shoal.compare(sys.argv[1], methods=sys.argv[2:])
    assert found.passed and len(found.methods) == len(sys.argv) - 2

compare()  # what is compiled here is kept on disk
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
try:
    with tempfile.TemporaryFile() as probe:
        os.write(probe.fileno(), b"x")
except OSError:
    compare()
    print("not a byte")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits")
def test_nothing_is_written_anywhere(demo):
    """The system lets the process write no byte into any file, and it makes do."""
    command = [sys.executable, "-c", NO_FILES, str(demo / "recipe.toml"), *METHODS]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "not a byte\n", done.stderr


def test_a_method_that_cannot_says_why(tmp_path):
    write_example("table", tmp_path)
    text = (tmp_path / "recipe.toml").read_text()
    entropy = tmp_path / "entropy.toml"
    entropy.write_text(text.replace("l = 2", 'l = 2\nvariant = "entropy"'))
    found = shoal.compare(entropy, methods=["incognito", "mondrian"])
    assert [of.outcome for of in found.methods] == ["none", "pass"]
    assert "suppression.limit = 0" in found.methods[0].reason
    assert not found.methods[0].reason.startswith("method.name")
    assert found.passed
    nine = tmp_path / "nine.toml"
    nine.write_text(text.replace("l = 2", "l = 9"))
    none = shoal.compare(nine, methods=["mondrian", "optimal"])
    assert [of.outcome for of in none.methods] == ["none", "none"]
    assert not none.passed and none.to_json()["verdict"] == "fail"
    assert none.best == {none.facts.chosen.name: ()}


def test_a_release_the_verifier_refuses_is_never_the_best(demo, monkeypatch):
    real = judge_module.verify_by_recipe
    calls = []

    def first_fails(*args, **kwargs):
        verdict = real(*args, **kwargs)
        calls.append(1)
        if len(calls) > 1:
            return verdict
        return replace(verdict, passed=False, checks=(replace(verdict.checks[0], passed=False), *verdict.checks[1:]))

    monkeypatch.setattr(judge_module, "verify_by_recipe", first_fails)
    found = shoal.compare(demo / "recipe.toml", methods=["mondrian", "optimal"])
    assert [of.outcome for of in found.methods] == ["fail", "pass"]
    assert found.best[found.facts.chosen.name] == ("optimal",)
    assert not found.passed
    assert "did not pass" in found.methods[0].reason


@pytest.mark.parametrize(("methods", "says"), [(["mondrain"], "Did you mean 'mondrian'"), ([], "No method is named")])
def test_methods_that_do_not_exist(demo, methods, says):
    with pytest.raises(shoal.RecipeError, match=says):
        shoal.compare(demo / "recipe.toml", methods=methods)


def test_the_budget_goes_to_those_that_take_one(demo, monkeypatch):
    given = {}
    for name in ("optimal", "mondrian", "cluster"):
        method = compare_file.METHODS[name]
        real = method.decide

        def spy(*args, name=name, real=real, **options):
            given[name] = options
            return real(*args, **options)

        monkeypatch.setattr(method, "decide", spy, raising=False)
    shoal.compare(demo / "recipe.toml", methods=["optimal", "mondrian", "cluster"], budget="30s")
    assert given == {"optimal": {"budget": "30s"}, "mondrian": {}, "cluster": {"budget": "30s"}}
    with pytest.raises(shoal.RecipeError, match="budget"):
        shoal.compare(demo / "recipe.toml", budget="soon")


def test_it_prints_and_draws(found):
    assert json.loads(json.dumps(found.to_json()))["best"].keys() == found.pictures.keys()
    assert "mondrian" in repr(found)
    html = found._repr_html_()
    assert html.count("<tr>") == len(METHODS) + 1 and "<svg" in html
    for picture in found.pictures.values():
        assert picture.startswith("<svg") and all(method in picture for method in METHODS)


# ---- facts -----------------------------------------------------------------------------------------------------------

GLM = ComparedLoss("glm", "Granularity (GLM)", True)
DM = ComparedLoss("dm", "Discernibility (DM)", False)


def _facts(floor=None, **losses):
    made = [
        MethodFacts(name, "pass", 1.0, "", {"glm": glm, "dm": dm}, 10, 0, 2, 5) for name, (glm, dm) in losses.items()
    ]
    made.append(MethodFacts("z", "none", 1.0, "it cannot <b>"))
    return CompareFacts(tuple(made), (GLM, DM), 10, ("5-anonymity",), floor)


def test_the_least_of_each_loss_is_marked_ties_included():
    facts = _facts(a=(0.2, 50), b=(0.1, 90), c=(0.1, 60))
    assert facts.best("glm") == ("b", "c") and facts.best("dm") == ("a",)
    assert cells(facts, facts.methods[0])[:4] == ("a", "pass", "0.2000", "50*")
    assert cells(facts, facts.methods[1])[:4] == ("b", "pass", "0.1000*", "90")
    assert len(heads(facts)) == len(cells(facts, facts.methods[0])) == len(cells(facts, facts.methods[-1]))
    assert "z: it cannot <b>" in notes(facts)


def test_how_far_above_the_best_possible():
    facts = _facts(0.1, a=(0.134, 50), b=(0.1, 90))
    assert facts.above_floor(facts.methods[0]) == pytest.approx(0.34)
    assert facts.above_floor(facts.methods[1]) == 0
    told = "\n".join(notes(facts))
    assert "a: at most 34\u00a0% above the best possible" in told and "b: proved the best possible" in told
    assert "above the best possible" in draw(facts, GLM) and "above the best possible" not in draw(facts, DM)
    assert _facts(0.0, a=(0.1, 1)).above_floor(facts.methods[0]) is None
    assert facts.above_floor(facts.methods[-1]) is None


def test_figures_far_apart_are_drawn_by_their_logarithm():
    assert "logarithmic" in draw(_facts(a=(0.2, 70_009_068), b=(0.1, 212_020)), DM)
    assert "logarithmic" not in draw(_facts(a=(0.2, 70), b=(0.001, 50)), DM)
    assert "it cannot &lt;b&gt;" in draw(_facts(a=(0.0, 0)), GLM)


def test_facts_refuse_nonsense():
    with pytest.raises(ValueError, match="reason"):
        MethodFacts("a", "none", 1.0)
    with pytest.raises(ValueError, match="at least one method"):
        CompareFacts((), (GLM,), 1, ())
    with pytest.raises(ValueError, match="loss of the recipe"):
        CompareFacts((MethodFacts("a", "pass", 1.0, "", {"dm": 1.0}),), (GLM, DM), 1, ())
