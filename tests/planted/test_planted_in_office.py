"""Faults planted in the makers' readers of office files, one at a time: the verifier, which reads the file itself, stops each."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import shoal
from shoal.errors import DataError, InternalError, NotAnonymous
from shoal.io import source
from shoal.release.recipe.recipe import Recipe

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

openpyxl = pytest.importorskip("openpyxl", reason="workbooks are written by openpyxl")
pytest.importorskip("python_calamine", reason="Excel needs the extra: pip install 'shoal[office]'")
pyreadstat = pytest.importorskip("pyreadstat", reason="SPSS, Stata and SAS need the extra: pip install 'shoal[office]'")
pd = pytest.importorskip("pandas", reason="files are written from pandas")
pytestmark = pytest.mark.slow

N = 24
CODES = {"sex": {1: "male", 2: "female"}, "ill": {1: "flu", 2: "cold", 9: "no answer"}}


def workbook(folder: Path) -> str:
    book = openpyxl.Workbook()
    book.active.append(["sex", "zip", "ill"])
    for i in range(N):
        book.active.append([["male", "female"][i % 2], f"0{i % 3}", [1, 2, None][i // 8]])
    book.save(folder / "people.xlsx")
    return "people.xlsx"


def survey(folder: Path) -> str:
    columns = {"sex": [1.0 + i % 2 for i in range(N)], "zip": [f"0{i % 3}" for i in range(N)]}
    frame = pd.DataFrame({**columns, "ill": [[1.0, 2.0, 9.0][i // 8] for i in range(N)]})
    pyreadstat.write_sav(frame, folder / "people.sav", variable_value_labels=CODES, missing_ranges={"ill": [9]})
    return "people.sav"


def changed(name: str, change: Callable[[Any], Any]) -> Callable[[pa.Table], pa.Table]:
    def table(read: pa.Table) -> pa.Table:
        values = pa.array([change(value) for value in read[name].to_pylist()])
        return read.set_column(read.column_names.index(name), name, values)

    return table


FAULTS: dict[str, Callable[[pa.Table], pa.Table]] = {
    "a row lost": lambda table: table.slice(1),
    "a row twice": lambda table: pa.concat_tables([table, table.slice(0, 1)]),
    "leading zeros lost": changed("zip", lambda text: text.lstrip("0") or "0"),
    "labels swapped": changed("sex", lambda text: {"male": "female", "female": "male"}[text]),
    "a missing value as a value": changed(
        "ill", lambda value: 9 if value is None else value if isinstance(value, int) else 7
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("write", [workbook, survey])
def test_a_fault_of_a_reader_is_stopped(tmp_path, monkeypatch, write, fault):
    data = write(tmp_path)
    recipe = Recipe.of(
        {
            "input": {"path": str(tmp_path / data)},
            "output": {"path": str(tmp_path / "release.parquet")},
            "columns": {"sex": {"role": "quasi"}, "zip": {"role": "quasi"}, "ill": {"role": "sensitive"}},
            "guarantee": [{"name": "k-anonymity", "k": 3}],
            "method": {"name": "optimal"},
        }
    )
    read = source.open_office

    def faulty(*given: Any) -> Any:
        opened = read(*given)
        table = FAULTS[fault](opened.table)
        if fault == "labels swapped":  # of every record alike would only turn the columns round; of one it is a lie
            table = pa.concat_tables([table.slice(0, 1), opened.table.slice(1)])
        assert not table.equals(opened.table)
        return replace(opened, table=table)

    monkeypatch.setattr(source, "open_office", faulty)
    with pytest.raises((NotAnonymous, DataError, InternalError)):
        shoal.run(recipe)
    assert not list(tmp_path.glob("release*"))
