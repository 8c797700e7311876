"""Reading a CSV file without guessing: every column is text, an empty field is missing, and doubt is an error.

Libraries differ in what they make of a stray quote, a NUL or a short row; a file they would disagree about is refused here.
`_Checked` looks at the bytes as they stream past: quoting must be that of RFC 4180 (a quote opens a field at its start, a
closing quote ends it, `""` inside stands for one quote), no NUL, no blank line in a file of several columns. What passes
can be read in one way only, and Arrow then does the reading.
"""

from __future__ import annotations

import csv
import io
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from shoal.errors import DataError, RecipeError
from shoal.verifier.files.dialect import Dialect
from shoal.verifier.files.opening import opened
from shoal.verifier.files.recoding import in_utf8

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

_DELIMITERS = (",", ";", "\t", "|")
_BLOCK = 16 << 20
_HEADER = 1 << 20
_BOM = b"\xef\xbb\xbf"
_COLUMNS = 10_000  # no table of people has more
_CR, _LF = 0x0D, 0x0A
_LONE_RETURN = "a CR does not end a line together with an LF"


def read_header(
    path: Path, delimiter: str | None, wanted: Sequence[str], *, dialect: Dialect | None = None
) -> tuple[tuple[str, ...], str]:
    """The column names and the delimiter. One that is not given is the one by which the wanted columns are found; that of the
    dialect is looked for first."""
    dialect = dialect or Dialect()
    quote = dialect.quote
    with opened(path) as stream, faults_of(path, encoding=dialect.encoding):
        start = in_utf8(stream, dialect.encoding, path.name).read(_HEADER).removeprefix(_BOM)
    if delimiter is not None:
        if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0':
            raise RecipeError("delimiter: must be one ASCII character that is neither a quote nor a line end.")
        return _names(path, start, delimiter, quote), delimiter
    usual = dialect.delimiter or _DELIMITERS[0]
    fitting = [candidate for candidate in {usual, *_DELIMITERS} if _has_columns(path, start, candidate, quote, wanted)]
    delimiter = fitting[0] if len(fitting) == 1 else usual
    return _names(path, start, delimiter, quote), delimiter


@contextmanager
def records(
    path: Path,
    names: Sequence[str],
    delimiter: str,
    *,
    original: bool = False,
    multiline: bool = True,
    encoding: str = "utf-8",
    quote: str = '"',
    unnamed: int = 0,
    missing: Sequence[str] = (),
) -> Iterator[pa.RecordBatchReader]:
    """The records as Arrow batches: columns c0, c1, … of text and `pos`, the position in the file, from 1.

    original: of data that is to be anonymized more is refused: any blank line, and a CR that ends a line by itself. multiline:
    whether a line may end inside a quoted field. unnamed: so many columns after those with a name must hold nothing, or what is
    `missing`.
    """
    import pyarrow as pa
    import pyarrow.csv

    columns = [f"c{i}" for i in range(len(names) + unnamed)]
    schema = pa.schema([*((name, pa.string()) for name in columns[: len(names)]), ("pos", pa.int64())])
    short: list[tuple[int, int]] = []
    refused: list[DataError] = []

    def remember(row: pa.csv.InvalidRow) -> str:
        short.append((row.number, row.actual_columns))
        return "error"

    def batches(stream: BinaryIO) -> Iterator[pa.RecordBatch]:
        reader = pa.csv.open_csv(
            stream,
            read_options=pa.csv.ReadOptions(column_names=columns, use_threads=False, block_size=_BLOCK),
            parse_options=pa.csv.ParseOptions(
                delimiter=delimiter,
                quote_char=quote,
                newlines_in_values=True,
                ignore_empty_lines=False,
                invalid_row_handler=remember,
            ),
            convert_options=pa.csv.ConvertOptions(
                column_types=dict.fromkeys(columns, pa.string()),
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
            ),
        )
        position = 0
        for batch in reader:
            if position == 0 and batch.num_rows:  # the header comes as the first record
                if [column[0].as_py() or "" for column in batch.columns] != [*names, *unnamed * [""]]:
                    raise ValueError("the header was read in two ways")
                batch, position = batch.slice(1), 1
            if any(set(column.unique().to_pylist()) - {None, *missing} for column in batch.columns[len(names) :]):
                refused.append(DataError(f"{path.name}: there is a value in a column without a name."))
                raise refused[0]
            numbers = pa.array(np.arange(position, position + batch.num_rows, dtype=np.int64))
            position += batch.num_rows
            yield pa.RecordBatch.from_arrays([*batch.columns[: len(names)], numbers], schema=schema)

    with opened(path) as raw, faults_of(path, encoding=encoding):
        checked = _Checked(
            in_utf8(raw, encoding, path.name),
            delimiter,
            quote=quote,
            blank_lines=len(columns) == 1 and not original,
            returns=not original,
            multiline=multiline,
        )
        with faults_of(path, checked, short, refused, encoding=encoding):
            yield pa.RecordBatchReader.from_batches(schema, batches(io.BufferedReader(checked, 1 << 20)))


