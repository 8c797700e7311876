"""The records an engine has loaded, and how they are counted: some texts as small numbers.

A Parquet file holds each text of a column once in every row group, and numbers after that. DuckDB reads it so, and looks a text up
in a list (`list_position`) once for each row group instead of once for each record. Grouping by numbers of one byte then takes
half the time of grouping by texts. Columns of few texts that lie in the files like this are coded; all others are left as they are.

The texts of column c are kept as DuckDB's variable `texts_c`, and never stand in a statement.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa

from shoal.engines.driver.connection import UNREADABLE, Connection, is_of_the_data, quote, text
from shoal.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_RECORDS = 1_000_000  # below this there is nothing to gain
_MOST = 255  # texts of a column, a missing one included: numbers of one byte, and a list that is quick to look through
_LIST = 1 << 14  # bytes of the texts of a row group, packed: a sign that they are few


@dataclass(frozen=True)
class Records:
    """There are two views of them: `data`, and `numbered` with columns k0, k1, … in which the texts of `coded` are numbers."""

    number: int
    columns: tuple[str, ...]
    coded: frozenset[str] = frozenset()
    empty: int = 0  # rows without any published value, which are none

    def key(self, name: str) -> str:
        """Its column in `numbered`."""
        return f"k{self.columns.index(name)}"

    def texts(self, name: str) -> str:
        """The texts behind the numbers of a coded column; the number of the first is 1."""
        return f"getvariable('texts_{self.columns.index(name)}')"

    def value(self, name: str, key: str) -> str:
        """What stands behind a value of `numbered`."""
        return f"{self.texts(name)}[{key}]" if name in self.coded else key

    def unknown(self, columns: Sequence[str]) -> str:
        """Whether a row of `numbered` has a text that was not there when texts were looked for: it has no number."""
        return " OR ".join(["false", *(f"{self.key(name)} IS NULL" for name in columns if name in self.coded)])


@contextmanager
def reading() -> Iterator[None]:
    """DuckDB's errors about what it reads as ours. Their text is dropped: it may quote cells."""
    try:
        yield
    except (duckdb.Error, pa.ArrowException) as error:
        if not is_of_the_data(error):
            raise
        raise DataError(UNREADABLE) from None


def few_texts(
    con: Connection, files: str, origin: str, columns: Mapping[str, Sequence[str]], records: int
) -> frozenset[str]:
    """The columns that are coded. files: a list of Parquet files in SQL; origin: what reads them; columns: with the texts that are
    read as missing."""
    if records < _RECORDS:
        return frozenset()
    listed = _listed(con, files)
    return frozenset(
        name
        for c, (name, markers) in enumerate(columns.items())
        if name in listed and _few(con, c, quote(name), origin, markers)
    )


def number_of(c: int, name: str) -> str:
    """The number of a record's text, in SQL; NULL when the text is not in the list."""
    return f"list_position(getvariable('texts_{c}'), {quote(name)})::UTINYINT"


def _listed(con: Connection, files: str) -> frozenset[str]:
    """Columns of texts that every row group of every file holds as a list of few texts and numbers."""
    table = con.table(
        f"SELECT path_in_schema AS name FROM parquet_metadata({files}) WHERE type = 'BYTE_ARRAY' GROUP BY ALL "
        f"HAVING count(*) = count(dictionary_page_offset) AND max(data_page_offset - dictionary_page_offset) < {_LIST}"
    )
    return frozenset(table.column("name").to_pylist())


def _few(con: Connection, c: int, name: str, origin: str, markers: Sequence[str]) -> bool:
    # a missing value has a place of its own, the last, so that what is not in the list cannot be taken for it
    con.run(
        f"SET VARIABLE texts_{c} = list_append((SELECT list(t) FROM (SELECT DISTINCT {name} AS t FROM {origin}) "
        f"WHERE t IS NOT NULL), NULL)"
    )
    texts = f"getvariable('texts_{c}')"
    read_otherwise = f"list_has_any({texts}, [{', '.join(map(text, markers))}])" if markers else "false"
    (few,) = con.one(
        f"SELECT (typeof({texts}) = 'VARCHAR[]' AND len({texts}) <= {_MOST} AND NOT {read_otherwise})::INTEGER"
    )
    return bool(few)
