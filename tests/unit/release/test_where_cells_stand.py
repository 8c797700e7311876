"""Cells that a hierarchy cannot hold: their lines are named, they are not."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.errors import DataError, HierarchyError

CANARY = "zanzibar"
AGES = ["30", "41", CANARY, "52", CANARY, "x1", "x2", "x3", "x4", ""]


def _recipe(folder, name, more=""):
    (folder / "recipe.toml").write_text(
        f'[input]\npath = "{name}"\n{more}[output]\npath = "out.csv"\n[columns]\n'
        'age = { role = "quasi", hierarchy = { intervals = [10], from = 0, to = 100 } }\nsex = { role = "quasi" }\n'
        '[[guarantee]]\nname = "k-anonymity"\nk = 2\n'
    )
    return folder / "recipe.toml"


def _csv(folder, ages):
    (folder / "people.csv").write_text("age,sex\n" + "".join(f"{age},f\n" for age in ages))


def test_lines_of_a_csv_file(tmp_path):
    _csv(tmp_path, AGES)
    with pytest.raises(HierarchyError, match=r"stand in lines 4, 6, 7, 8 and 9 of people\.csv\.$") as refused:
        shoal.run(_recipe(tmp_path, "people.csv"))
    assert CANARY not in str(refused.value)


def test_one_line(tmp_path):
    _csv(tmp_path, ["30", CANARY, "40"])
    with pytest.raises(HierarchyError, match=r"Look at line 3 of people\.csv\.$"):
        shoal.run(_recipe(tmp_path, "people.csv"))


def test_records_where_a_cell_may_have_several_lines(tmp_path):
    _csv(tmp_path, ["30", CANARY, "40"])
    with pytest.raises(HierarchyError, match=r"Look at record 2 of people\.csv\.$"):
        shoal.run(_recipe(tmp_path, "people.csv", "multiline = true\n"))


def test_codes_of_missing_values_are_not_named(tmp_path):
    _csv(tmp_path, ["30", "n/a", CANARY])
    with pytest.raises(HierarchyError, match=r"1 of the 2 values are not numbers.* Look at line 4 of people\.csv\.$"):
        shoal.run(_recipe(tmp_path, "people.csv", 'missing = ["n/a"]\n'))


def test_records_of_parquet(tmp_path):
    pq.write_table(pa.table({"age": ["30", None, CANARY], "sex": ["f", "f", "f"]}), tmp_path / "people.parquet")
    with pytest.raises(HierarchyError, match=r"Look at record 3 of people\.parquet\.$"):
        shoal.run(_recipe(tmp_path, "people.parquet"))


def test_a_doubled_name_is_said_with_its_places(tmp_path):
    (tmp_path / "people.csv").write_text("age,sex,age\n1,f,2\n")
    with pytest.raises(DataError, match=r"line 1: columns 1, 3 \('age'\) have the same name\. Rename all but one"):
        shoal.run(_recipe(tmp_path, "people.csv"))


@pytest.mark.parametrize("line", ["Ann,42,42", "anna@example.org,anna@example.org", "Ulm,Ulm,1980-01-02"])
def test_cells_of_a_file_without_names_are_not_shown(tmp_path, line):
    (tmp_path / "people.csv").write_text(f"{line}\n{line}\n")
    with pytest.raises(DataError, match=r"have the same name\. If there are no names, write them there") as refused:
        shoal.run(_recipe(tmp_path, "people.csv"))
    assert not any(cell in str(refused.value) for cell in line.split(","))
