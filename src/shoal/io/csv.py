"""Reading CSV and TSV into Arrow, strictly: every column is text, and nothing is guessed.

Arrow parses; `csv_scan` reads the same bytes on their way in and stops at the first one that could be read in two ways. What was
checked is what is parsed: the file is read once.

- Missing is the empty field (quoted or not, since most programs do not keep the two apart) and whatever `missing` lists. `NA`,
  `NULL` and `nan` are text unless listed.
- Blanks belong to the value. A byte order mark is taken off. The header is the first line and holds no line break.
- A file with a header and no records is a table of no records.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.csv as arrow_csv

from shoal.errors import DataError, InternalError, RecipeError
from shoal.io.columns import check_names
from shoal.io.csv_scan import MAX_RECORD, Scan
from shoal.io.files import ByteStream, Limits, open_bytes

if TYPE_CHECKING:
    from pathlib import Path

_BLOCK = 4 << 20  # scanned at once
_PARSED = 2 * MAX_RECORD  # Arrow's block; must hold a whole record
_BOM = b"\xef\xbb\xbf"
_OTHER_DELIMITERS = {";": ";", "\t": "\\t", "|": "|", ",": ","}


def read_csv(
    path: Path,
    *,
    delimiter: str | None = None,
    missing: tuple[str, ...] = (),
    multiline: bool = False,
    limits: Limits | None = None,
) -> pa.Table:
    """The table in a CSV file. Without a delimiter: tab for .tsv and .tsv.gz, otherwise a comma."""
    chosen = delimiter if delimiter is not None else default_delimiter(path)
    check_delimiter(chosen)
    stream = open_bytes(path, limits)
    try:
        names, rest = _header(stream, path.name, chosen, guessed=delimiter is None)
        scan = Scan(path.name, delimiter=chosen, columns=len(names), multiline=multiline)
        return _parse(_Scanned(stream, scan, rest), names, chosen, missing, multiline)
    finally:
        stream.close()


def default_delimiter(path: Path) -> str:
    return "\t" if path.name.lower().removesuffix(".gz").endswith(".tsv") else ","


def check_delimiter(delimiter: str) -> None:
    usable = len(delimiter) == 1 and delimiter.isascii() and (delimiter.isprintable() or delimiter == "\t")
    if not usable or delimiter.isalnum() or delimiter in '".-_':
        raise RecipeError(
            "`[input] delimiter` must be one ASCII mark such as , ; | or a tab; letters, digits and quotes cannot be."
        )


def _header(stream: ByteStream, file: str, delimiter: str, *, guessed: bool) -> tuple[list[str], bytes]:
    """The column names, and the bytes already read that come after the first line."""
    start = b""
    while b"\n" not in start and len(start) <= MAX_RECORD:
        piece = stream.read(_BLOCK)
        if not piece:
            break
        start += piece
    line, end, rest = start.removeprefix(_BOM).partition(b"\n")
    where = f"{file}, line 1"
    text = _header_text(line.removesuffix(b"\r") if end else line, where)
    names = _split(text, delimiter)
    if names is None:
        raise DataError(
            f"{where}: a quote in the header is misplaced or not closed; column names cannot hold line breaks."
        )
    if guessed and len(names) == 1:
        _suggest_delimiter(text, delimiter, where)
    check_names(names, where)
    return names, rest


def _header_text(line: bytes, where: str) -> str:
    if b"\0" in line:
        raise DataError(f"{where}: a NUL byte; the file is binary or damaged, or in UTF-16.")
    if b"\r" in line:
        raise DataError(f"{where}: a carriage return does not end a line; line ends must be LF or CRLF.")
    if len(line) > MAX_RECORD:
        raise DataError(f"{where}: the header is longer than {MAX_RECORD:,} bytes.")
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        raise DataError(f"{where}: not UTF-8 text; convert the file to UTF-8.") from None
    if not text.strip():
        raise DataError(f"{where}: the line is blank; the column names belong there.")
    return text


def _split(text: str, delimiter: str) -> list[str] | None:
    """The fields of one line by the grammar of `csv_scan`; None when it does not follow it."""
    mark = re.escape(delimiter)
    field = re.compile(f'(?:"((?:[^"]|"")*+)"|([^"{mark}]*+))({mark}|\\Z)')
    names: list[str] = []
    at = 0
    while True:
        match = field.match(text, at)
        if match is None:
            return None
        quoted, bare, end = match.groups()
        names.append(bare if quoted is None else quoted.replace('""', '"'))
        if not end:
            return names
        at = match.end()


def _suggest_delimiter(text: str, delimiter: str, where: str) -> None:
    if re.fullmatch(r"sep=.", text, re.IGNORECASE):
        raise DataError(f"{where}: a `sep=` line for spreadsheets stands before the header; remove it.")
    for mark, written in _OTHER_DELIMITERS.items():
        if mark != delimiter and mark in text:
            used = "tab" if delimiter == "\t" else f"'{delimiter}'"
            raise DataError(
                f"{where}: the header has no {used}, but {text.count(mark)} of another mark. "
                f'If columns are separated by it, set `[input] delimiter = "{written}"`.'
            )


class _Scanned:
    """A file object for Arrow that lets no byte past unscanned, apart from the unfinished line at the end of a piece."""

    closed = False

    def __init__(self, stream: ByteStream, scan: Scan, rest: bytes) -> None:
        self._stream, self.scan = stream, scan
        scan.feed(rest)
        # Arrow takes a byte order mark off. The file's own is gone with the header; one more in the first cell is data.
        self._ready = [_BOM, rest]
        self._ended = False

    def read(self, size: int = -1) -> bytes:
        """Exactly `size` bytes unless the file ends: Arrow wants a whole record in every block."""
        if size < 0:
            raise InternalError("A CSV stream was asked for all of its bytes at once.")
        held = sum(map(len, self._ready))
        while held < size and not self._ended:
            piece = self._stream.read(_BLOCK)
            if piece:
                self.scan.feed(piece)
                self._ready.append(piece)
                held += len(piece)
            else:
                self.scan.finish()
                self._ended = True
        joined = b"".join(self._ready)
        self._ready = [joined[size:]]
        return joined[:size]

    def has_records(self) -> bool:
        first = self.read(_PARSED)
        self._ready.insert(0, first)
        return len(first) > len(_BOM)

    def drain(self) -> None:
        while self.read(_BLOCK):
            pass

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return False

    def seekable(self) -> bool:
        return False

    def close(self) -> None:
        """The descriptor belongs to `read_csv`."""


def _parse(scanned: _Scanned, names: list[str], delimiter: str, missing: tuple[str, ...], multiline: bool) -> pa.Table:
    if not scanned.has_records():  # Arrow refuses an empty file
        return pa.table({name: pa.array([], pa.string()) for name in names})
    try:
        table = arrow_csv.read_csv(
            pa.PythonFile(scanned, mode="r"),
            # no threads: one that still waits for bytes when the interpreter ends would abort the process
            read_options=arrow_csv.ReadOptions(column_names=names, block_size=_PARSED, use_threads=False),
            parse_options=arrow_csv.ParseOptions(
                delimiter=delimiter, quote_char='"', double_quote=True, escape_char=False,
                newlines_in_values=multiline, ignore_empty_lines=False,
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types={name: pa.string() for name in names},
                null_values=["", *missing], strings_can_be_null=True, quoted_strings_can_be_null=True,
            ),
        )  # fmt: skip
    except pa.ArrowException:
        scanned.drain()  # the scan names the line and quotes no cell; Arrow's message does
        raise InternalError("Arrow refused a CSV file in which our own check found no fault.") from None
    if table.num_rows != scanned.scan.records:
        raise InternalError(
            f"Arrow read {table.num_rows:,} records where our own check counted {scanned.scan.records:,}."
        )
    return table
