"""The readers of files that strangers may have made, each as a function of a file, with small files that are sound to start from.

`by the verifier` names its own reader of the same format. A reader may refuse (`ShoalError`); whatever else it raises is a fault.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.hierarchies.files import read_hierarchy
from shoal.io.office.excel import read_excel
from shoal.io.parquet import read_parquet
from shoal.io.reading import RowReading, TreeReading
from shoal.io.sets.fimi import read_fimi
from shoal.io.source import open_source
from shoal.io.trees.opening import open_nested
from shoal.release.recipe.recipe import Recipe
from shoal.verifier.files import fimi
from shoal.verifier.files.office.workbook import read_workbook
from shoal.verifier.hierarchies.files import file_rows
from shoal.verifier.originals.csv_files import csv_file
from shoal.verifier.originals.fhir import fhir_records
from shoal.verifier.originals.json_records import json_file, json_lines
from shoal.verifier.originals.parquet_files import parquet_files
from shoal.verifier.originals.paths import parts_of, wanted_of
from shoal.verifier.originals.xml_records import xml_records
from shoal.verifier.recipe.places import Input
from shoal.verifier.recipe.reading import RecipeText, read_recipe
from shoal.verifier.sql.duckdb import DuckDBSql, connection


@dataclass(frozen=True)
class Reader:
    suffix: str
    read: Callable[[Path], object]
    seeds: tuple[bytes, ...]


CSV = (
    b"age,sex\n34,f\n35,m\n",
    b'age,"sex"\r\n34,"a ""b"""\r\n',
    b"\xef\xbb\xbfage,sex\n,\n",
    "größe,x\nä,1\n".encode(),
)
FIMI = (b"1 2 3\n2 3\n", b"7\n", "ä b\n".encode())
LINES = (b'{"a": {"b": [1, 2]}, "c": "x"}\n{"a": null}\n', b'{"a": 1.5e3, "c": "\\u00e4"}\n')
JSON = (b'[{"a": {"b": [1, 2]}}, {"a": null}]', b'{"a": [{"b": "x"}]}')
XML = (
    b"<all><one><a>1</a><b c='2'/></one><one/></all>",
    b'<?xml version="1.0" encoding="utf-8"?><all><one>x</one></all>',
)
RECIPE = (
    b"""
[input]
path = "a.csv"
[output]
path = "b.csv"
[columns]
age = { role = "quasi", hierarchy = { intervals = [5, 10], from = 0, to = 100 } }
[[guarantee]]
name = "k-anonymity"
k = 5
[suppression]
limit = 0.01
""",
    b"""
[input]
path = "a.dat"
[columns]
items = { role = "quasi", kind = "set", hierarchy = { groups = { all = ["1", "2"] } } }
[[guarantee]]
name = "km-anonymity"
k = 2
m = 2
""",
)
ARX = (b"34;30-39;*\n35;30-39;*\n", b"a,A,*\nb,A,*\n")
AMNESIA = (
    b"distinct\nname place\ntype string\nheight 3\n\nEurope has A DE\nAsia has JP IN\n\n* has Europe Asia\n",
    b"range\nname age\ntype int\nheight 2\n\n0,9 has 0,4 5,9\n",
)
FHIR = tuple(
    json.dumps(one).encode()
    for one in (
        {
            "resourceType": "Bundle",
            "entry": [
                {"fullUrl": "urn:uuid:1", "resource": {"resourceType": "Patient", "id": "1", "gender": "female"}},
                {
                    "resource": {
                        "resourceType": "Condition",
                        "id": "2",
                        "subject": {"reference": "urn:uuid:1"},
                        "code": {"coding": [{"system": "s", "code": "c"}]},
                    }
                },
            ],
        },
    )
)


def _parquet() -> tuple[bytes, ...]:
    """With statistics of sizes and without; without Arrow's schema, so that most bytes mean something."""
    table = pa.table({"age": [34, None], "sex": ["f", "m"], "items": [["a"], []]})
    made = []
    for paged in (False, True):
        buffer = io.BytesIO()
        pq.write_table(table, buffer, write_page_index=paged, write_statistics=paged, store_schema=not paged)
        made.append(buffer.getvalue())
    return tuple(made)


