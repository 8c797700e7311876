"""Workbooks and files of SPSS, Stata and SAS that are made to harm whoever reads them."""

from __future__ import annotations

import random
import struct
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_WORKBOOK = (
    f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets><sheet name="a" sheetId="1" r:id="r1"/></sheets></workbook>'
)


def _related(kind: str, target: str) -> str:
    one = f'<Relationship Id="r1" Type="{_OFFICE}/{kind}" Target="{target}"/>'
    return f'<Relationships xmlns="{_RELATIONS}">{one}</Relationships>'


_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_KIND}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_KIND}.worksheet+xml"/></Types>'
)
_SHEET = f'<worksheet xmlns="{_MAIN}"><sheetData>'
_HEADER = '<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c></row>'
_END = "</sheetData></worksheet>"
MB = 1 << 20


def workbook(path: Path, sheet: Iterator[str], **parts: Iterator[str]) -> None:
    """A workbook of one sheet; `parts`: others in the folder xl, by name."""
    texts: dict[str, Iterator[str]] = {
        "[Content_Types].xml": iter([_TYPES]),
        "_rels/.rels": iter([_related("officeDocument", "xl/workbook.xml")]),
        "xl/workbook.xml": iter([_WORKBOOK]),
        "xl/_rels/workbook.xml.rels": iter([_related("worksheet", "worksheets/sheet1.xml")]),
        "xl/worksheets/sheet1.xml": sheet,
        **{f"xl/{name}.xml": text for name, text in parts.items()},
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, pieces in texts.items():
            with archive.open(name, "w") as part:
                for piece in pieces:
                    part.write(piece.encode())


def blanks(path: Path) -> None:
    """300 MB of blanks in 1.3 MB."""

    def sheet() -> Iterator[str]:
        yield _SHEET + _HEADER
        for _ in range(300):
            yield " " * MB
        yield _END

    workbook(path, sheet())


def shared_texts(path: Path) -> None:
    """One text of 32,767 characters, which a million cells show."""

    def sheet() -> Iterator[str]:
        draw = random.Random(1)
        yield _SHEET + _HEADER
        for start in range(2, 1_000_002, 10_000):
            rows = range(start, start + 10_000)
            styles = [draw.randrange(10**6) for _ in rows]
            yield "".join(
                f'<row r="{r}" ht="{s}"><c r="A{r}" t="s"><v>0</v></c></row>' for r, s in zip(rows, styles, strict=True)
            )
        yield _END

    text = f'<sst xmlns="{_MAIN}"><si><t>{"x" * 32_767}</t></si></sst>'
    workbook(path, sheet(), sharedStrings=iter([text]))


def far_corner(path: Path) -> None:
    """Two cells, with 17 thousand million between them."""
    corner = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    workbook(path, iter([_SHEET + _HEADER + corner + _END]))


def entities(path: Path) -> None:
    """A thousand million laughs."""
    names = [f'<!ENTITY a{i} "{f"&a{i - 1};" * 10 if i else "ha"}">' for i in range(10)]
    sheet = f"<!DOCTYPE x [{''.join(names)}]>{_SHEET}" + _HEADER.replace("<t>a</t>", "<t>&a9;</t>") + _END
    workbook(path, iter([sheet]))


def _sav(*records: bytes, cases: int = 1, case_size: int = 1, compression: int = 0) -> bytes:
    head = b"$FL2" + b"@(#) SPSS DATA FILE".ljust(60) + struct.pack("<5i", 2, case_size, compression, 0, cases)
    return head + struct.pack("<d", 100.0) + b"01 Jan 7000:00:00" + b" " * 64 + b"\0" * 3 + b"".join(records)


def _variable(name: bytes = b"A", width: int = 0, label: int = 0, missing: int = 0) -> bytes:
    return struct.pack("<6i", 2, width, label, missing, 0x050802, 0x050802) + name.ljust(8)


_DONE = struct.pack("<2i", 999, 0)
_SAVS: dict[str, bytes] = {
    "cases that are not there": _sav(_variable(), _DONE, cases=2**31 - 1, case_size=2**31 - 1),
    "a label of 2 GB": _sav(_variable(label=1), struct.pack("<i", 2**31 - 4)),
    "a label of less than nothing": _sav(_variable(label=1), struct.pack("<i", -4), _DONE),
    "two thousand million labels of values": _sav(_variable(), struct.pack("<2i", 3, 2**31 - 1)),
    "labels for a column that is not there": _sav(
        _variable(), struct.pack("<4i", 3, 0, 4, 1) + struct.pack("<i", 99), _DONE
    ),
    "documents without end": _sav(_variable(), struct.pack("<2i", 6, 2**31 - 1)),
    "a further record of 4 EB": _sav(_variable(), struct.pack("<4i", 7, 13, 2**31 - 1, 2**31 - 1)),
    "a text wider than texts are": _sav(_variable(width=2**31 - 1), _DONE),
    "no column": _sav(_DONE, cases=2**31 - 1),
    "cut off in its header": _sav(_variable())[:100],
    "cut off in a variable": _sav(_variable())[:-5],
    "cut off in its cases": _sav(_variable(), _DONE, cases=4) + b"\0" * 12,
}


def _dta(columns: int, rows: int) -> bytes:
    head = b"<stata_dta><header><release>118</release><byteorder>LSF</byteorder><K>" + struct.pack("<H", columns)
    head += b"</K><N>" + struct.pack("<Q", rows) + b"</N><label>\0\0</label><timestamp>\0</timestamp></header><map>"
    return head + struct.pack("<14q", *[2**62] * 14) + b"</map>" + b"\0" * 200


FILES: dict[str, tuple[str, Callable[[Path], object]]] = {  # name → suffix, and what writes the file
    "blanks": (".xlsx", blanks),
    "shared texts": (".xlsx", shared_texts),
    "far corner": (".xlsx", far_corner),
    "entities": (".xlsx", entities),
    **{name: (".sav", lambda path, data=data: Path(path).write_bytes(data)) for name, data in _SAVS.items()},
    "columns and rows without end": (".dta", lambda path: Path(path).write_bytes(_dta(65_535, 2**63 - 1))),
    "noise": (".xpt", lambda path: Path(path).write_bytes(random.Random(1).randbytes(10_000))),
    "noise after a header": (
        ".sas7bdat",
        lambda path: Path(path).write_bytes(
            bytes.fromhex("000000000000000000000000c2ea8160b31411cfbd92080009c7318c181f1011") + b"\xff" * 4_000
        ),
    ),
}
