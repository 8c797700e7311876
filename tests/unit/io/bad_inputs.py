"""Curated bad inputs: families and variants. Every cell holds CANARY, which must not appear in a message."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

CANARY = "kanarienvogel-7f3a"
CELL = CANARY.encode()
HEADER = b"name,age,town"
ROW = b",".join([CELL] * 3)


@dataclass(frozen=True)
class Bad:
    id: str
    data: bytes
    line: int | None = None  # the line that the message must name
    file: str = "people.csv"
    options: dict[str, Any] = field(default_factory=dict)
    says: str = ""  # words that the message must hold


def table(rows: list[bytes], end: bytes = b"\n", header: bytes = HEADER) -> bytes:
    return b"".join(line + end for line in (header, *rows))


def with_row(bad: bytes, where: str, end: bytes = b"\n") -> tuple[bytes, int]:
    """A table of 21 records of which one is bad, and the line it stands on."""
    at = {"first": 0, "middle": 10, "last": 20}[where]
    rows = [ROW] * 21
    rows[at] = bad
    return table(rows, end), at + 2


PLACES = ("first", "middle", "last")
ENDS = {"lf": b"\n", "crlf": b"\r\n"}


def in_a_row(family: str, variants: dict[str, bytes], says: str = "", **options: Any) -> Iterator[Bad]:
    for name, bad in variants.items():
        for where in PLACES:
            for end_name, end in ENDS.items():
                data, line = with_row(bad, where, end)
                yield Bad(f"{family}-{name}-{where}-{end_name}", data, line, options=options, says=says)


def nul() -> Iterator[Bad]:
    yield from in_a_row(
        "nul", {"in-cell": CELL + b"\0," + CELL + b"," + CELL, "alone": b"\0", "quoted": b'"\0",b,c'}, "NUL"
    )
    yield Bad("nul-header", b"na\0me,age\n" + CELL + b",1\n", 1, says="NUL")
    yield Bad("nul-only", b"\0" * 100)
    yield Bad("nul-at-the-end", table([ROW]) + b"\0", 3, says="NUL")


def not_utf8() -> Iterator[Bad]:
    sequences = {
        "latin1": b"Jos\xe9", "lone-continuation": b"\x80", "overlong-slash": b"\xc0\xaf", "overlong-nul": b"\xc0\x80",
        "surrogate": b"\xed\xa0\x80", "beyond": b"\xf4\x90\x80\x80", "five-bytes": b"\xf8\x88\x80\x80\x80", "cut": b"\xe6\x97",
        "ff": b"\xff",
    }  # fmt: skip
    for name, sequence in sequences.items():
        for where in PLACES:
            data, line = with_row(CELL + sequence + b"," + CELL + b"," + CELL, where)
            yield Bad(f"utf8-{name}-{where}", data, line, says="UTF-8")
        yield Bad(f"utf8-{name}-header", b"name," + sequence + b"\n" + CELL + b",1\n", 1, says="UTF-8")
        yield Bad(f"utf8-{name}-quoted", table([b'"' + CELL + sequence + b'",1,2']), 2, says="UTF-8")
    text = table([ROW] * 3).decode()
    for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"):
        yield Bad(f"encoding-{encoding}", text.encode(encoding))
    yield Bad("encoding-cp1252", "name,stadt\nx,Köln\n".encode("cp1252"), 2, says="UTF-8")
    yield Bad("encoding-sjis", "name,町\nx,東京\n".encode("shift-jis"), 1, says="UTF-8")


def quotes() -> Iterator[Bad]:
    c = CELL
    yield from in_a_row(
        "quote",
        {
            "in-the-middle": c + b'"' + c + b",1,2",
            "at-the-end": c + b'",1,2',
            "two-in-bare": c + b'""x,1,2',
            "before-blank": b' "' + c + b'",1,2',
            "after-tab": b'\t"' + c + b'",1,2',
        },
        "quote inside a field",
    )
    yield from in_a_row(
        "quote",
        {
            "closed-too-early": b'"' + c + b'"x,1,2',
            "blank-after": b'"' + c + b'" ,1,2',
            "backslash": b'"' + c + b'\\"x",1,2',
            "empty-then-text": b'""' + c + b",1,2",
        },
        "closing quote",
    )
    for where in ("first", "middle"):
        for end_name, end in ENDS.items():
            data, line = with_row(b'"' + c + b",1,2", where, end)
            yield Bad(f"quote-unclosed-{where}-{end_name}", data, line, says="multiline = true")
            odd = b'"""' + c + b",1,2"
            data, line = with_row(odd, where, end)
            yield Bad(f"quote-triple-{where}-{end_name}", data, line, says="multiline = true")
            data, line = with_row(b'"' + c + b",1,2", where, end)
            yield Bad(
                f"quote-unclosed-multiline-{where}-{end_name}",
                data,
                line,
                options={"multiline": True},
                says="never closed",
            )
    data, line = with_row(b'1,2,"' + c, "last")
    yield Bad("quote-unclosed-last-line", data, line)
    yield Bad("quote-unclosed-at-the-end", data.rstrip(b"\n"), line, says="never closed")
    yield Bad(
        "quote-unclosed-at-the-end-multiline",
        data.rstrip(b"\n"),
        line,
        options={"multiline": True},
        says="never closed",
    )
    yield Bad("quote-alone", table([b'"']), 2)
    for name, header in {
        "bare": b'na"me,b',
        "unclosed": b'"name,b',
        "after": b'"name"x,b',
        "blank": b' "name",b',
    }.items():
        yield Bad(f"quote-header-{name}", header + b"\n" + c + b",1\n", 1, says="quote")


