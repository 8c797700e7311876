"""Reading CSV and TSV into Arrow, strictly: every column is text, and nothing is guessed.

Arrow parses; `csv_scan` reads the same bytes on their way in and stops at the first one that could be read in two ways. What was
checked is what is parsed: the file is read once.

- Missing is the empty field (quoted or not, since most programs do not keep the two apart) and whatever `missing` lists. `NA`,
  `NULL` and `nan` are text unless listed.
- Blanks belong to the value. A byte order mark is taken off. The header is the first line and holds no line break.
- Columns at the end that have neither a name nor a value, as spreadsheets write them, are none.
- A file in another encoding than UTF-8 is read as the same text in UTF-8, so that all rules are the same.
- A file with a header and no records is a table of no records.
"""

from __future__ import annotations

import re
from contextlib import closing
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from shoal.errors import DataError, InternalError, RecipeError
from shoal.io.columns import MAX_COLUMNS, check_names
from shoal.io.csv_scan import MAX_RECORD, NotUtf8Error, Scan
from shoal.io.encodings import UTF8, Transcoded, check_encoding, encoding_of
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
    encoding: str = UTF8,
    quote: str = '"',
    limits: Limits | None = None,
) -> pa.Table:
    """The table in a CSV file. Without a delimiter: tab for .tsv and .tsv.gz, otherwise a comma."""
    chosen = delimiter if delimiter is not None else default_delimiter(path)
    check_delimiter(chosen)
    check_quote(quote, chosen)
    try:
        with closing(open_text(path, encoding, limits)) as stream:
            names, unnamed, rest = read_header(stream, path.name, chosen, quote, guessed=delimiter is None)
            columns = [*names, *(f"\0{place}" for place in range(unnamed))]
            scan = Scan(path.name, delimiter=chosen, columns=len(columns), multiline=multiline, quote=quote)
            table = _parse(_Scanned(stream, scan, rest), columns, chosen, missing, multiline, quote)
    except NotUtf8Error as reason:
        raise DataError(f"{str(reason).rstrip('.')}; {_cure(path, limits)}.") from None
    return _named(table, len(names), path.name)


def open_text(path: Path, encoding: str = UTF8, limits: Limits | None = None) -> ByteStream:
    """A file as a stream of UTF-8."""
    check_encoding(encoding)
    stream = open_bytes(path, limits, wide=True)
    return stream if encoding == UTF8 else Transcoded(stream, encoding, path.name)


def line_of(table: pa.Table, row: int) -> int:
    """The line of a file on which a row begins; the header is line 1."""
    before = table.slice(0, row)
    breaks = (pc.sum(pc.count_substring(column, "\n")).as_py() or 0 for column in before.columns)
    return row + 2 + sum(breaks)


def _cure(path: Path, limits: Limits | None) -> str:
    encoding = encoding_of(open_bytes(path, limits, wide=True))
    if encoding is None or encoding == UTF8:
        return 'save it as UTF-8, or say what it is, for example `[input] encoding = "windows-1252"`'
    return f'its bytes are those of {encoding}. Set `[input] encoding = "{encoding}"`'


def _named(table: pa.Table, named: int, file: str) -> pa.Table:
    """Without the columns at the end that have neither a name nor a value."""
    for place in range(named, table.num_columns):
        column = table.column(place)
        if column.null_count < len(column):
            row = int(pc.index(pc.is_valid(column), True).as_py())
            raise DataError(
                f"{file}, line {line_of(table, row):,}: a value in column {place + 1}, which has no name in the header."
            )
    return table.select(range(named))


def default_delimiter(path: Path) -> str:
    """A tab for .tsv, a comma otherwise."""
    return "\t" if path.name.lower().removesuffix(".gz").endswith(".tsv") else ","


def is_delimiter(mark: str) -> bool:
    """Whether a mark can stand between columns."""
    usable = len(mark) == 1 and mark.isascii() and (mark.isprintable() or mark == "\t")
    return usable and not mark.isalnum() and mark not in '".-_'


