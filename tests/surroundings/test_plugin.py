"""The package in `examples/plugin`, installed as anyone would: its method, loss and promise work wherever names are asked for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PLUGIN = Path(__file__).resolve().parents[2] / "examples" / "plugin"
PROMISE = """
[[guarantee]]
name   = "at-most"
share  = 0.8
column = "diagnosis"
"""


@pytest.fixture(scope="module")
def shoal(tmp_path_factory):
    """The command line, in a process that finds the package."""
    target = tmp_path_factory.mktemp("installed")
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--target",
        str(target),
    ]
    source = tmp_path_factory.mktemp("source") / "plugin"  # building leaves nothing in the project
    subprocess.run(["cp", "-r", str(PLUGIN), str(source)], check=True)
    subprocess.run([*pip, str(source)], check=True, timeout=300)
    path = os.pathsep.join([str(target), *filter(None, [os.environ.get("PYTHONPATH")])])

    def run(*words: str, code: int = 0) -> str:
        ran = subprocess.run(
            [sys.executable, "-m", "shoal", *words],
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert ran.returncode == code, ran.stderr
        return ran.stdout

    return run


@pytest.fixture(scope="module")
def recipe(shoal, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "demo"
    shoal("example", "table", str(folder))
    file = folder / "recipe.toml"
    text = file.read_text().replace('name = "optimal"', 'name = "datafly"').replace('name = "glm"', 'name = "height"')
    file.write_text(text + PROMISE)
    return file


def test_it_is_listed(shoal) -> None:
    methods = json.loads(shoal("methods", "--json"))["methods"]
    assert methods["datafly"] == {
        "title": "Datafly, greedy full-domain generalization",
        "keys": {},
        "package": "shoal-datafly 1.0.0",
    }
    assert "from shoal-datafly" in shoal("methods")
    assert "height" in json.loads(shoal("losses", "--json"))["losses"]
    assert json.loads(shoal("guarantees", "--json"))["guarantees"]["at-most"] == ["share", "column"]


def test_a_release_by_it_is_verified_and_says_who_made_it(shoal, recipe) -> None:
    told = json.loads(shoal("run", str(recipe), "--json"))
    assert told["verdict"] == "pass" and "height" in told["losses"]
    released = recipe.parent / "release"
    data = next(file for file in released.iterdir() if file.name in ("patients.csv", "patients.parquet"))
    report = json.loads((released / "patients.report.json").read_text())["facts"]
    assert ["shoal-datafly", "1.0.0"] in report["identity"]["versions"]
    assert any("shoal-datafly 1.0.0" in warning for warning in report["verdict"]["warnings"])
    verdict = json.loads(shoal("verify", str(data), "--recipe", str(recipe), "--json"))
    assert verdict["verdict"] == "pass"
    assert any("at-most" in check["name"] for check in verdict["checks"])


def test_without_the_package_its_promise_is_refused(recipe) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "shoal", "plan", str(recipe)], capture_output=True, text=True, timeout=300, check=False
    )
    assert ran.returncode == 2
    assert "at-most" in ran.stderr and "datafly" in ran.stderr and "Traceback" not in ran.stderr


@pytest.mark.slow
def test_it_is_compared_with_the_others_on_adult(shoal, tmp_path, shared) -> None:
    from real.tables import ADULT

    spec = ADULT.recipe(5, method={"name": "auto"}, suppression=0.02, output=tmp_path / "adult.csv")
    columns = "\n".join(
        f"{json.dumps(name)} = {json.dumps(column)}".replace('": ', '" = ') for name, column in spec["columns"].items()
    )
    file = tmp_path / "recipe.toml"
    file.write_text(
        f"[input]\npath = {json.dumps(spec['input']['path'])}\n[columns]\n{columns}\n"
        '[[guarantee]]\nname = "k-anonymity"\nk = 5\n[loss]\nname = "height"\n[suppression]\nlimit = 0.02\n'
    )
    told = json.loads(shoal("compare", str(file), "--methods", "datafly,optimal,mondrian", "--json"))
    by_name = {method["method"]: method for method in told["methods"]}
    assert {method["verdict"] for method in by_name.values()} == {"pass"}
    height = {name: method["losses"]["height"] for name, method in by_name.items()}
    assert height["optimal"] <= height["datafly"] <= 1  # proved the best of all that have one level for each column
