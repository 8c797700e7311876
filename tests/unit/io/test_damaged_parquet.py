"""Damaged Parquet files: whatever Arrow or DuckDB stumble over is a fault of the data (exit 3), never a bug of shoal (exit 4)."""

from __future__ import annotations

import datetime as dt
import random
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.cli.errors import run_command
from shoal.cli.root import shoal as command
from shoal.engines.driver.connection import is_of_the_data

if TYPE_CHECKING:
    from pathlib import Path

RECIPE = """
[input]
path = "in.parquet"
[output]
path = "out/release.csv"
[columns]
name = { role = "identifying" }
age = { role = "quasi", hierarchy = { intervals = [10, 20], from = 0, to = 60 } }
weight = { role = "quasi" }
day = { role = "quasi", hierarchy = { dates = ["month", "year"] } }
well = { role = "plain" }
ill = { role = "sensitive" }
[[guarantee]]
name = "k-anonymity"
k = 2
[method]
name = "mondrian"
[engine]
threads = 1
"""


def people(rng: random.Random, number: int = 30) -> pa.Table:
    return pa.table(
        {
            "name": [f"canary{at}" for at in range(number)],
            "age": pa.array([rng.randint(0, 60) for _ in range(number)], rng.choice([pa.int64(), pa.int8()])),
            "weight": pa.array([rng.choice([1.5, None]) for _ in range(number)], pa.float64()),
            "day": pa.array([dt.date(2000, 1, rng.randint(1, 20)) for _ in range(number)]),
            "well": pa.array([rng.choice([True, None]) for _ in range(number)]),
            "ill": pa.array([rng.choice(["canary", "gout", None]) for _ in range(number)]),
        }
    )


def damaged(column: int) -> bytes:
    """A page of this column is packed otherwise than it says. (A reader may also crash over a file: that is not tried here.)"""
    sink = pa.BufferOutputStream()
    pq.write_table(
        people(random.Random(1), 500), sink, compression="gzip", use_dictionary=False, write_statistics=False
    )
    content = bytearray(sink.getvalue().to_pybytes())
    chunk = pq.ParquetFile(pa.BufferReader(bytes(content))).metadata.row_group(0).column(column)
    end = chunk.data_page_offset + chunk.total_compressed_size
    content[end - 40 : end] = bytes(40)
    return bytes(content)


@pytest.mark.parametrize(
    "words", [["run", "recipe.toml"], ["risk", "recipe.toml"], ["verify", "in.parquet", "--recipe", "recipe.toml"]]
)
@pytest.mark.parametrize("column", [1, 3])
def test_a_damaged_page_is_a_fault_of_the_data(
    words: list[str], column: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "recipe.toml").write_text(RECIPE)
    (tmp_path / "in.parquet").write_bytes(damaged(column))
    code = run_command(command, words)
    said = "".join(capsys.readouterr())
    assert code == 3 or (words[0] == "verify" and code == 1), said
    assert "canary" not in said


@pytest.mark.parametrize(
    "error", [duckdb.Error("x"), duckdb.InvalidInputException("x"), duckdb.OutOfRangeException("x")]
)
def test_errors_without_a_narrower_name_are_of_the_data(error: Exception) -> None:
    assert is_of_the_data(error)


@pytest.mark.parametrize(
    "error", [duckdb.BinderException("x"), duckdb.ParserException("x"), duckdb.InterruptException("x")]
)
def test_statements_that_are_not_understood_are_our_bugs(error: Exception) -> None:
    assert not is_of_the_data(error)


def test_a_number_of_thousands_of_digits_in_a_recipe_is_a_mistake_of_the_recipe(tmp_path: Path, capsys) -> None:
    (tmp_path / "recipe.toml").write_text(RECIPE.replace("k = 2", f"k = {'9' * 100_000}"))
    assert run_command(command, ["plan", str(tmp_path / "recipe.toml")]) == 2
    assert len("".join(capsys.readouterr())) < 1000