def check_delimiter(delimiter: str) -> None:
    """Refuses what could be part of a value."""
    if not is_delimiter(delimiter):
        raise RecipeError(
            "`[input] delimiter` must be one ASCII mark such as , ; | or a tab; letters, digits and quotes cannot be."
        )


def check_quote(quote: str, delimiter: str) -> None:
    """Refuses what could be part of a value, and the delimiter."""
    if quote not in ('"', "'") or quote == delimiter:
        raise RecipeError("`[input] quote` must be \" or ', and another mark than the delimiter.")


def read_header(
    stream: ByteStream, file: str, delimiter: str, quote: str, *, guessed: bool
) -> tuple[list[str], int, bytes]:
    """The column names; how many columns without a name come after these; the bytes already read after the first line."""
    start = b""
    while b"\n" not in start and len(start) <= MAX_RECORD:
        piece = stream.read(_BLOCK)
        if not piece:
            break
        start += piece
    line, end, rest = start.removeprefix(_BOM).partition(b"\n")
    where = f"{file}, line 1"
    text = _header_text(line.removesuffix(b"\r") if end else line, where)
    if text.count(delimiter) > 10 * MAX_COLUMNS:  # names with delimiters in them are few
        raise _too_many(text.count(delimiter) + 1, where)
    names = _split(text, delimiter, quote)
    if names is None:
        raise DataError(
            f"{where}: a quote in the header is misplaced or not closed; column names cannot hold line breaks."
        )
    columns = len(names)
    if columns > MAX_COLUMNS:
        raise _too_many(columns, where)
    if guessed and columns == 1:
        _suggest_delimiter(text, delimiter, where)
    while any(names) and not names[-1]:
        names.pop()
    check_names(names, where)
    return names, columns - len(names), rest


def _too_many(columns: int, where: str) -> DataError:
    return DataError(f"{where}: {columns:,} columns; at most {MAX_COLUMNS:,} are handled.")


def _header_text(line: bytes, where: str) -> str:
    if b"\r" in line:
        raise DataError(f"{where}: a carriage return does not end a line; line ends must be LF or CRLF.")
    if len(line) > MAX_RECORD:
        raise DataError(f"{where}: the header is longer than {MAX_RECORD:,} bytes.")
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        raise NotUtf8Error(f"{where}: not UTF-8 text.") from None
    if b"\0" in line:
        raise DataError(
            f'{where}: a NUL byte; the file is binary or damaged, or in UTF-16 (then set `[input] encoding = "utf-16"`).'
        )
    if not text.strip():
        raise DataError(f"{where}: the line is blank; the column names belong there.")
    return text


def _split(text: str, delimiter: str, quote: str) -> list[str] | None:
    """The fields of one line by the grammar of `csv_scan`; None when it does not follow it."""
    mark, q = re.escape(delimiter), quote
    field = re.compile(f"(?:{q}((?:[^{q}]|{q}{q})*+){q}|([^{q}{mark}]*+))({mark}|\\Z)")
    names: list[str] = []
    at = 0
    while True:
        match = field.match(text, at)
        if match is None:
            return None
        quoted, bare, end = match.groups()
        names.append(bare if quoted is None else quoted.replace(2 * quote, quote))
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


def _parse(
    scanned: _Scanned, names: list[str], delimiter: str, missing: tuple[str, ...], multiline: bool, quote: str
) -> pa.Table:
    if not scanned.has_records():  # Arrow refuses an empty file
        return pa.table({name: pa.array([], pa.string()) for name in names})
    try:
        table = arrow_csv.read_csv(
            pa.PythonFile(scanned, mode="r"),
            # no threads: one that still waits for bytes when the interpreter ends would abort the process
            read_options=arrow_csv.ReadOptions(column_names=names, block_size=_PARSED, use_threads=False),
            parse_options=arrow_csv.ParseOptions(
                delimiter=delimiter, quote_char=quote, double_quote=True, escape_char=False,
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