def line_ends() -> Iterator[Bad]:
    c = CELL
    breaks = {"lf": b"\n", "crlf": b"\r\n", "cr": b"\r", "two": b"\n\n", "first": b"\n" + c}
    for name, mark in breaks.items():
        for where in PLACES:
            data, line = with_row(b'"' + c + mark + c + b'",1,2', where)
            yield Bad(f"break-in-quotes-{name}-{where}", data, line, says="multiline = true")
    yield from in_a_row(
        "lone-cr", {"in-cell": c + b"\r" + c + b",1,2", "two": c + b",1,2\r\r", "start": b"\r" + ROW}, "carriage return"
    )
    yield Bad("mac", table([ROW] * 3, b"\r"), 1, says="carriage return")
    yield Bad("mac-body", HEADER + b"\n" + (ROW + b"\r") * 3, 2, says="carriage return")
    yield Bad("mac-header", HEADER + b"\r" + (ROW + b"\n") * 3, 1, says="carriage return")
    yield Bad("cr-at-the-end", table([ROW]) + ROW + b"\r", 3, says="carriage return")
    yield Bad("cr-after-header", HEADER + b"\r", 1, says="carriage return")


def blank_lines() -> Iterator[Bad]:
    for end_name, end in ENDS.items():
        for where in PLACES:
            data, line = with_row(b"", where, end)
            yield Bad(f"blank-{where}-{end_name}", data, line, says="blank")
            at = {"first": 2, "middle": 12, "last": 22}[where]
            rows = [CELL] * 21
            rows[at - 2] = b""
            yield Bad(f"blank-one-column-{where}-{end_name}", table(rows, end, b"name"), at, says="blank")
        yield Bad(f"blank-at-the-end-{end_name}", table([ROW], end) + end, 3, says="blank")
        yield Bad(f"blank-before-the-header-{end_name}", end + table([ROW], end), 1, says="blank")
        yield Bad(f"blank-several-{end_name}", table([ROW], end) + end * 5, 3, says="blank")
        yield Bad(f"blank-only-{end_name}", end * 3, 1, says="blank")
    yield Bad("blank-header-of-blanks", b"   \n" + ROW + b"\n", 1, says="blank")


def ragged() -> Iterator[Bad]:
    c = CELL
    variants = {
        "short": c + b"," + c,
        "one": c,
        "long": ROW + b"," + c,
        "trailing-comma": ROW + b",",
        "only-commas": b",,,",
        "decimal-comma": c + b",1,5," + c,
        "other-delimiter": ROW.replace(b",", b";"),
        "blanks": b"   ",
        "quoted-commas": b'"' + ROW + b'"',
    }
    yield from in_a_row("ragged", variants, "header has 3")
    yield Bad("ragged-every-other", table([ROW, c] * 10), 3, says="header has 3")
    yield Bad("ragged-last-without-end", table([ROW]) + c + b",1", 3, says="2 fields")
    yield Bad("ragged-total-line", table([ROW] * 3 + [b"total,3"]), 5)
    yield Bad("ragged-comment-first", b"# made by a program\n" + table([ROW]), None)
    # Two faults that add up to the right number of marks
    yield Bad("ragged-balanced", table([ROW, c + b"," + c, ROW + b"," + c]), 3, says="2 fields")
    yield Bad("ragged-one-column", b"name\n" + c + b"\n" + c + b"," + c + b"\n", 3, says="2 fields")
    yield Bad("ragged-multiline", table([b'"a\nb",1,2', b'"a\nb",1']), 4, options={"multiline": True}, says="2 fields")


