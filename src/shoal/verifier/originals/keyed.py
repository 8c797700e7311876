"""Tables that are tied by keys, folded into one nested record for each row of one of them.

Which rows belong to which is worked out with row numbers: of each table the number of the row above each of its rows, or of the row
that it looks up. Then records are put together a few thousand at a time. Rows without a key belong to nobody and are left out; a
key that points nowhere, or at several rows, is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.errors import DataError, RecipeError
from shoal.verifier.originals.columns import texts_of
from shoal.verifier.originals.csv_files import SUFFIXES, csv_file
from shoal.verifier.originals.flat import suffix_of
from shoal.verifier.originals.frames import plain
from shoal.verifier.originals.keys import below, hang, key_of
from shoal.verifier.originals.parquet_files import parquet_files

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    import pyarrow as pa
    from numpy.typing import NDArray

    from shoal.verifier.originals.keys import Hung, Key
    from shoal.verifier.originals.paths import Wanted
    from shoal.verifier.recipe.places import Input
    from shoal.verifier.sql.sql import Sql

_RECORDS = 5_000  # at a time

Rows = np.ndarray[tuple[int], np.dtype[np.int64]]


def table_records(place: Input, wanted: Wanted, sql: Sql) -> Iterator[pa.RecordBatch]:
    """The records of tables in files."""
    placed = hang(list(place.tables), place.record, [key_of(key) for key in place.keys])
    needed = columns_needed(place.record, placed, wanted)
    tables = {name: _read(path, place, needed[name]) for name, path in place.tables.items()}
    return Folding(sql, place.record, placed, tables).batches(wanted)


def columns_needed(record: str, placed: Mapping[str, Hung], wanted: Wanted) -> dict[str, set[str]]:
    """By table, the columns that are wanted of it or that keys need."""
    needed: dict[str, set[str]] = {name: set() for name in (record, *placed)}
    for one in placed.values():
        needed[one.key.table].update(one.key.columns)
        needed[one.key.to].update(one.key.unique)

    def look(table: str, fields: Wanted) -> None:
        hung = {one.table: one for one in below(placed.values(), table)}
        for name, inside in fields.items():
            if name not in hung:
                needed[table].add(str(name))
            elif (None in inside) != hung[name].is_list:
                raise RecipeError(f"columns: '{name}' is {'a list of rows' if hung[name].is_list else 'looked up'}.")
            else:
                look(name, inside[None] if hung[name].is_list else inside)

    look(record, wanted)
    return needed


# ---- reading -----------------------------------------------------------------------------------------------------------


def _read(path: Path | str, place: Input, needed: Collection[str]) -> pa.Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not isinstance(path, Path):
        raise RecipeError("input.tables: tables are files here.")
    if not path.is_dir() and suffix_of(path, (".parquet", *SUFFIXES)) != ".parquet":
        with csv_file(path, place) as (names, reader):
            table = reader.read_all()
        return table.select(list(range(len(names)))).rename_columns(list(names))
    files = parquet_files(path)
    kept = [name for name in files.names if name in needed]
    try:
        parts = [pq.ParquetFile(part).read(columns=kept).select(kept) for part in files.paths]
        for part in parts:
            part.validate(full=True)
        return pa.concat_tables(parts)
    except (pa.ArrowException, OSError):
        raise DataError(f"{files.what}: cannot be read to its end.") from None


# ---- folding -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Children:
    """Of a table that is a list: its rows in the order of the rows above. Those above row i are order[starts[i]:starts[i + 1]]."""

    order: Rows
    starts: Rows


class Folding:
    """Tables, and which rows of each belong to which of another."""

    def __init__(self, sql: Sql, record: str, placed: Mapping[str, Hung], tables: Mapping[str, pa.Table]) -> None:
        self._sql, self._record, self._placed = sql, record, placed
        self._tables = {name: _whole(table) for name, table in tables.items()}
        for name, table in tables.items():
            doubled = {one.table.casefold() for one in below(placed.values(), name)} & {
                column.casefold() for column in table.column_names
            }
            if doubled:
                raise RecipeError(f"input.tables: '{name}' has a column called like a table that hangs below it.")
        self._lists: dict[str, _Children] = {}
        self._looked_up: dict[str, Rows] = {}
        for one in placed.values():
            targets = self._targets(one.key)
            if one.is_list:
                self._lists[one.table] = _sorted(targets, self._tables[one.above].num_rows)
            else:
                self._looked_up[one.table] = targets

    def above(self, table: str) -> Rows:
        """(rows of a list,) the row above each, -1 for none."""
        return self._targets(self._placed[table].key)

    def batches(self, wanted: Wanted) -> Iterator[pa.RecordBatch]:
        """The records, with what is wanted of them."""
        import pyarrow as pa

        number = self._tables[self._record].num_rows
        for start in range(0, max(number, 1), _RECORDS):
            rows = np.arange(start, min(start + _RECORDS, number), dtype=np.int64)
            yield pa.RecordBatch.from_struct_array(self._structs(self._record, rows, wanted))

    def _targets(self, key: Key) -> Rows:
        """(rows of the table that refers,) the row it refers to; -1 where it has no key."""
        import pyarrow as pa
        import pyarrow.compute as pc

        mine, unique = self._numbered(key)
        if len(pc.unique(unique.drop_null())) < len(unique) - unique.null_count:
            raise DataError(f"input.keys: columns of '{key.to}' to which '{key.table}' refers are not unique.")
        # a missing key would be found where another one is missing
        places = pc.if_else(pc.is_valid(mine), pc.index_in(mine, value_set=unique), pa.scalar(-1, pa.int32()))
        if places.null_count:
            raise DataError(
                f"input.keys: {places.null_count:,} rows of '{key.table}' refer to rows of '{key.to}' that are not there."
            )
        targets: Rows = places.to_numpy(zero_copy_only=False).astype(np.int64)
        return targets

    def _numbered(self, key: Key) -> tuple[pa.Array, pa.Array]:
        """Both sides of a key as numbers, equal where all their texts are; missing where one is."""
        import pyarrow as pa
        import pyarrow.compute as pc

        sides: list[Any] = [None, None]
        for pair in zip(key.columns, key.unique, strict=True):
            texts = [self._key(table, name) for table, name in zip((key.table, key.to), pair, strict=True)]
            words = pc.unique(pa.concat_arrays(texts))
            for side, text in enumerate(texts):
                code = pc.index_in(text, value_set=words.drop_null()).cast(pa.int64())
                before = sides[side]
                sides[side] = code if before is None else pc.add(pc.multiply(before, len(words)), code)
            if before is not None:  # numbers stay small: as many as there are different keys
                words = pc.unique(pa.concat_arrays(sides)).drop_null()
                sides = [pc.index_in(side, value_set=words).cast(pa.int64()) for side in sides]
        return sides[0], sides[1]

    def _key(self, table: str, name: str) -> pa.Array:
        import pyarrow as pa

        if name not in self._tables[table].column_names:
            raise RecipeError(f"input.keys: '{table}' has no column '{name}'.")
        column = self._tables[table].column(name).chunk(0)
        return texts_of(self._sql, f"'{table}', column '{name}'", column).cast(pa.large_string())

    def _structs(self, table: str, rows: NDArray[np.int64], wanted: Wanted) -> pa.StructArray:
        """(rows,) what is wanted of these rows of a table; row -1 has nothing."""
        import pyarrow as pa

        columns: dict[str, pa.Array] = {}
        taken = pa.array(rows, mask=rows < 0)
        for name, inside in wanted.items():
            hung = self._placed.get(str(name))
            if hung is None or hung.above != table:
                if name not in self._tables[table].column_names:
                    raise DataError(f"the tables: '{table}' has no column '{name}'.")
                columns[str(name)] = self._tables[table].column(str(name)).chunk(0).take(taken)
            elif hung.is_list:
                columns[str(name)] = self._lists_of(hung.table, rows, inside[None])
            else:
                targets = np.where(rows < 0, -1, np.append(self._looked_up[hung.table], -1)[rows])
                columns[str(name)] = self._structs(hung.table, targets, inside)
        return pa.StructArray.from_arrays(list(columns.values()), list(columns))

    def _lists_of(self, table: str, rows: NDArray[np.int64], wanted: Wanted) -> pa.ListArray:
        import pyarrow as pa

        children = self._lists[table]
        present = np.maximum(rows, 0)
        sizes = np.where(rows < 0, 0, np.append(np.diff(children.starts), 0)[present])
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        # the places in `order`: of each row from its start on
        places = np.arange(offsets[-1]) - np.repeat(offsets[:-1] - children.starts[present], sizes)
        return pa.ListArray.from_arrays(
            pa.array(offsets, pa.int32()), self._structs(table, children.order[places], wanted)
        )


def _whole(table: pa.Table) -> pa.Table:
    """With one chunk in each column, in plain types."""
    import pyarrow as pa

    columns = [plain(pa.concat_arrays(c.chunks) if c.num_chunks else pa.array([], c.type)) for c in table.columns]
    return pa.table(columns, names=table.column_names)


def _sorted(above: Rows, number: int) -> _Children:
    """above: (rows,) the row above each, -1 for none. number: of rows above."""
    order = np.argsort(above, kind="stable")
    starts = np.searchsorted(above[order], np.arange(number + 1))
    return _Children(order, starts.astype(np.int64))
