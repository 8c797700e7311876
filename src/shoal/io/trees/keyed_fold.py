"""Tables folded into nested records, by DuckDB.

First each table is sorted by the record its rows belong to, which DuckDB does out of core; then records are put together a few
thousand at a time (`list(struct_pack(…)) GROUP BY`), so memory holds no more than that. Rows without a key belong to nobody and are
left out; a key that points nowhere, and a key that is not unique where it should be, are refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa

from shoal.errors import DataError
from shoal.io.scratch import scratch_database
from shoal.io.trees.batches import Held
from shoal.io.trees.keyed import needed
from shoal.io.trees.opened import Opened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from shoal.data.paths import FieldPath
    from shoal.io.trees.keyed import Table
    from shoal.io.trees.keys import Hung, Key

_RECORDS = 5_000  # put together at a time
_ROW, _UP, _RECORD, _ORIGIN = "\x01row", "\x01up", "\x01record", "\x01origin"  # no column of a table may be called so


def fold_tables(
    tables: Mapping[str, Table],
    hung: Sequence[Hung],
    kept: tuple[FieldPath, ...],
    *,
    scratch: Path | None = None,
    memory: str | None = None,
    said: Mapping[str, str] | None = None,
) -> Opened:
    """said: of some tables, the column in which a row itself names its record; it must be the one the row comes to belong to."""
    with scratch_database(scratch, memory, "The tables could not be folded into records", on_disk=True) as con:
        folding = _Folding(con, tables, hung, kept, said or {})
        folding.sort()
        left_out = tuple(folding.left_out())
        batches = folding.batches()
        first = next(batches)
        held = Held(first.schema, scratch)
        try:
            held.add(first)
            for batch in batches:
                held.add(batch)
            held.done()
        except BaseException:
            held.close()
            raise
    return Opened(held, kept, warnings=left_out)


class _Folding:
    def __init__(
        self,
        con: duckdb.DuckDBPyConnection,
        tables: Mapping[str, Table],
        hung: Sequence[Hung],
        kept: tuple[FieldPath, ...],
        said: Mapping[str, str],
    ) -> None:
        self._con, self._tables, self._hung, self._said = con, tables, tuple(hung), said
        self._number = {one.table: f"t{number}" for number, one in enumerate(hung)}
        self._columns = {one.table: needed(one, hung, kept) for one in hung}
        for table, column in said.items():
            shown, others = self._columns[table]
            self._columns[table] = shown, (*others, column)
        self._wanted = {
            one.table for one in hung if not one.path or any(path.parts[: len(one.path)] == one.path for path in kept)
        }

    def sort(self) -> None:
        """One table for each list: its rows with the number of the record and of the row above, in that order."""
        for one in self._hung:
            self._view(one)
            if one.key is not None:
                self._check_key(one.key)
        for one in self._hung:
            if one.key is None or one.is_list:
                self._sort(one)
                if one.table in self._said:
                    self._check_said(one)

    def left_out(self) -> Iterator[str]:
        """Sentences on rows that are in no record."""
        for one in self._hung:
            if one.is_list:
                rows, held = f"SELECT count(*) FROM {self._number[one.table]}", f"count(DISTINCT {_quote(_ORIGIN)})"
                (missing,) = self._one(f"SELECT ({rows}) - (SELECT {held} FROM {self._sorted(one)})")
                if missing:
                    rest = "row of '{}' belongs" if missing == 1 else "rows of '{}' belong"
                    yield (
                        f"{missing:,} {rest.format(one.table)} to no record, for want of a key or reference that leads to one. "
                        "What belongs to nobody is left out."
                    )

    def batches(self) -> Iterator[pa.RecordBatch]:
        (records,) = self._one(f"SELECT count(*) FROM {self._sorted(self._hung[0])}")
        for start in range(0, max(records, 1), _RECORDS):
            select = self._rows(self._hung[0], start)
            table = self._con.sql(
                f"SELECT * EXCLUDE ({_quote(_ROW)}) FROM ({select}) ORDER BY {_quote(_ROW)}"
            ).to_arrow_table()
            yield from table.combine_chunks().to_batches() or [pa.RecordBatch.from_pylist([], table.schema)]

    # ---- sorting -----------------------------------------------------------------------------------------------------

    def _view(self, one: Hung) -> None:
        table = self._tables[one.table]
        if table.rows is not None:
            self._con.register(f"{self._number[one.table]}_rows", table.rows)
            origin = f"{self._number[one.table]}_rows"
        else:
            # DuckDB takes `people[1].parquet` for a pattern and `sex=F/` for a column: neither is meant
            paths = ["".join(f"[{s}]" if s in "*?[" else s for s in str(file.absolute())) for file in table.files]
            origin = f"read_parquet([{', '.join(map(_text, paths))}], hive_partitioning=false)"
        names = [name for group in self._columns[one.table] for name in group]
        columns = ", ".join([*map(_quote, names), f"row_number() OVER () AS {_quote(_ROW)}"])
        self._run(f"CREATE TEMP VIEW {self._number[one.table]} AS SELECT {columns} FROM {origin}")

    def _check_key(self, key: Key) -> None:
        to, refers = self._number[key.to], self._number[key.table]
        unique = ", ".join(map(_quote, key.keys))
        there = " AND ".join(f"{_quote(name)} IS NOT NULL" for name in key.keys)
        (twice,) = self._one(
            f"SELECT count(*) FROM (SELECT {unique} FROM {to} WHERE {there} GROUP BY ALL HAVING count(*) > 1)"
        )
        if twice:
            raise DataError(
                f"input.keys: in the key '{key}', the columns of '{key.to}' are not unique: {twice:,} values occur more than once."
            )
        stated = " AND ".join(f"a.{_quote(name)} IS NOT NULL" for name in key.columns)
        (dangling,) = self._one(
            f"SELECT count(*) FROM {refers} a WHERE {stated} AND NOT EXISTS (FROM {to} b WHERE {self._tie(key)})"
        )
        if dangling:
            raise DataError(
                f"input.keys: {dangling:,} rows of '{key.table}' refer to rows of '{key.to}' that are not there (key '{key}')."
            )

    def _check_said(self, one: Hung) -> None:
        root = self._hung[0]
        ids = next(other.key.keys for other in self._hung if other.key is not None and other.key.to == root.table)
        (other,) = self._one(
            f"SELECT count(*) FROM {self._sorted(one)} a JOIN {self._sorted(root)} b USING ({_quote(_RECORD)}) "
            f"WHERE a.{_quote(self._said[one.table])} <> b.{_quote(ids[0])}"
        )
        if other:
            raise DataError(
                f"{other:,} rows of '{one.table}' name two records: one themselves, and another through the row of '{one.above}' "
                "that they name. Whose they are cannot be told; put them right, or take them out."
            )

    def _sort(self, one: Hung) -> None:
        rows = self._number[one.table]
        if one.above is None:
            above = f"{rows}.{_quote(_ROW)} - 1 AS {_quote(_RECORD)}, 0 AS {_quote(_UP)}"
            origin = rows
        else:
            assert one.key is not None
            outer = self._around(one)
            above = f"b.{_quote(_RECORD)}, b.{_quote(_ROW)} AS {_quote(_UP)}"
            origin = f"{rows} JOIN ({outer}) b ON {self._tie(one.key, rows, 'b')}"
        columns = [f"{rows}.{_quote(name)}" for group in self._columns[one.table] for name in group]
        columns.append(f"{rows}.{_quote(_ROW)} AS {_quote(_ORIGIN)}")
        # numbered anew: a row below one that is looked up stands once for each row that looks it up
        self._run(
            f"CREATE TABLE {self._sorted(one)} AS SELECT *, row_number() OVER () AS {_quote(_ROW)} FROM (SELECT "
            f"{', '.join([*columns, above])} FROM {origin} ORDER BY {_quote(_RECORD)}, {_quote(_UP)}, {rows}.{_quote(_ROW)})"
        )

    def _around(self, one: Hung) -> str:
        """The rows of the list in which a table's rows lie, with the keys of the table just above, which may be looked up there."""
        chain = [self._by_name(one.above)]
        while chain[-1].key is not None and not chain[-1].is_list:
            chain.append(self._by_name(chain[-1].above))
        assert one.key is not None
        base, keys = chain[-1], ", ".join(f"{self._alias(chain[0])}.{_quote(name)}" for name in one.key.keys)
        joined = f"{self._sorted(base)} {self._alias(base)}"
        for looked in reversed(chain[:-1]):
            assert looked.key is not None
            tie = self._tie(looked.key, self._alias(self._by_name(looked.above)), self._alias(looked))
            joined += f" JOIN {self._number[looked.table]} {self._alias(looked)} ON {tie}"
        base_name = self._alias(base)
        return f"SELECT {base_name}.{_quote(_RECORD)}, {base_name}.{_quote(_ROW)}, {keys} FROM {joined}"

    # ---- putting together --------------------------------------------------------------------------------------------

    def _rows(self, one: Hung, start: int) -> str:
        """A statement: the rows of a list as columns of what is kept, beside the numbers of the row and of the row above."""
        me = self._alias(one)
        columns = [*self._fields(one, me, start)]
        joins = "".join(self._joins(one, start))
        numbers = f"{me}.{_quote(_ROW)}" if one.above is None else f"{me}.{_quote(_ROW)}, {me}.{_quote(_UP)}"
        selected = ", ".join([*(f"{value} AS {_quote(name)}" for name, value in columns), numbers])
        return f"SELECT {selected} FROM {self._sorted(one)} {me}{joins} WHERE {self._range(me, start)}"

    def _fields(self, one: Hung, me: str, start: int) -> Iterator[tuple[str, str]]:
        for name in self._columns[one.table][0]:
            yield name, f"{me}.{_quote(name)}"
        for below in self._below(one):
            alias = self._alias(below)
            if below.is_list:
                yield below.table, f"coalesce({alias}.l, [])"
            else:
                yield below.table, _struct(self._fields(below, alias, start))

    def _joins(self, one: Hung, start: int) -> Iterator[str]:
        """Of everything below the rows of a list, through what is looked up there."""
        me = self._alias(one)
        base = me if one.key is None or one.is_list else self._alias(self._list_of(one))
        for below in self._below(one):
            alias = self._alias(below)
            assert below.key is not None
            if not below.is_list:
                yield f" LEFT JOIN {self._number[below.table]} {alias} ON {self._tie(below.key, me, alias)}"
                yield from self._joins(below, start)
                continue
            inner = self._rows(below, start)
            names = [(name, f"x.{_quote(name)}") for name, _ in self._fields(below, alias, start)]
            yield (
                f" LEFT JOIN (SELECT x.{_quote(_UP)} AS up, list({_struct(iter(names))} ORDER BY x.{_quote(_ROW)}) AS l FROM "
                f"({inner}) x GROUP BY x.{_quote(_UP)}) {alias} ON {alias}.up = {base}.{_quote(_ROW)}"
            )

    def _below(self, one: Hung) -> list[Hung]:
        return [other for other in self._hung if other.above == one.table and other.table in self._wanted]

    def _list_of(self, one: Hung) -> Hung:
        while one.key is not None and not one.is_list:
            one = self._by_name(one.above)
        return one

    def _by_name(self, table: str | None) -> Hung:
        return next(one for one in self._hung if one.table == table)

    def _alias(self, one: Hung) -> str:
        return f"{self._number[one.table]}_a"

    def _sorted(self, one: Hung) -> str:
        return f"{self._number[one.table]}_sorted"

    def _range(self, me: str, start: int) -> str:
        return f"{me}.{_quote(_RECORD)} >= {start} AND {me}.{_quote(_RECORD)} < {start + _RECORDS}"

    def _tie(self, key: Key, refers: str = "a", to: str = "b") -> str:
        pairs = []
        for mine, theirs in zip(key.columns, key.keys, strict=True):
            kinds = self._tables[key.table].schema.field(mine).type, self._tables[key.to].schema.field(theirs).type
            # a number in one table and a text in the other are compared as texts
            as_text = "::VARCHAR" if any(map(_is_text, kinds)) and not all(map(_is_text, kinds)) else ""
            pairs.append(f"{refers}.{_quote(mine)}{as_text} = {to}.{_quote(theirs)}{as_text}")
        return " AND ".join(pairs)

    def _run(self, sql: str) -> None:
        self._con.execute(sql).fetchall()  # to its end: a statement that is not over blocks the next

    def _one(self, sql: str) -> tuple[int, ...]:
        return tuple(self._con.execute(sql).fetchall()[0])


def _is_text(kind: pa.DataType) -> bool:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _struct(fields: Iterator[tuple[str, str]]) -> str:
    return f"struct_pack({', '.join(f'{_quote(name)} := {value}' for name, value in fields)})"


def _quote(name: str) -> str:
    """An identifier in SQL, whatever it contains."""
    return '"' + name.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