def headers() -> Iterator[Bad]:
    body = b"\n" + ROW + b"\n"
    names = {
        "twice": (b"name,age,name", "columns 1, 3"),
        "thrice": (b"a,a,a", "columns 1, 2, 3"),
        "twice-quoted": (b'name,"name",c', "columns 1, 2"),
        "case": (b"Age,age,c", "case"),
        "case-umlaut": ("STRASSE,straße,c".encode(), "case"),
        "empty": (b"name,,c", "column 2"),
        "empty-quoted": (b'name,"",c', "column 2"),
        "all-empty": (b",,", "columns 1, 2, 3"),
        "blank-name": (b"name,  ,c", "column 2"),
        "blank-before": (b"name, age,c", "column 2"),
        "blank-after": (b"name ,age,c", "column 1"),
        "tab-after": (b"name\t,age,c", "column 1"),
        "nbsp": ("name\u00a0,b,c".encode(), "column 1"),
        "bom-twice": (b"\xef\xbb\xbf\xef\xbb\xbfname,b,c", "column 1"),
        "bom-inside": ("name,\ufeffb,c".encode(), "column 2"),
        "zero-width": ("na\u200bme,b,c".encode(), "column 1"),
        "soft-hyphen": ("na\u00adme,b,c".encode(), "column 1"),
        "direction": ("na\u202eme,b,c".encode(), "column 1"),
        "nfc-nfd": ("caf\u00e9,cafe\u0301,c".encode(), "look alike"),
        "control": (b"na\x1bme,b,c", "column 1"),
        "bell": (b"name,b,\x07", "column 3"),
        "delete": (b"name,b\x7f,c", "column 2"),
        "line-separator": ("na\u2028me,b,c".encode(), "column 1"),
        "long": (b"n" * 1001 + b",b,c", "1,000"),
    }
    for name, (header, says) in names.items():
        yield Bad(f"header-{name}", header + body, 1, says=says)
    yield Bad("header-empty-last", b"name,b," + body, 2, says="column 3")
    for mark_name, mark, written in (("semicolon", b";", ";"), ("tab", b"\t", "\\t"), ("pipe", b"|", "|")):
        yield Bad(
            f"delimiter-{mark_name}",
            table([ROW.replace(b",", mark)], header=HEADER.replace(b",", mark)),
            1,
            says=f'delimiter = "{written}"',
        )
    yield Bad("delimiter-comma-in-tsv", table([ROW]), 1, file="people.tsv", says='delimiter = ","')
    yield Bad("delimiter-sep-line", b"sep=;\na;b\n1;2\n", 1, says="sep=")
    yield Bad("header-break", b'"na\nme",b\n' + CELL + b",1\n", 1, options={"multiline": True})
    yield Bad("empty-file", b"", says="empty")
    yield Bad("bom-only", b"\xef\xbb\xbf", 1)
    yield Bad("header-many", b",".join(b"c%d" % i for i in range(10_001)) + b"\n", 1, says="10,000")


