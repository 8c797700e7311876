"""`shoal init` on files as they are exported: a comma in a cell makes no set, and nothing that names a person is published."""

from __future__ import annotations

import random
from collections import Counter

import pyarrow as pa
import pyarrow.parquet
import pytest
from ugly_files import COLUMNS, ugly_text

import shoal
from shoal.data.schema import Role
from shoal.release.init import propose, write_proposal
from shoal.release.kinds.sets.suggest import mark_of
from shoal.release.recipe.recipe import Recipe
from shoal.release.suggest.roles import suggest
from shoal.release.suggest.rules import (
    RULES,
    values_are_free_text,
    values_are_names,
    values_are_numbers_or_dates,
    values_are_sets,
)
from shoal.release.suggest.summary import ColumnSummary

DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t"}


def _proposed(folder, names, delimiter, *, quoted=False, seed=1):
    data = folder / "export.csv"
    data.write_text(ugly_text(names, delimiter, quoted=quoted, seed=seed), encoding="utf-8")
    found = propose(data, folder / "recipe.toml", delimiter=delimiter).suggestions
    return {name: (str(one.role), one.kind, one.reason) for name, one in zip(names, found, strict=True)}


@pytest.mark.parametrize("quoted", [False, True], ids=["bare", "quoted"])
@pytest.mark.parametrize("delimiter", DELIMITERS)
def test_a_comma_in_a_cell_makes_no_set(tmp_path, delimiter, quoted):
    """Each kind of column, in the company of all others; sets need another mark than the columns, and one for all."""
    for seed, mark in enumerate(",|"):
        names = [name for name, one in COLUMNS.items() if one.mark in ("", mark) and one.mark != DELIMITERS[delimiter]]
        found = _proposed(tmp_path, names, DELIMITERS[delimiter], quoted=quoted, seed=seed)
        for name, (role, kind, reason) in found.items():
            assert (role, kind) == (COLUMNS[name].role, COLUMNS[name].kind), (name, reason)


@pytest.mark.parametrize("seed", range(20))
def test_company_does_not_change_what_a_column_is(tmp_path, seed):
    chance = random.Random(seed)
    names = chance.sample([name for name in COLUMNS if COLUMNS[name].kind == "scalar"], 5)
    names += chance.sample(["codes_comma", "drugs_comma", "many_codes"], chance.randint(0, 2))
    chance.shuffle(names)
    found = _proposed(tmp_path, names, chance.choice([";", "\t"]), quoted=chance.random() < 0.5, seed=seed)
    sets = [name for name in names if COLUMNS[name].kind == "set"]
    beside = any(COLUMNS[name].role == "quasi" for name in names if name not in sets)
    for name, (role, kind, reason) in found.items():
        if name in sets[1:] and not beside:  # a second column of sets needs single values beside it
            assert (role, kind) == ("identifying", "set"), (name, reason)
        else:
            assert (role, kind) == (COLUMNS[name].role, COLUMNS[name].kind), (name, reason)


def test_two_marks_give_one_kind_of_sets(tmp_path):
    found = _proposed(tmp_path, ["ward", "codes_bar", "drugs_comma", "codes_comma"], ";")
    assert [found[name][1] for name in found] == ["scalar", "scalar", "set", "set"]


def test_names_text_numbers_and_dates_are_asked_before_sets():
    order = list(RULES)
    for rule in (values_are_names, values_are_free_text, values_are_numbers_or_dates):
        assert order.index(rule) < order.index(values_are_sets)


@pytest.mark.parametrize(
    "cells",
    [
        ["Müller, Anna", "Weber, Jan", "Müller, Jan", "Weber, Anna"],
        ["Xq, Zw", "Xq, Yv", "Ab, Zw", "Ab, Yv"],
        ["174,2", "181,5", "174,5", "181,2"],
        ["03, 1980", "04, 1981", "03, 1981", "04, 1980"],
        ["12, Main Street", "13, Main Street", "12, High Street", "13, High Street"],
        ["+49 30 1234567, 0171 5551234", "0171 5551234, +49 30 1234567"],
        ["Berlin,Mitte", "Berlin,Wedding", "Köln,Deutz", "Köln,Mülheim"],
    ],
)
def test_no_set_however_often_cells_are_repeated(tmp_path, cells):
    data = tmp_path / "export.csv"
    data.write_text("F0;ward\n" + "".join(f"{cell};{n % 3}\n" for n, cell in enumerate(cells * 40)), encoding="utf-8")
    found, _ = propose(data, tmp_path / "recipe.toml", delimiter=";").suggestions
    assert found.kind == "scalar" and found.mark is None, found.reason


def test_what_a_set_needs():
    few = {"a,b,c": 20, "b,a": 20, "c": 20}
    assert mark_of(few, ";") == ","
    assert mark_of({cell.replace(",", ", "): records for cell, records in few.items()}, ";") is None  # " b" is not "b"
    assert mark_of({f"{cell},x{n}": 1 for n, cell in enumerate(few)}, ";") is None  # nobody shares the items
    assert mark_of({"a": 90, **few}, ";") == "," and mark_of({"a": 900, **few}, ";") is None  # few have several
    assert mark_of({"a,d": 20, "b,d": 20, "a,e": 20, "b,e": 20}, ";") is None  # each has its place
    assert mark_of({"?": 900, **few}, ";") == ","


# ---- lists as they are typed, and nested records ---------------------------------------------------------------------


