"""Delimited text: encodings, marks, forms of numbers and dates, and what goes wrong in exports."""

from __future__ import annotations

import csv
import datetime
import gzip
import io
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from samples.desk.file import HEAD, DeskFile, people

Write = Callable[[Path], None]


def saved(content: str | bytes, encoding: str = "utf-8") -> Write:
    """Writes a text, packed where the name says so."""
    data = content if isinstance(content, bytes) else content.encode(encoding)

    def write(path: Path) -> None:
        path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)

    return write


def text(
    rows: Iterable[Iterable[str]],
    head: Iterable[str] = HEAD,
    *,
    delimiter: str = ";",
    end: str = "\r\n",
    **dialect: Any,
) -> str:
    """As a spreadsheet of a German office saves it, unless something else is said."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, delimiter=delimiter, lineterminator=end, **dialect)
    writer.writerow(head)
    writer.writerows(rows)
    return stream.getvalue()


def german(day: datetime.date) -> str:
    return f"{day:%d.%m.%Y}"


def american(day: datetime.date) -> str:
    return f"{day:%m/%d/%Y}"


def french(day: datetime.date) -> str:
    return f"{day:%d/%m/%Y}"


def comma(number: float) -> str:
    return str(number).replace(".", ",")


def grouped(thousands: str, decimal: str) -> Callable[[float], str]:
    """1234567.5 as 1.234.567,50, with these marks."""
    return lambda number: f"{number:,.2f}".replace(",", " ").replace(".", decimal).replace(" ", thousands)


def rows(
    day: Callable[[datetime.date], str] = german,
    height: Callable[[float], str] = comma,
    pay: Callable[[float], str] = comma,
) -> list[list[str]]:
    return [
        [p.name, day(p.born), p.town, p.sex, height(p.height / 10), pay(p.pay / 100), p.ward, p.ill] for p in people()
    ]


def plain() -> list[list[str]]:
    """With a point in numbers, and dates as the standard has them."""
    return rows(datetime.date.isoformat, str, str)


GERMAN = ('written = "dd.mm.yyyy"', 'written = "1234,5"')
SEMICOLON = 'delimiter = ";"'


def encodings() -> list[DeskFile]:
    usual = text(rows())
    western = (SEMICOLON, 'encoding = "windows-1252"', *GERMAN)
    wide = ('encoding = "utf-16"', *GERMAN)
    return [
        DeskFile("utf8.csv", saved(text(plain(), delimiter=",", end="\n"))),
        DeskFile("utf8_bom.csv", saved(usual, "utf-8-sig"), proposes=(SEMICOLON, *GERMAN)),
        DeskFile("hospital_cp1252.csv", saved(usual, "cp1252"), proposes=western),
        DeskFile("hospital_cp1252.csv.gz", saved(usual, "cp1252"), proposes=western),
        DeskFile("hospital_cp1252.tsv", saved(text(rows(), delimiter="\t"), "cp1252"), proposes=western[1:]),
        DeskFile(
            "euro_sign.csv", saved(text([[*r, "12 €"] for r in rows()], (*HEAD, "Gebühr")), "cp1252"), proposes=western
        ),
        DeskFile("latin1.csv", saved(usual, "latin-1"), proposes=(SEMICOLON, "encoding = ", *GERMAN)),
        DeskFile(
            "latin1_stated.csv", saved(usual, "latin-1"), ("--encoding", "latin-1"), proposes=('encoding = "latin-1"',)
        ),
        DeskFile("unicode_text.tsv", saved(text(rows(), delimiter="\t"), "utf-16"), proposes=wide),
        DeskFile("utf16_big_endian.csv", saved("\ufeff" + usual, "utf-16-be"), proposes=wide),
        DeskFile(
            "two_encodings.csv",
            saved(usual.encode("utf-8") + text(rows()[:20], ()).lstrip().encode("cp1252")),
            refused="encoding",
        ),
        DeskFile("dos_code_page.csv", saved(usual, "cp850"), refused="encoding"),
        DeskFile("any_script.csv", saved(text([[*r, "日本 👩‍🔬"] for r in plain()], (*HEAD, "備考"), delimiter=","))),
    ]


def marks() -> list[DeskFile]:
    """Delimiters, quotes, line breaks."""
    street = [[*r, f"Hauptstraße {i % 3}\nHinterhaus"] for i, r in enumerate(rows())]
    quoted = text(rows(), quotechar="'", quoting=csv.QUOTE_ALL)
    return [
        DeskFile("pipes.csv", saved(text(rows(), delimiter="|")), proposes=('delimiter = "|"', *GERMAN)),
        DeskFile("line_breaks.csv", saved(text(street, (*HEAD, "Adresse"))), proposes=("multiline = true", SEMICOLON)),
        DeskFile(
            "line_breaks_cp1252.csv", saved(text(street, (*HEAD, "Adresse")), "cp1252"), proposes=("multiline = true",)
        ),
        DeskFile("single_quotes.csv", saved(quoted), proposes=('quote = "\'"', SEMICOLON)),
        DeskFile("all_quoted.csv", saved(text(rows(), quoting=csv.QUOTE_ALL)), proposes=(SEMICOLON, *GERMAN)),
        DeskFile("commas_in_names.csv", saved(text(rows(), ("Name, Vorname", *HEAD[1:]))), proposes=(SEMICOLON,)),
        DeskFile("unix_ends.csv", saved(text(rows(), end="\n")), proposes=(SEMICOLON,)),
        DeskFile("old_mac_ends.csv", saved(text(rows(), end="\r")), refused="line ends"),
    ]


def forms() -> list[DeskFile]:
    """Numbers and dates."""
    early = [r for r in rows(american) if int(r[1][3:5]) <= 12]
    both = [[*r[:1], r[1] if i % 2 else "1980-12-31", *r[2:]] for i, r in enumerate(rows())]
    return [
        DeskFile("thousands.csv", saved(text(rows(pay=grouped(".", ",")))), proposes=('written = "1.234,5"',)),
        DeskFile(
            "american.csv",
            saved(text(rows(american, str, grouped(",", ".")), delimiter=",")),
            proposes=('written = "mm/dd/yyyy"', 'written = "1,234.5"'),
        ),
        DeskFile("swiss.csv", saved(text(rows(pay=grouped("'", ".")))), proposes=('written = "1\'234.5"',)),
        DeskFile(
            "french.csv",
            saved(text(rows(french, pay=grouped("\u00a0", ",")))),
            proposes=('written = "dd/mm/yyyy"',),
        ),
        DeskFile("ambiguous_days.csv", saved(text(early)), proposes=("mm/dd/yyyy", "dd/mm/yyyy")),
        DeskFile("two_forms_of_dates.csv", saved(text(both)), proposes=(SEMICOLON,)),
        DeskFile("compact_dates.csv", saved(text(rows(lambda d: f"{d:%Y%m%d}"))), proposes=("Geburtsdatum",)),
        DeskFile("short_years.csv", saved(text(rows(lambda d: f"{d:%d.%m.%y}"))), proposes=(SEMICOLON,)),
    ]


def faults() -> list[DeskFile]:
    """What exports do to files."""
    usual, empty = text(rows()), ";" * (len(HEAD) - 1) + "\r\n"
    lines = usual.splitlines(keepends=True)
    middle = len(lines) // 2
    with_break = "".join(lines[:middle])
    return [
        DeskFile("empty_tail.csv", saved(usual + empty * 30, "cp1252"), proposes=(SEMICOLON,)),
        DeskFile("blank_end.csv", saved(usual + "\r\n" * 3), refused="line 242.*blank"),
        DeskFile(
            "blank_middle.csv",
            saved(with_break + "\r\n" + "".join(lines[middle:])),
            refused=f"line {middle + 1}.*blank",
        ),
        DeskFile("duplicate_header.csv", saved(text(rows(), ("Name", "Name", *HEAD[2:]))), refused="Name"),
        DeskFile("trailing_mark.csv", saved(usual.replace("\r\n", ";\r\n")), proposes=(SEMICOLON,)),
        DeskFile("ragged.csv", saved(with_break + "Meier;1\r\n"), refused=f"line {middle + 1}.*2 fields"),
        DeskFile("open_quote.csv", saved(with_break + '"Meier' + ";1" * 7 + "\r\n"), refused=f"line {middle + 1}"),
        DeskFile(
            "binary.csv", saved(usual.encode()[:500] + b"\0\0" + usual.encode()[500:]), refused="NUL|binary|encoding"
        ),
        DeskFile("only_a_header.csv", saved(text([])), stopped="quasi"),
        DeskFile("nothing.csv", saved(""), refused="empty"),
        DeskFile("title_above.csv", saved("Export vom 16.11.2026\r\n\r\n" + usual), refused="line"),
        DeskFile("formulas.csv", saved(text([[*r, "=1+1"] for r in rows()], (*HEAD, "Notiz"))), proposes=(SEMICOLON,)),
    ]


def files() -> list[DeskFile]:
    return [*encodings(), *marks(), *forms(), *faults()]
