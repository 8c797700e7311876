"""Faults in the makers' readers, planted one at a time: what they read wrong is stopped by the verifier, which reads the data too.

Each case first shows that the fault changes what the makers read. Then a run must end without a release; and where the makers'
own check is taken out of the way, so that the faulty release is there, `verify` with the original must fail it.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
import reader_cases as cases
from pyarrow import csv

import postgresql_server
import shoal
from shoal.errors import DataError, InternalError, NotAnonymous
from shoal.io import files, source, written
from shoal.io.encodings import Transcoded
from shoal.io.trees import (
    batches,
    fhir,
    fhir_mapping,
    fold,
    json_records,
    keyed_files,
    keyed_fold,
    nested,
    opening,
    postgresql,
)
from shoal.io.trees import xml_records as xml
from shoal.release import make as making
from shoal.release.plan import open_input
from shoal.release.recipe.recipe import Recipe

if TYPE_CHECKING:
    from collections.abc import Callable

Fault = tuple[Any, str, Any]  # where, the name there, and from what stands there what does


# ---- tables --------------------------------------------------------------------------------------------------------------


def of_table(change: Callable[[pa.Table], pa.Table]) -> Any:
    """A reader of tables, with what it returns changed."""
    return lambda read: lambda *given, **more: change(read(*given, **more))


def with_column(table: pa.Table, name: str, change: Callable[[list[Any]], list[Any]]) -> pa.Table:
    values = change(table.column(name).to_pylist())
    return table.set_column(table.column_names.index(name), name, pa.array(values, table.schema.field(name).type))


def of_column(name: str, change: Callable[[list[Any]], list[Any]]) -> Any:
    """A reader of tables, with the values of one column changed."""
    return of_table(lambda table: with_column(table, name, change))


def of_cells(name: str, change: Callable[[str], str]) -> Any:
    """The same, cell by cell."""
    return of_column(name, lambda values: [None if cell is None else change(cell) for cell in values])


def swapped(table: pa.Table) -> pa.Table:
    return table.select(["town", "age", "ill", "note"]).rename_columns(["age", "town", "ill", "note"])


def without(missing: bool) -> Any:
    """A reader of CSV that does not heed what the recipe calls missing, or takes more for it."""
    return lambda read: lambda *given, **more: read(*given, **{**more, "missing": () if missing else ("?", "NA")})


def first_member_only(read: Any) -> Any:
    def cut(self: Any, size: int) -> bytes:
        return b"" if self._members else read(self, size)

    return cut


TABLES: dict[str, tuple[Any, Fault]] = {
    "a row dropped": (cases.csv, (source, "read_csv", of_table(lambda t: t.slice(0, t.num_rows - 1)))),
    "a row twice": (cases.csv, (source, "read_csv", of_table(lambda t: pa.concat_tables([t, t.slice(5, 1)])))),
    "columns swapped": (cases.csv, (source, "read_csv", of_table(swapped))),
    "a value changed": (cases.csv, (source, "read_csv", of_column("age", lambda v: [*v[:40], "30", *v[41:]]))),
    "a sensitive value changed": (cases.csv, (source, "read_csv", of_column("ill", lambda v: ["cold", *v[1:]]))),
    "a column moved by a row": (cases.csv, (source, "read_csv", of_column("town", lambda v: [*v[1:], v[0]]))),
    "blanks stripped": (cases.csv, (source, "read_csv", of_cells("age", str.strip))),
    "a code read as a number": (cases.csv, (source, "read_csv", of_cells("age", lambda cell: cell.lstrip("0")))),
    "line breaks in fields lost": (
        cases.csv,
        (source, "read_csv", of_cells("note", lambda cell: cell.replace("\n", ""))),
    ),
    "missing texts not heeded": (cases.csv, (source, "read_csv", without(missing=True))),
    "more texts missing than listed": (cases.csv, (source, "read_csv", without(missing=False))),
    "an umlaut lost": (
        cases.office,
        (Transcoded, "_decoded", lambda read: lambda self, piece: read(self, piece).replace("ö", "o")),
    ),
    "days read as months": (
        cases.office,
        (written.DateForm, "canonical", lambda read: lambda self, text: read(self, f"{text[3:6]}{text[:3]}{text[6:]}")),
    ),
    "thousands read as decimals": (
        cases.office,
        (
            written,
            "_numbers",
            lambda read: lambda column, form: read(pc.replace_substring(column, "1.234", "1,234"), form),
        ),
    ),
    "the tail of gzip lost": (cases.csv_in_two_parts, (files._Gunzip, "read", first_member_only)),
}

# ---- sets ----------------------------------------------------------------------------------------------------------------


def of_lists(change: Callable[[list[Any]], list[Any]]) -> Any:
    """A reader of sets of items, with the list of all its sets changed."""
    return of_column("items", change)


SETS: dict[str, tuple[Any, Fault]] = {
    "an item lost": (cases.items, (source, "split", of_lists(lambda sets: [sets[0][:1], *sets[1:]]))),
    "an item invented": (
        cases.items,
        (source, "split", of_lists(lambda sets: [sets[0], ["milk", "bread"], *sets[2:]])),
    ),
    "an item moved to the next record": (
        cases.fimi,
        (source, "read_fimi", of_lists(lambda sets: [*sets[:2], sets[2][:2], sets[2][2:], *sets[4:]])),
    ),
    "a line without items lost": (
        cases.fimi,
        (source, "read_fimi", of_table(lambda t: t.filter(pc.greater(pc.list_value_length(t.column(0)), 0)))),
    ),
    "a line of items lost": (cases.fimi, (source, "read_fimi", of_table(lambda t: t.slice(1)))),
    "an item lost beside single values": (
        cases.mixed,
        (source, "split", of_lists(lambda sets: [sets[0][:1], *sets[1:]])),
    ),
}

# ---- trees ---------------------------------------------------------------------------------------------------------------


def of_records(change: Callable[[int, dict[str, Any]], Any]) -> Any:
    """A reader of nested records. change: of a record by its number; what is None is left out."""

    def planted(read: Any) -> Any:
        def records(*given: Any, **more: Any) -> Any:
            for number, (line, record) in enumerate(read(*given, **more)):
                changed = change(number, record)
                if changed is not None:
                    yield line, changed

        return records

    return planted


def first_visit(change: Callable[[dict[str, Any]], dict[str, Any]], lists: str = "visits") -> Any:
    """Something about the first visit of every fourth patient: what is rare would be blurred, and so not be wrong."""
    return of_records(lambda n, r: {**r, lists: [change(r[lists][0]), *r[lists][1:]]} if n % 4 == 0 else r)


def other_parent(upwards: Any) -> Any:
    """What hangs below an element comes to hang below the one before it."""

    def planted(self: Any, scope: Any, to: Any) -> Any:
        found, records = upwards(self, scope, to), self.elements(to).records
        before = np.maximum(found - 1, 0)
        return np.where(records[before] == records[found], before, found)

    return planted


def twice(read: Any) -> Any:
    """The first record of an array comes again at its end."""

    def records(*given: Any) -> Any:
        found = list(read(*given))
        return [*found, found[0]]

    return records


def forward(follow: Any) -> Any:
    """A clinic that is missing is taken from the visit before."""

    def planted(array: Any, names: Any, path: Any) -> Any:
        found = follow(array, names, path)
        return pc.fill_null_forward(found) if names == ("clinic",) else found

    return planted


def two_children(value: Any) -> Any:
    """Of an element of XML no more than two children."""
    return lambda self, element, *given: value(self, replace(element, children=element.children[:2]), *given)


def nameless(fields: Any) -> Any:
    """The column `name` of a table comes out empty."""

    def planted(self: Any, *given: Any) -> Any:
        return ((name, "NULL::VARCHAR" if name == "name" else value) for name, value in fields(self, *given))

    return planted


def astray(target: Any) -> Any:
    """References to one patient lead to another."""
    return lambda self, reference, *given: target(self, {"Patient/p0": "Patient/p2"}.get(reference, reference), *given)


def last(chosen: Any) -> Any:
    """`name[0]` is the last element."""
    return lambda value, step: value[-1:] if step.place == 0 and isinstance(value, list) else chosen(value, step)


def of_tables(name: str, change: Callable[[pa.Table], pa.Table]) -> Any:
    """A reader of tables with keys: one of them is changed."""

    def planted(read: Any) -> Any:
        def opened(path: Path, reading: Any) -> Any:
            table = read(path, reading)
            return replace(table, rows=change(table.rows)) if path.stem == name else table

        return opened

    return planted


def moved(visits: pa.Table) -> pa.Table:
    """Some visits to the south, to people who live elsewhere."""
    south = [clinic == "south" for clinic in visits.column("clinic").to_pylist()]
    return with_column(
        visits,
        "person",
        lambda v: [
            str(int(p) + 2) if there and p in ("0", "4", "8", "12") else p for p, there in zip(v, south, strict=True)
        ],
    )


TREES: dict[str, tuple[Any, Fault]] = {
    "the last line lost": (cases.json_lines, (opening, "json_lines", of_records(lambda n, r: r if n < 47 else None))),
    "a value of a tree lost": (
        cases.json_lines,
        (opening, "json_lines", first_visit(lambda v: {**v, "ills": ["flu"]})),
    ),
    "a value of a tree changed": (
        cases.json_lines,
        (opening, "json_lines", first_visit(lambda v: {**v, "clinic": "south"})),
    ),
    "a single value changed": (
        cases.json_lines,
        (opening, "json_lines", of_records(lambda n, r: {**r, "kind": "public" if n == 0 else r["kind"]})),
    ),
    "a record of an array twice": (cases.json_array, (opening, "json_file", twice)),
    "a value below another parent": (cases.json_lines, (nested.Nested, "upwards", other_parent)),
    "numbers cut off": (cases.json_lines, (json_records, "text_of", lambda text: lambda value: str(int(value)))),
    "missing texts not heeded in trees": (
        cases.json_lines,
        (fold.TreeFold, "of_schema", lambda of: classmethod(lambda cls, schema, missing=(): of.__func__(cls, schema))),
    ),
    "codes of a class not heeded": (
        cases.json_lines,
        (fold.TreeFold, "_texts", lambda texts: lambda self, name, kind: ["?"]),
    ),
    "a batch of nested Parquet lost": (
        cases.nested_parquet,
        (batches, "_parquet", lambda read: lambda file, columns: (batch.slice(1) for batch in read(file, columns))),
    ),
    "a missing value read as the one before": (cases.nested_parquet, (nested, "_follow", forward)),
    "an attribute lost": (
        cases.xml,
        (opening, "xml_records", first_visit(lambda v: {k: a for k, a in v.items() if k != "@cost"}, "visit")),
    ),
    "a sibling lost": (cases.xml, (xml._Reader, "_value", two_children)),
    "blanks in XML kept": (
        cases.xml,
        (opening, "xml_records", of_records(lambda n, r: {**r, "sex": f" {r['sex']} "})),
    ),
    "a row of a table lost": (
        cases.keyed,
        (keyed_files, "_open", of_tables("visit", lambda t: pa.concat_tables([t.slice(0, 1), t.slice(2)]))),
    ),
    "rows given to another person": (cases.keyed, (keyed_files, "_open", of_tables("visit", moved))),
    "a look-up that finds nothing": (cases.keyed, (keyed_fold._Folding, "_fields", nameless)),
    "looked up in another row": (
        cases.keyed,
        (keyed_files, "_open", of_tables("person", lambda t: with_column(t, "town", lambda v: [*v[2:], *v[:2]]))),
    ),
    "a reference that leads to another patient": (cases.fhir, (fhir._Known, "target", astray)),
    "a condition of no encounter lost": (cases.fhir, (fhir, "_below_record", lambda below: lambda *given: None)),
    "an element of a list lost": (
        cases.fhir,
        (fhir_mapping.Taken, "all", lambda taken: lambda self, resource: taken(self, resource)[:1]),
    ),
    "the last coding for the first": (cases.fhir, (fhir_mapping, "_chosen", last)),
}

FILES = {**TABLES, **SETS, **TREES}


def reading(recipe: dict[str, Any]) -> list[str]:
    """What the makers read, record by record."""
    opened = open_input(Recipe.of(recipe))
    try:
        if opened.nested is None:
            assert opened.table is not None
            rows = opened.table.to_pylist()
        else:
            schema = Recipe.of(recipe).schema_
            rows = source_trees(opened, schema)
        return [json.dumps(row, sort_keys=True, default=str) for row in rows]
    finally:
        opened.close()


def source_trees(opened: Any, schema: Any) -> list[Any]:
    """Nested records as trees: what the engines get."""
    from shoal.io.trees.originals import originals

    return originals(opened, schema).read_all().to_pylist()


def plant(monkeypatch: pytest.MonkeyPatch, fault: Fault) -> None:
    where, name, planted = fault
    stands = where.__dict__[name]
    monkeypatch.setattr(where, name, planted(stands))


def stopped(recipe: dict[str, Any]) -> None:
    with pytest.raises((NotAnonymous, InternalError, DataError)):
        shoal.run(Recipe.of(recipe))
    assert not Path(recipe["output"]["path"]).exists()


@pytest.mark.parametrize("data", dict.fromkeys(data for data, _ in FILES.values()))
def test_without_a_fault_there_is_a_release(tmp_path: Path, data: Any) -> None:
    assert shoal.run(Recipe.of(data(tmp_path))).verdict.passed


@pytest.mark.parametrize("name", FILES)
def test_a_fault_in_a_reader_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    data, fault = FILES[name]
    recipe = data(tmp_path)
    honest = reading(recipe)
    plant(monkeypatch, fault)
    assert sorted(reading(recipe)) != sorted(honest)
    stopped(recipe)


# ---- frames --------------------------------------------------------------------------------------------------------------


def of_frame(change: Callable[[pa.Table], pa.Table]) -> Any:
    """What takes a table of nested records gets another one."""
    return lambda opened: lambda table, *given, **more: opened(change(table), *given, **more)


PEOPLE = pa.Table.from_pylist(cases.PEOPLE)
WARD = pa.Table.from_pylist(cases.PATIENTS)
SETS_OF_ITEMS = pa.table({"items": cases.BASKETS})
FRAMES: dict[str, tuple[Any, Any, Fault]] = {
    "a row dropped": (cases.csv, PEOPLE, (source, "ordinary", of_table(lambda t: t.slice(1)))),
    "columns swapped": (cases.csv, PEOPLE, (source, "ordinary", of_table(swapped))),
    "a row of a stream dropped": (cases.csv, PEOPLE.to_reader(), (source, "ordinary", of_table(lambda t: t.slice(1)))),
    "an item lost": (
        cases.items,
        SETS_OF_ITEMS,
        (source, "ordinary", of_lists(lambda sets: [sets[0][:1], *sets[1:]])),
    ),
    "a record lost": (cases.json_lines, WARD, (source, "open_table", of_frame(lambda table: table.slice(1)))),
    "a value changed": (
        cases.json_lines,
        WARD,
        (source, "open_table", of_frame(lambda table: with_column(table, "sex", lambda v: ["M", *v[1:]]))),
    ),
}


@pytest.mark.parametrize("name", FRAMES)
def test_a_fault_in_reading_a_frame_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    data, frame, fault = FRAMES[name]
    recipe = {key: value for key, value in data(tmp_path).items() if key not in ("input", "output")}
    if not isinstance(frame, pa.RecordBatchReader):
        shoal.anonymize(frame, recipe)  # without the fault there is a release
    plant(monkeypatch, fault)
    with pytest.raises((NotAnonymous, InternalError, DataError)):
        shoal.anonymize(frame, recipe)


# ---- a database ----------------------------------------------------------------------------------------------------------


@postgresql_server.needed
def test_a_fault_in_reading_a_database_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    psycopg = pytest.importorskip("psycopg")
    recipe = cases.keyed(tmp_path)
    monkeypatch.setenv("PGPASSWORD", postgresql_server.PASSWORD)
    with postgresql_server.server() as url:
        with psycopg.connect(url) as connection:
            for name, file in recipe["input"]["tables"].items():
                _load(connection, name, Path(file))
        recipe["input"] |= {"url": url, "tables": list(recipe["input"]["tables"])}
        assert shoal.run(Recipe.of(recipe)).verdict.passed
        honest = reading(recipe)
        read = postgresql._read

        def lossy(connection: Any, place: str, columns: Any, scratch: Any) -> Any:
            """A visit to the south does not arrive."""
            return read(
                connection,
                f"{place} WHERE person <> '0' OR clinic = 'north'" if "visit" in place else place,
                columns,
                scratch,
            )

        monkeypatch.setattr(postgresql, "_read", lossy)
        assert sorted(reading(recipe)) != sorted(honest)
        with pytest.raises(NotAnonymous):
            shoal.run(Recipe.of(recipe), replace=True)


def _load(connection: Any, name: str, file: Path) -> None:
    rows = pq.read_table(file) if file.suffix == ".parquet" else csv.read_csv(file)
    columns = ", ".join(f"{column} text" for column in rows.column_names)
    connection.execute(f"CREATE TABLE {name} ({columns})")
    places = ", ".join(["%s"] * rows.num_columns)
    for row in rows.to_pylist():
        connection.execute(f"INSERT INTO {name} VALUES ({places})", [str(value) for value in row.values()])


# ---- verify --------------------------------------------------------------------------------------------------------------


ONE_OF_EACH = (
    "a row dropped",
    "the tail of gzip lost",
    "days read as months",
    "an item lost",
    "a value below another parent",
    "an attribute lost",
    "rows given to another person",
    "a reference that leads to another patient",
)


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_verify_fails_what_a_faulty_reader_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    data, fault = FILES[name]
    recipe = data(tmp_path)
    plant(monkeypatch, fault)
    judge = making.judge

    def lenient(*given: Any, **more: Any) -> Any:
        verdict = judge(*given, **more)
        return replace(verdict, passed=True, checks=tuple(replace(check, passed=True) for check in verdict.checks))

    monkeypatch.setattr(making, "judge", lenient)
    shoal.run(Recipe.of(recipe))
    verdict = shoal.verify(recipe["output"]["path"], recipe, original=Recipe.of(recipe))
    assert not verdict.passed
    assert not all(check.passed for check in verdict.checks)