class _Checked(io.RawIOBase):
    """Passes the bytes on, and stops at the first that could be read in two ways. `fault` then says why."""

    def __init__(
        self,
        stream: BinaryIO,
        delimiter: str,
        *,
        quote: str = '"',
        blank_lines: bool,
        returns: bool = True,
        multiline: bool = True,
    ) -> None:
        self._stream, self._quote = stream, ord(quote)
        self._field_ends = np.zeros(256, np.bool_)  # what may stand beside an outer quote
        self._field_ends[[ord(delimiter), _CR, _LF]] = True
        self._blank_lines, self._returns, self._multiline = blank_lines, returns, multiline
        self._returned = False  # the last byte is a CR outside of quotes
        self._last = _LF  # the byte before the next one; the file begins like a line
        self._open = False  # inside a quoted field
        self._started = False
        self.fault: str | None = None
        self.refusal: DataError | None = None  # of the stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        try:
            chunk = self._stream.read(len(buffer))
        except DataError as error:  # Arrow and DuckDB make errors of their own of it
            self.refusal = error
            raise
        if not self._started:
            self._started = True
            chunk = chunk.removeprefix(_BOM)
        if not chunk:
            return self._end()
        # A closing quote is judged by the byte after it: the check of a quote at the very end waits for the next chunk.
        self._check(np.frombuffer(chunk, np.uint8), chunk)
        buffer[: len(chunk)] = chunk
        return len(chunk)

    def _end(self) -> int:
        if self._open:
            self._stop("a quote is opened and never closed")
        if self._returned:
            self._stop(_LONE_RETURN)
        return 0

    def _check(self, data: np.ndarray[tuple[int], np.dtype[np.uint8]], chunk: bytes) -> None:
        if b"\x00" in chunk:
            self._stop("there is a NUL byte")
        quotes = np.flatnonzero(data == self._quote)
        opening = (np.arange(len(quotes)) % 2 == 0) ^ self._open
        before = np.concatenate((np.array([self._last], np.uint8), data[:-1]))
        # A quote that opens needs the edge of a field, or a quote (the first of a pair), before it.
        preceding = before[quotes[opening]]
        misplaced = ~(self._field_ends[preceding] | (preceding == self._quote))
        # A quote that closes needs one after it; the one after the last byte of the last chunk is data[0].
        closed_before = quotes[~opening]
        closed_before = closed_before[closed_before + 1 < len(data)] + 1
        followed = data[closed_before]
        unended = ~(self._field_ends[followed] | (followed == self._quote))
        first_unended = (
            self._last == self._quote and not self._open and not (self._field_ends[data[0]] or data[0] == self._quote)
        )
        if misplaced.any() or unended.any() or first_unended:
            self._stop("a quote stands where a field neither begins nor ends")
        if not self._blank_lines and self._has_blank_line(data, chunk, quotes, before):
            self._stop("there is a blank line")
        if not self._multiline:
            self._check_fields(data, quotes)
        if not self._returns:
            self._check_returns(data, quotes)
        self._open ^= bool(len(quotes) % 2)
        self._last = int(data[-1])

    def _check_fields(
        self, data: np.ndarray[tuple[int], np.dtype[np.uint8]], quotes: np.ndarray[tuple[int], np.dtype[np.intp]]
    ) -> None:
        if not len(quotes) and not self._open:
            return
        ends = np.flatnonzero((data == _LF) | (data == _CR))
        if ((np.searchsorted(quotes, ends) % 2 == 1) ^ self._open).any():
            self._stop("a line ends inside a quoted field (allowed with `[input] multiline = true`)")

    def _check_returns(
        self, data: np.ndarray[tuple[int], np.dtype[np.uint8]], quotes: np.ndarray[tuple[int], np.dtype[np.intp]]
    ) -> None:
        if self._returned and data[0] != _LF:
            self._stop(_LONE_RETURN)
        returns = np.flatnonzero(data == _CR)
        returns = returns[~((np.searchsorted(quotes, returns) % 2 == 1) ^ self._open)]
        self._returned = bool(len(returns)) and int(returns[-1]) == len(data) - 1
        inner = returns[:-1] if self._returned else returns
        if (data[inner + 1] != _LF).any():
            self._stop(_LONE_RETURN)

    def _has_blank_line(
        self,
        data: np.ndarray[tuple[int], np.dtype[np.uint8]],
        chunk: bytes,
        quotes: np.ndarray[tuple[int], np.dtype[np.intp]],
        before: np.ndarray[tuple[int], np.dtype[np.uint8]],
    ) -> bool:
        line_end = (_LF, _CR)
        if not any(pair in chunk for pair in (b"\n\n", b"\n\r", b"\r\r")) and not (
            self._last in line_end and chunk[0] in line_end
        ):
            return False
        blank = ((data == _LF) & (before == _LF)) | ((data == _CR) & ((before == _LF) | (before == _CR)))
        inside = (np.searchsorted(quotes, np.flatnonzero(blank)) % 2 == 1) ^ self._open
        return bool((~inside).any())

    def _stop(self, fault: str) -> None:
        self.fault = fault
        raise ValueError(fault)