def _workbook() -> bytes:
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    relations = "http://schemas.openxmlformats.org/package/2006/relationships"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:  # stored, so that a changed byte is a changed letter
        archive.writestr(
            "[Content_Types].xml", '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
        )
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{relations}"><Relationship Id="r0" Type="{office}/officeDocument" Target="xl/workbook.xml"/>'
            "</Relationships>",
        )
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets><sheet name="a" sheetId="1" r:id="r1"/></sheets></workbook>',
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{relations}"><Relationship Id="r1" Type="{office}/worksheet" Target="worksheets/sheet1.xml"/>'
            "</Relationships>",
        )
        archive.writestr("xl/sharedStrings.xml", f'<sst xmlns="{main}"><si><t>age</t></si></sst>')
        archive.writestr(
            "xl/worksheets/sheet1.xml",
            f'<worksheet xmlns="{main}"><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row><row r="2"><c r="A2"><v>34</v></c>'
            "</row></sheetData></worksheet>",
        )
    return buffer.getvalue()


def _every(records: object) -> None:
    for _ in records:  # type: ignore[attr-defined]
        pass


def _makers_parquet(path: Path) -> None:
    open_source(path, RowReading(sets=None))
    read_parquet(path)


def _verifiers_csv(path: Path) -> None:
    with csv_file(path, Input(path)) as (_, reader):
        _every(reader)


def _verifiers_fimi(path: Path) -> None:
    refused: list = []
    _every(fimi.batches(path, refused, original=True))


def _trees(record: str = "", mapping: str = "") -> Callable[[Path], object]:
    return lambda path: _every(open_nested(path, TreeReading(record=record, mapping=mapping)).batches.read())


_WANTED = wanted_of([parts_of("a"), parts_of("b.c")])


def _verifiers_fhir(path: Path) -> None:
    with connection() as con:
        _every(fhir_records(path.name, json_file(path), "fhir-r4", wanted_of([parts_of("gender")]), DuckDBSql(con)))


def _verifiers_recipe(path: Path) -> None:
    text = path.read_bytes().decode("utf-8", "ignore")
    read_recipe(RecipeText(text, path.parent))


READERS: dict[str, Reader] = {
    "csv": Reader(".csv", lambda path: open_source(path, RowReading()), CSV),
    "csv by the verifier": Reader(".csv", _verifiers_csv, CSV),
    "parquet": Reader(".parquet", _makers_parquet, _parquet()),
    "parquet by the verifier": Reader(".parquet", parquet_files, _parquet()),
    "fimi": Reader(".dat", read_fimi, FIMI),
    "fimi by the verifier": Reader(".dat", _verifiers_fimi, FIMI),
    "json lines": Reader(".jsonl", _trees(), LINES),
    "json lines by the verifier": Reader(".jsonl", lambda path: _every(json_lines(path)), LINES),
    "json": Reader(".json", _trees(), JSON),
    "json by the verifier": Reader(".json", lambda path: _every(json_file(path)), JSON),
    "xml": Reader(".xml", _trees(record="one"), XML),
    "xml by the verifier": Reader(".xml", lambda path: _every(xml_records(path, "one", _WANTED)), XML),
    "fhir": Reader(".json", _trees(mapping="fhir-r4"), FHIR),
    "fhir by the verifier": Reader(".json", _verifiers_fhir, FHIR),
    "workbook": Reader(".xlsx", lambda path: read_excel(path, {"unpacked": 1 << 28}), (_workbook(),)),
    "workbook by the verifier": Reader(".xlsx", lambda path: read_workbook(path, "", 1, ()), (_workbook(),)),
    "recipe": Reader(".toml", Recipe.load, RECIPE),
    "recipe by the verifier": Reader(".toml", _verifiers_recipe, RECIPE),
    "hierarchy of ARX": Reader(".csv", read_hierarchy, ARX),
    "hierarchy of ARX by the verifier": Reader(".csv", lambda path: file_rows(path, ("34", "a")), ARX),
    "hierarchy of Amnesia": Reader(".txt", read_hierarchy, AMNESIA),
    "hierarchy of Amnesia by the verifier": Reader(
        ".txt", lambda path: file_rows(path, ("3",) if path.read_bytes().startswith(b"range") else ("A",)), AMNESIA
    ),
}