def _of_lists(name, lists):
    held = Counter(item for one in lists for item in set(one))
    summary = ColumnSummary.of_counts(name, "typed", held)
    return suggest([ColumnSummary(**{**vars(summary), "kind": "set"})])[0]


@pytest.mark.parametrize(
    "name", ["last_first", "first_last", "given", "phone", "email", "address", "iban", "note", "number"]
)
def test_lists_of_what_names_people_are_removed(name):
    chance = random.Random(3)
    found = _of_lists("F0", [[COLUMNS[name].cell(chance) for _ in range(chance.randint(1, 4))] for _ in range(200)])
    assert (found.role, found.kind) == (Role.IDENTIFYING, "set"), found.reason


def test_lists_of_items_stay_sets_and_rare_ones_are_pointed_out():
    chance = random.Random(4)
    codes = [f"C{n:03}" for n in range(40)]
    found = _of_lists("F0", [chance.sample(codes, 3) for _ in range(200)])
    assert (found.role, found.kind) == (Role.QUASI, "set") and "few records" not in found.reason
    rare = _of_lists("F0", [chance.sample([f"C{n:03}" for n in range(400)], 3) for _ in range(200)])
    assert (rare.role, rare.kind) == (Role.QUASI, "set") and "few records" in rare.reason
    own = _of_lists("F0", [[f"C{n:03}", f"D{n:03}"] for n in range(200)])
    assert own.role is Role.IDENTIFYING


@pytest.mark.parametrize("beside", ["a value", "items"])
def test_a_parquet_file_with_a_list_of_names(tmp_path, beside):
    """It is removed, and what lies beside it has the promise that goes with it."""
    chance = random.Random(5)
    given_names = ["Anna", "Peter", "Olga", "Luca", "Ines"]
    rows = [
        {
            "F0": chance.sample(given_names, 2),
            "F1": chance.choice("ab") if beside == "a value" else chance.sample(["E11", "I10", "F32"], 2),
        }
        for _ in range(90)
    ]
    pa.parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "people.parquet")
    proposal = propose(tmp_path / "people.parquet", tmp_path / "recipe.toml")
    kind = "scalar" if beside == "a value" else "set"
    assert [(one.role, one.kind) for one in proposal.suggestions] == [(Role.IDENTIFYING, "set"), (Role.QUASI, kind)]
    write_proposal(proposal, tmp_path / "recipe.toml")
    read = Recipe.load(tmp_path / "recipe.toml")
    assert [promise.name for promise in read.guarantees] == ["k-anonymity" if beside == "a value" else "k-matching"]


def test_nested_records_hide_names_notes_and_numbers(tmp_path):
    import json

    chance = random.Random(6)
    names = ["last_first", "phone", "note", "long_note", "address", "number"]
    lines = []
    for _ in range(120):
        visits = [
            {"F9": chance.choice(["flu", "gout", "asthma"]), **{name: COLUMNS[name].cell(chance) for name in names}}
            for _ in range(chance.randint(1, 3))
        ]
        lines.append(json.dumps({"F1": chance.choice("ab"), "list": visits}))
    text = "\n".join(lines)
    for place, name in enumerate(names):
        text = text.replace(f'"{name}"', f'"F{place + 2}"')
    (tmp_path / "people.jsonl").write_text(text + "\n")
    found = propose(tmp_path / "people.jsonl", tmp_path / "recipe.toml").suggestions
    roles = {one.path: str(one.role) for one in found}
    assert roles.pop("list[].F9") == "quasi" and roles.pop("F1") == "quasi"
    assert set(roles.values()) == {"identifying"} and len(roles) == len(names), roles


# ---- end to end ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("heads", "comma"),
    [
        (["Name", "Kontakt", "Bemerkung", "Dosis", "Geburt", "Diagnosen", "Medikamente", "Station", "Ort"], ", "),
        ([f"F{n}" for n in range(9)], ","),
    ],
    ids=["named", "numbered"],
)
def test_an_accepted_proposal_publishes_no_name_no_number_and_no_note(tmp_path, heads, comma):
    """A hospital's `;` file, every suggestion accepted as it is: the release that held first names and telephone numbers."""
    names = ["last_first", "few_phones", "note", "some_decimals", "date", "codes_comma", "drugs_comma", "ward", "town"]
    header, *lines = ugly_text(names, ";", quoted=False, seed=7, records=200).replace(", ", comma).splitlines()
    data = tmp_path / "export.csv"
    data.write_text("\n".join([";".join(heads), *lines]) + "\n", encoding="utf-8")
    recipe = tmp_path / "recipe.toml"
    proposal = propose(data, recipe, delimiter=";")
    write_proposal(proposal, recipe)
    accepted = proposal.text.replace("suggested = true, ", "").replace(", suggested = true", "")
    recipe.write_text(accepted, encoding="utf-8")
    release = shoal.run(recipe)
    assert release.verdict.passed
    cells = [line.split(";") for line in lines]
    secrets = {
        part.strip() for row in cells for part in (*row[0].split(","), *row[1].split(","), *row[2].split(","), row[2])
    }
    public = [path for path in release.files if ".private." not in path.name]
    assert len(public) >= 4
    for path in public:
        content = _content(path)
        told = sorted(secret for secret in secrets if len(secret) > 3 and secret in content)
        assert not told, (path.name, told)


def _content(path):
    if path.suffix == ".parquet":
        return str(pa.parquet.read_table(path).to_pylist())
    return path.read_text(encoding="utf-8")