def _names(path: Path, start: bytes, delimiter: str, quote: str) -> tuple[str, ...]:
    with faults_of(path):
        text = start.decode("utf-8", "strict" if len(start) < _HEADER else "ignore")
        header = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quotechar=quote, strict=True), [])
    if not header:
        raise DataError(f"{path.name}: the first line is blank; it must name the columns.")
    if len(header) > _COLUMNS:
        raise DataError(f"{path.name}: {len(header):,} columns or more; at most {_COLUMNS:,} are read.")
    return tuple(header)


def _has_columns(path: Path, start: bytes, delimiter: str, quote: str, wanted: Sequence[str]) -> bool:
    try:
        return set(wanted) <= set(_names(path, start, delimiter, quote))
    except DataError:  # quotes that fit another delimiter
        return False


@contextmanager
def faults_of(
    path: Path,
    checked: _Checked | None = None,
    short: Sequence[tuple[int, int]] = (),
    refused: Sequence[DataError] = (),
    *,
    encoding: str = "utf-8",
) -> Iterator[None]:
    """Everything that can go wrong while reading becomes a DataError that names the place and quotes nothing.

    refused: errors that were raised beneath Arrow and DuckDB, which tell them as their own.
    """
    import duckdb
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, duckdb.Error, csv.Error, UnicodeError, ValueError, EOFError, zlib.error):
        if refused:
            raise refused[0] from None
        if checked is not None and checked.refusal is not None:
            raise checked.refusal from None
        if checked is not None and checked.fault is not None:
            raise DataError(f"{path.name}: {checked.fault}; the file can be read in more than one way.") from None
        if short:
            number, fields = short[0]
            raise DataError(
                f"{path.name}: row {number} (the header is row 1) has {fields} fields, not as many as there are columns."
            ) from None
        raise DataError(
            f"{path.name}: not a CSV file in {encoding.upper()} that can be read to its end. If it is in another encoding, say so: "
            "`[input] encoding` for data, `[output] encoding` for a release."
        ) from None
    except OSError as error:
        raise DataError(f"{path.name}: cannot be read ({error.strerror or type(error).__name__}).") from None
