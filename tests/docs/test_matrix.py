"""Every cell of docs/reference/matrix.md: commands × kinds of data × promises × engines, on the data of `shoal example`."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from shoal.cli.errors import run_command
from shoal.cli.root import shoal
from shoal.release.examples import write_example
from shoal.release.recipe.recipe import Recipe

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "matrix.md"
EXAMPLES = {"table": "table", "item sets": "baskets", "mixed table": "patients", "trees": "trees"}
PROMISES = {
    "table": (
        [{"name": "k-anonymity", "k": 5}],
        [{"name": "k-anonymity", "k": 5}, {"name": "l-diversity", "l": 2, "column": "diagnosis"}],
    ),
    "baskets": (
        [{"name": "km-anonymity", "k": 5, "m": 2}],
        [{"name": "k-matching", "k": 5}, {"name": "l-matching", "l": 2, "column": "paid"}],
    ),
    "patients": (
        [{"name": "k-km-anonymity", "k": 5, "m": 2}],
        [{"name": "k-lm-diversity", "k": 5, "l": 2, "m": 2, "column": "diagnoses"}],
    ),
    "trees": (
        [{"name": "kmn-anonymity", "k": 5, "m": 1, "n": 0}],
        [{"name": "kmn-diversity", "k": 5, "m": 1, "n": 0, "l": 2, "column": "insurance"}],
    ),
}
SHORT = {"table": ["--methods", "optimal,mondrian"], "mixed table": ["--methods", "rfirst"]}
RAN: dict[Path, tuple[int, str]] = {}  # of each recipe how its run ended, once
RECORDS = 301  # lines of each example that Spark is given, the names of columns among them
SENSITIVE = {"baskets": "paid", "trees": "insurance"}  # published as it is without a promise


def cells(engine: str) -> list[tuple[str, str, str]]:
    """(command, kind, what the page says)"""
    _, local, spark = re.split(r"(?m)^## .*$", PAGE.read_text("utf-8"))[:3]
    lines = {"local": local, "spark": spark}[engine].splitlines()
    rows = [re.findall(r"[^|]+", line) for line in lines if line.startswith("|")]
    kinds = [cell.strip() for cell in rows[0][1:]]
    return [
        (row[0].strip(" `").removeprefix("shoal "), kind, said.strip())
        for row in rows[2:]
        for kind, said in zip(kinds, row[1:], strict=True)
    ]


def call(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str]:
    """Exit code, and all that was said."""
    capsys.readouterr()
    code = run_command(shoal, [str(word) for word in words])
    said = capsys.readouterr()
    return code, said.out + said.err


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, bool], Path]:
    """(example, with a promise about what is sensitive) → its recipe."""
    found = {}
    for example, promises in PROMISES.items():
        for sensitive, promise in enumerate(promises):
            folder = tmp_path_factory.mktemp(f"{example}{sensitive}")
            recipe = write_example(example, folder)[-1]
            text = re.sub(r"(?ms)^\[\[guarantee\]\].*?(?=^\[[a-z])", "", recipe.read_text("utf-8"))
            text += "".join(
                "\n[[guarantee]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in one.items())
                for one in promise
            )
            if example == "baskets":  # most pay alike, too many for any promise about it
                head, *lines = (folder / "baskets.csv").read_text("utf-8").splitlines()
                others = [
                    f"{line.rpartition(',')[0]},{('card', 'cash', 'voucher')[at % 3]}" for at, line in enumerate(lines)
                ]
                (folder / "baskets.csv").write_text("\n".join([head, *others, ""]), "utf-8")
            column = SENSITIVE.get(example)
            if sensitive and column:
                text = text.replace(', hierarchy = "products.csv"', "")  # matching shows base sets
                text = re.sub(rf"(?m)^({column}\s*= {{ role = )\"plain\"", r'\1"sensitive"', text)
            recipe.write_text(text, "utf-8")
            found[example, bool(sensitive)] = recipe
    return found


@pytest.fixture(scope="module")
def spark_places(places, tmp_path_factory) -> dict[tuple[str, bool], Path]:
    """The same on Spark, with fewer records: what is asked is whether it works."""
    found = {}
    for (example, sensitive), recipe in places.items():
        folder = tmp_path_factory.mktemp(f"spark-{example}{sensitive:d}")
        shutil.copytree(recipe.parent, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("release"))
        text = re.sub(r'(?m)^(path = "release/\w+)\.\w+', r"\1.parquet", recipe.read_text("utf-8"))
        (folder / recipe.name).write_text(text + '\n[engine]\nname = "spark"\n', "utf-8")
        data = folder / Recipe.load(recipe).input.path
        data.write_text("".join(data.read_text("utf-8").splitlines(keepends=True)[:RECORDS]), "utf-8")
        found[example, sensitive] = folder / recipe.name
    return found


@pytest.fixture
def one_session(spark, monkeypatch) -> None:
    """Commands open a session of their own; to start Spark takes longer than most of them."""
    monkeypatch.setattr("shoal.engines.spark.session.open_session", lambda **_: spark)
    monkeypatch.setattr("shoal.engines.spark.session.close_session", lambda _: None)


@pytest.mark.slow
@pytest.mark.parametrize("sensitive", [False, True], ids=["plain", "sensitive"])
@pytest.mark.parametrize(("command", "kind", "said"), cells("local"), ids=str)
def test_cell(places, tmp_path, capsys, command, kind, said, sensitive) -> None:
    check(places[EXAMPLES[kind], sensitive], tmp_path, capsys, command, kind, said)


@pytest.mark.spark
@pytest.mark.parametrize("sensitive", [False, True], ids=["plain", "sensitive"])
@pytest.mark.parametrize(("command", "kind", "said"), cells("spark"), ids=str)
def test_cell_on_spark(spark_places, one_session, tmp_path, capsys, command, kind, said, sensitive) -> None:
    check(spark_places[EXAMPLES[kind], sensitive], tmp_path, capsys, command, kind, said)


def test_both_engines_have_the_same_cells() -> None:
    assert [cell[:2] for cell in cells("local")] == [cell[:2] for cell in cells("spark")]


def check(recipe, tmp_path, capsys, command, kind, said) -> None:
    """Run one cell, and hold what happened against the page."""
    loaded = Recipe.load(recipe)
    data, released = recipe.parent / loaded.input.path, loaded.place(loaded.output.path)
    if command in ("run", "verify", "report", "attack") and recipe not in RAN:
        RAN[recipe] = call(capsys, "run", recipe)
    words: dict[str, list[str | Path]] = {
        "init": [data, "-o", tmp_path / "new.toml"],
        "verify": [released, "--recipe", recipe, "--original", recipe, "--engine", loaded.engine.name],
        "report": [released.parent],
        "attack": [released, "--recipe", recipe, "--budget", "2"],
        "measure": [data, "--quasi", {"item sets": "items", "trees": "sex"}.get(kind, "sex,age")],
        "frontier": [recipe, "--budget", "1s"],
        "compare": [recipe, "--budget", "1s", *SHORT.get(kind, [])],
    }
    code, answer = RAN[recipe] if command == "run" else call(capsys, command, *words.get(command, [recipe]))
    if said.startswith("no: "):
        assert code != 0 and said.removeprefix("no: ") in answer, answer
    else:
        assert code == 0, answer
    if command == "frontier":
        assert {"exact, of k": "proved", "one k after the other": "each release was verified"}.get(
            said, "delta"
        ) in answer, answer
