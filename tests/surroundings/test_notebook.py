"""In a notebook kernel without ipywidgets: DuckDB wants them as soon as it is asked how far a statement is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from shoal.release.examples import write_example

pytest.importorskip("ipykernel", reason="there is no notebook kernel: pip install ipykernel")

CALLS = """
import sys
sys.modules["ipywidgets"] = None  # where they are installed, they are not
import duckdb
try:
    duckdb.connect().execute("SET enable_progress_bar = true")
except duckdb.InvalidInputException:
    print("no bar")

import pandas as pd
import shoal

release = shoal.anonymize(pd.read_csv("demo/patients.csv", dtype=str), "demo/recipe.toml")
assert release.verdict.passed and release.verdict.smallest_class >= 5
written = shoal.run("demo/recipe.toml", listener=lambda event: None)
assert shoal.verify("demo/release/patients.csv", "demo/recipe.toml").passed
assert shoal.risk("demo/patients.csv", "demo/recipe.toml").risk.records == 1500
print(release.data.shape)

from shoal.cli.errors import run_command
from shoal.cli.root import shoal as command

pd.DataFrame({"id": range(40), "sex": ["f", "m"] * 20}).to_parquet("people.parquet")
pd.DataFrame({"of": range(40), "ward": ["a", "b"] * 20}).to_parquet("visit.parquet")
tables = ["--table", "people=people.parquet", "--table", "visit=visit.parquet", "--record", "people"]
assert run_command(command, ["init", *tables, "--key", "visit.of = people.id", "-o", "recipe.toml", "--json"]) == 0
"""


def test_every_call_works_in_a_notebook_without_ipywidgets(tmp_path):
    write_example("table", tmp_path / "demo")
    (tmp_path / "cell.py").write_text(CALLS)
    client = Path(__file__).with_name("kernel_client.py")
    told = subprocess.run(
        [sys.executable, client, "cell.py"], cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False
    )
    assert told.returncode == 0, told.stdout + told.stderr
    assert told.stdout.splitlines()[:2] == ["no bar", "(1473, 6)"]