def foreign() -> Iterator[Bad]:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("people.csv", table([ROW]))
    starts = {
        "zip": packed.getvalue(), "xls": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "parquet": b"PAR1" + bytes(20) + b"PAR1",
        "zstd": b"\x28\xb5\x2f\xfd" + bytes(20), "bzip2": b"BZh91AY&SY", "xz": b"\xfd7zXZ\x00\x00", "arrow": b"ARROW1\0\0",
        "sqlite": b"SQLite format 3\x00" + bytes(80), "pdf": b"%PDF-1.7\n", "elf": b"\x7fELF\x02\x01\x01\x00" + bytes(20),
        "png": b"\x89PNG\r\n\x1a\n" + bytes(30), "pickle": b"\x80\x04\x95\x00\x00\x00\x00\x00\x00\x00\x00",
    }  # fmt: skip
    for name, data in starts.items():
        yield Bad(f"foreign-{name}", data)
        yield Bad(f"foreign-{name}-as-parquet", data if name != "parquet" else data[:-4], file="people.parquet")
        yield Bad(f"foreign-{name}-as-gz", data, file="people.csv.gz", says="gzip")
    for suffix in (
        "jsonl",
        "json",
        "xlsx",
        "xml",
        "txt",
        "sav",
        "dta",
        "sas7bdat",
        "feather",
        "parquet.gz",
        "csv.zip",
        "csv.bz2",
        "",
        "sqlite",
    ):
        yield Bad(f"suffix-{suffix or 'none'}", table([ROW]), file=f"people.{suffix}".rstrip("."), says=_said(suffix))


def _said(suffix: str) -> str:
    if suffix == "xlsx":  # read since there is a reader; this one is a text under that name
        return "is no workbook"
    if suffix in ("sav", "dta", "sas7bdat"):
        return "cannot be read (ReadstatError)"
    return "nested records" if suffix in ("json", "jsonl", "xml") else ".parquet"


def gzips() -> Iterator[Bad]:
    whole = gzip.compress(table([ROW] * 500), mtime=0)
    for name, keep in {
        "1": 1,
        "2": 2,
        "9": 9,
        "header": 10,
        "11": 11,
        "half": len(whole) // 2,
        "trailer": len(whole) - 8,
        "last": len(whole) - 1,
    }.items():
        yield Bad(f"gzip-cut-{name}", whole[:keep], file="people.csv.gz", says="gzip")
    for name, at in {
        "method": 2,
        "flags": 3,
        "body": len(whole) // 2,
        "body-start": 12,
        "crc": len(whole) - 6,
        "size": len(whole) - 2,
    }.items():
        broken = bytearray(whole)
        broken[at] ^= 0xFF
        yield Bad(f"gzip-flip-{name}", bytes(broken), file="people.csv.gz")
    yield Bad("gzip-junk-after", whole + b"junk", file="people.csv.gz", says="damaged")
    yield Bad("gzip-second-member-cut", whole + whole[:20], file="people.csv.gz", says="cut off")
    yield Bad("gzip-twice", gzip.compress(whole), file="people.csv.gz")
    yield Bad("gzip-of-nothing", gzip.compress(b""), file="people.csv.gz")
    yield Bad("gzip-plain", table([ROW]), file="people.csv.gz", says="gzip")
    yield Bad("gzip-bad-row", gzip.compress(table([ROW, CELL])), 3, file="people.csv.gz", says="1 field")
    yield Bad(
        "gzip-members-bad-row",
        gzip.compress(table([ROW])) + gzip.compress(CELL + b"\n"),
        3,
        file="people.csv.gz",
        says="1 field",
    )


def large() -> Iterator[Bad]:
    mega = b"x" * ((1 << 20) + 1)
    for where in PLACES:
        data, line = with_row(mega + b",1,2", where)
        yield Bad(f"field-large-{where}", data, line, says="1,048,576")
        data, line = with_row(b'1,"' + mega + b'",2', where)
        yield Bad(f"field-large-quoted-{where}", data, line, says="1,048,576")
    yield Bad(
        "field-large-multiline",
        table([b'"' + b"x\n" * (1 << 20) + b'",1,2']),
        2,
        options={"multiline": True},
        says="1,048,576",
    )
    yield Bad("field-large-no-end", table([ROW]) + b"x" * (9 << 20), 3, says="8,388,608")
    yield Bad("header-large", b"x" * (9 << 20) + b"\n", 1, says="8,388,608")
    columns = 40
    wide = b",".join(b"c%d" % i for i in range(columns)) + b"\n" + b",".join([b"x" * (1 << 18)] * columns) + b"\n"
    yield Bad("record-large", wide, 2, says="8,388,608")
    yield Bad(
        "field-unclosed-large", table([b'"' + ROW] + [ROW] * 200_000), 2, options={"multiline": True}, says="1,048,576"
    )


def csv_cases() -> list[Bad]:
    families = (nul, not_utf8, quotes, line_ends, blank_lines, ragged, headers, foreign, gzips, large)
    return [bad for family in families for bad in family()]
