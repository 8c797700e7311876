"""The codebook as a table: the same values, nothing more, and no cell that a spreadsheet would run."""

from __future__ import annotations

import csv
import io
import json

import pytest

import shoal
from shoal.release.examples import write_example
from shoal.report.codebook_csv import AS_IT_IS, HEADER, codebook_csv


def _rows(text):
    return list(csv.DictReader(io.StringIO(text.decode())))


def _book(*values, name="town"):
    return {"columns": [{"name": name, "values": list(values)}]}


def test_every_field_of_a_value():
    value = {"value": "[0, 5[", "kind": "range", "lower": 0, "upper": 5, "upper_excluded": True, "records": 12}
    text = codebook_csv(_book(value, name="age"))
    assert text.decode().splitlines()[0] == ",".join(HEADER)
    (row,) = _rows(text)
    assert row == dict(zip(HEADER, ("age", "[0, 5[", "0", "5", "", "12", "range", "yes"), strict=True))


def test_members_can_be_read_again():
    members = ["Ulm", "Bonn|Beuel", 'a "b"', "c,d"]
    (row,) = _rows(codebook_csv(_book({"value": "south", "kind": "group", "members": members})))
    assert next(csv.reader([row["members"]], delimiter="|")) == members


@pytest.mark.parametrize("cell", ["=1+1", "+a", "-a", "@x", "\t=1", " =cmd", "a|=1", "＝1"])
def test_no_formula(cell):
    (row,) = _rows(codebook_csv(_book({"value": cell, "kind": "exact", "members": [cell]}, name=f"n{cell}")))
    for text in (row["value"], row["members"].strip('"')):
        assert "'" in text and text.replace("'", "").strip('"') == cell


@pytest.mark.parametrize("number", ["-5", "+5", "-1.5e3", "7"])
def test_a_number_stays_a_number(number):
    (row,) = _rows(codebook_csv(_book({"value": number, "kind": "exact"})))
    assert row["value"] == number


def test_a_column_as_it_is_has_one_row():
    (row,) = _rows(codebook_csv(_book(name="ward")))
    assert (row["column"], row["value"], row["kind"]) == ("ward", "", AS_IT_IS)


def test_it_is_published_with_its_hash_and_counts_what_the_release_shows(tmp_path):
    write_example("table", tmp_path / "demo")
    release = shoal.run(tmp_path / "demo" / "recipe.toml")
    folder = tmp_path / "demo" / "release"
    text = (folder / "patients.codebook.csv").read_bytes()
    assert folder / "patients.codebook.csv" in release.files
    with (folder / "patients.csv").open(newline="") as file:
        data = list(csv.DictReader(file))
    rows = _rows(text)
    for row in rows:
        if row["kind"] != AS_IT_IS:
            assert int(row["records"]) == sum(one[row["column"]] == row["value"] for one in data)
    book = json.loads((folder / "patients.codebook.json").read_text())
    listed = [(column["name"], value["value"]) for column in book["columns"] for value in column["values"]]
    assert [(row["column"], row["value"]) for row in rows if row["kind"] != AS_IT_IS] == listed
    recipe = tmp_path / "demo" / "recipe.toml"
    assert shoal.verify(folder / "patients.csv", recipe).passed
    (folder / "patients.codebook.csv").write_bytes(text.replace(b"40-79", b"40-89"))
    changed = next(c for c in shoal.verify(folder / "patients.csv", recipe).checks if c.name == "sidecars")
    assert not changed.passed
    assert "patients.codebook.csv lists other values than patients.codebook.json" in changed.detail
    assert "SHA-256" in changed.detail
