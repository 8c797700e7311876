"""Writing CSV: LF, quotes only where needed; UTF-8 and commas unless the dialect says otherwise.

A missing value and an empty text are both written as an empty field (in a table of one column as `""`, since a blank line is no
record). They must not be told apart in the file: our reader, and so the verifier, takes both for missing, and a stranger with a
finer reader would otherwise see smaller classes than the verifier counted.

With `spreadsheet_safe`, text that a spreadsheet would run as a formula gets a `'` in front: at the start of a cell, and after
the marks at which a spreadsheet with other settings would start a new cell. Text that is a number stays a number.
"""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.itemsets import is_list
from shoal.data.text import text_array
from shoal.errors import DataError
from shoal.io.dialect import Dialect
from shoal.io.encodings import ENCODINGS, UTF8, UTF16
from shoal.io.sets.items import MARK, join
from shoal.io.written import write_written

if TYPE_CHECKING:
    from pathlib import Path

_BATCH = 65_536
_NUMBER = r"\A[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\z"
# Full-width forms are turned into the plain marks by some input methods and importers.
# An apostrophe in that place is doubled, so that escaping can be undone.
_FORMULA = r"(\A|[;|\t\r\n])([ \x{00a0}]*)([=+\-@\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}\t\r'])"
_FORMULA_STARTS = "=+-@\t\r＝＋－＠"


def write_csv(
    rows: pa.Table | pa.RecordBatchReader,
    path: Path,
    *,
    spreadsheet_safe: bool = False,
    items: str = MARK,
    dialect: Dialect | None = None,
) -> int:
    """Write rows and return how many. items: what separates the items of a set."""
    dialect = dialect or Dialect()
    names = list(rows.schema.names)
    if spreadsheet_safe:
        _refuse_formula_names(names)
    batches = rows.to_batches(max_chunksize=_BATCH) if isinstance(rows, pa.Table) else rows
    count = 0
    with path.open("wb") as file:
        file.write(codecs.BOM_UTF16_LE if dialect.encoding == UTF16 else b"")
        header = [_quoted(pa.array([name], pa.large_string()), dialect) for name in names]
        file.write(_encoded(header, names, dialect))
        for batch in batches:
            for at in range(0, batch.num_rows, _BATCH):
                piece = batch.slice(at, _BATCH)
                held = [join(c, items, n) if is_list(c.type) else c for c, n in zip(piece.columns, names, strict=True)]
                cells = [_cells(c, n, spreadsheet_safe, dialect) for c, n in zip(held, names, strict=True)]
                file.write(_encoded(cells, names, dialect))
                count += piece.num_rows
    return count


def _cells(column: pa.Array, name: str, spreadsheet_safe: bool, dialect: Dialect) -> pa.Array:
    text = text_array(column).cast(pa.large_string())
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not _is_text(kind):
        return text  # numbers, dates and truth values hold no mark that needs care
    text = _harmless(text) if spreadsheet_safe else text  # before a number has a comma, and is none to this
    text = write_written(text, dialect.written[name], name) if name in dialect.written else text
    return _quoted(text, dialect)


def _quoted(text: pa.Array, dialect: Dialect) -> pa.Array:
    quote = dialect.quote
    needs = pc.match_substring_regex(text, rf"[{quote}{re.escape(dialect.delimiter)}\r\n]")
    if not pc.any(needs).as_py():
        return text
    doubled = pc.replace_substring(text, quote, 2 * quote)
    return pc.if_else(needs, _join(quote, doubled, quote, between=""), text)


def _harmless(text: pa.Array) -> pa.Array:
    risky = pc.and_not(pc.match_substring_regex(text, _FORMULA), pc.match_substring_regex(text, _NUMBER))
    if not pc.any(risky).as_py():
        return text
    return pc.if_else(risky, pc.replace_substring_regex(text, _FORMULA, r"\1\2'\3"), text)


def _encoded(columns: list[pa.Array], names: list[str], dialect: Dialect) -> bytes | memoryview:
    lines = _lines(columns, dialect)
    if dialect.encoding == UTF8:
        return lines
    codec = "utf-16-le" if dialect.encoding == UTF16 else ENCODINGS[dialect.encoding]
    try:
        return str(lines, "utf-8").encode(codec)
    except UnicodeEncodeError:
        pass  # the error holds the text
    which = next(name for name, column in zip(names, columns, strict=True) if not _fits(column, codec))
    raise DataError(
        f"Column '{which}' has a value, a label or a name with a sign that {dialect.encoding} does not have; nothing was "
        'published. Set `[output] encoding = "utf-8"`.'
    )


def _fits(column: pa.Array, codec: str) -> bool:
    try:
        "\n".join(text or "" for text in column.unique().to_pylist()).encode(codec)
    except UnicodeEncodeError:
        return False
    return True


def _lines(columns: list[pa.Array], dialect: Dialect) -> memoryview:
    """One line per row, as one run of bytes: the value buffer of the joined strings."""
    joined = [pc.fill_null(column, _large("")) for column in columns]
    if len(joined) == 1:
        (only,) = joined
        joined = [pc.if_else(pc.equal(pc.binary_length(only), 0), _large(2 * dialect.quote), only)]
    lines = _join(_join(*joined, between=dialect.delimiter), "", between="\n")
    if len(lines) == 0:
        return memoryview(b"")
    offsets, values = lines.buffers()[1], lines.buffers()[2]
    ends = memoryview(offsets).cast("b").cast("q")
    return memoryview(values)[ends[lines.offset] : ends[lines.offset + len(lines)]]


def _join(*parts: pa.Array | str, between: str) -> pa.Array:
    same = [_large(part) if isinstance(part, str) else part for part in parts]
    return pc.binary_join_element_wise(*same, _large(between))


def _large(text: str) -> pa.Scalar:
    # large_string throughout: 65,536 rows of long texts may pass the 2 GiB that the offsets of a string array can count
    return pa.scalar(text, pa.large_string())


def _is_text(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    ) or isinstance(kind, pa.BaseExtensionType)


def _refuse_formula_names(names: list[str]) -> None:
    bad = [str(i) for i, name in enumerate(names, start=1) if name.strip() and name.strip()[0] in _FORMULA_STARTS]
    if bad:
        raise DataError(
            f"Spreadsheet-safe CSV: the name of column {', '.join(bad)} would be run as a formula by a spreadsheet. Rename it."
        )
