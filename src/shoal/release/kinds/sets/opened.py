"""Read a release in which records show a base set, and answer counts from it with bounds.

A published record may stand for any set that differs from its base (column NAME) in at most so many (NAME:at_most) of the items
that are named (NAME:differ). So a count is not one number: it lies between the records that answer the query whatever they stand
for and those that may answer it. In between, every set that a record may stand for is taken to be equally likely.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache, cached_property
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.itemsets import ItemSets, in_order, is_list, text_lists
from shoal.data.text import text_array
from shoal.errors import DataError, did_you_mean
from shoal.io.parquet import read_batches
from shoal.io.sets.items import MARK
from shoal.io.source import Source, from_frame, open_source
from shoal.recoding.sets.matching import AT_MOST, DIFFER
from shoal.release.release_text import release_reading

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

_LINES = (".jsonl", ".ndjson")


@dataclass(frozen=True)
class CountBounds:
    """How many of the original records answer a query, as far as the release tells.

    Examples
    --------
    >>> import shoal
    >>> import polars
    >>> baskets = polars.DataFrame({"items": [["a", "b"], ["a", "c"], ["a", "b"]]})
    >>> release = shoal.anonymize(baskets, quasi="items", k=2)
    >>> opened = shoal.open_release(release.data)
    >>> counted = opened.count(["b"])
    >>> counted.lower <= 2 <= counted.upper
    True
    """

    lower: int  # answer it whatever they stand for
    upper: int  # may answer it
    expected: float  # mean, with all sets that a record may stand for equally likely
    bases: int  # published bases that answer it: the usual quick estimate

    def __post_init__(self) -> None:
        if not self.lower <= self.upper:
            raise ValueError("A lower bound cannot be above the upper one.")


@dataclass(frozen=True, eq=False)
class OpenedRelease:
    """A matching release, in memory.

    Examples
    --------
    >>> import shoal
    >>> import polars
    >>> baskets = polars.DataFrame({"items": [["a", "b"], ["a", "c"], ["a", "b"]]})
    >>> release = shoal.anonymize(baskets, quasi="items", k=2)
    >>> opened = shoal.open_release(release.data)
    >>> len(opened), opened.items
    (3, ('a', 'b', 'c'))
    """

    column: str
    base: ItemSets
    differ: ItemSets
    at_most: NDArray[np.int64]  # (records,)
    others: pa.Table  # the other columns

    def __post_init__(self) -> None:
        wrong = int(((self.at_most < 0) | (self.at_most > self.differ.sizes)).sum())
        if wrong:
            raise DataError(
                f"Column '{self.column}:{AT_MOST}': {wrong:,} records have a threshold below 0 or above the number of items in "
                f"'{self.column}:{DIFFER}'."
            )

    def __len__(self) -> int:
        return len(self.base)

    @property
    def items(self) -> tuple[str, ...]:
        """The items that the release names, in a base or beside it."""
        return tuple(self.base.vocabulary.to_pylist())

    def count(
        self, having: Sequence[str] = (), lacking: Sequence[str] = (), *, where: Mapping[str, Any] | None = None
    ) -> CountBounds:
        """Records that hold all of `having` and none of `lacking`. where: values of other columns, which are exact."""
        if isinstance(having, str) or isinstance(lacking, str):
            raise TypeError("`having` and `lacking` are lists of items, not single texts.")
        possible = self._where(where or {})
        if any(item not in self._code for item in having) or not set(having).isdisjoint(lacking):
            # nobody holds an item that the release does not name, or holds and lacks one
            return CountBounds(0, 0, 0.0, 0)
        needed, tied = np.zeros(len(self), np.int64), np.zeros(len(self), np.int64)
        for items, wanted in ((having, True), (lacking, False)):
            for item in {item for item in items if item in self._code}:
                held, free = (self._records(rows, self._code[item]) for rows in (self._base_rows, self._differ_rows))
                possible &= free | (held == wanted)
                needed += held != wanted  # it has to differ from the base
                tied += free  # it may not differ, unless it has to
        possible &= needed <= self.at_most
        as_base = possible & (needed == 0)
        return CountBounds(
            int((as_base & ((self.at_most == 0) | (tied == 0))).sum()),
            int(possible.sum()),
            self._expected(possible, needed, tied),
            int(as_base.sum()),
        )

    def counts(self, queries: Sequence[Mapping[str, Sequence[str]]]) -> list[CountBounds]:
        """Many at once: each query has `with`, `without`, or both."""
        strange = {key for query in queries for key in query} - {"with", "without"}
        if strange:
            raise DataError(
                f"A query has `with` and `without`, and nothing else; {len(strange)} other keys were given."
            )
        return [self.count(query.get("with", ()), query.get("without", ())) for query in queries]

    def to_jsonl(self, path: Path | str) -> None:
        """One JSON object in each line: the base, `NAME:differ`, `NAME:at_most`, and the other columns as texts."""
        others = {name: text_array(self.others.column(name)).to_pylist() for name in self.others.column_names}
        columns = {
            self.column: self.base.lists().to_pylist(),
            f"{self.column}:{DIFFER}": self.differ.lists().to_pylist(),
            f"{self.column}:{AT_MOST}": self.at_most.tolist(),
            **others,
        }
        with Path(path).open("w", encoding="utf-8") as file:
            for row in zip(*columns.values(), strict=True):
                file.write(json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False) + "\n")

    def __repr__(self) -> str:
        return f"OpenedRelease({len(self):,} records of '{self.column}', {len(self.items):,} items)"

    # ---- counting ----------------------------------------------------------------------------------------------------

    @cached_property
    def _code(self) -> dict[str, int]:
        return {item: code for code, item in enumerate(self.items)}

    @cached_property
    def _base_rows(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return _postings(self.base)

    @cached_property
    def _differ_rows(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return _postings(self.differ)

    def _records(self, rows: tuple[NDArray[np.int64], NDArray[np.int64]], code: int) -> NDArray[np.bool_]:
        """(records,): which have an item."""
        starts, records = rows
        mask = np.zeros(len(self), np.bool_)
        mask[records[starts[code] : starts[code + 1]]] = True
        return mask

    def _where(self, where: Mapping[str, Any]) -> NDArray[np.bool_]:
        chosen = np.ones(len(self), np.bool_)
        for name, value in where.items():
            if name not in self.others.column_names:
                raise DataError(f"There is no other column '{name}'.{did_you_mean(name, self.others.column_names)}")
            texts = text_array(self.others.column(name))
            same = pc.is_null(texts) if value is None else pc.fill_null(pc.equal(texts, str(value)), False)
            chosen &= same.to_numpy(zero_copy_only=False)
        return chosen

    def _expected(self, possible: NDArray[np.bool_], needed: NDArray[np.int64], tied: NDArray[np.int64]) -> float:
        """Records with the same numbers have the same chance; there are few different ones."""
        keys = np.stack([self.differ.sizes, self.at_most, needed, tied], axis=1)[possible]
        distinct, records = np.unique(keys, axis=0, return_counts=True)
        return float(
            sum(_chance(*key) * number for key, number in zip(distinct.tolist(), records.tolist(), strict=True))
        )


@cache
def _chance(differ: int, at_most: int, needed: int, tied: int) -> float:
    """Of the sets that differ in at most so many of the items: the share in which exactly the needed ones of the tied differ."""
    answer = sum(comb(differ - tied, more) for more in range(at_most - needed + 1))
    return answer / sum(comb(differ, more) for more in range(at_most + 1))


def open_matching(data: Any, *, column: str | None = None, items: str = MARK) -> OpenedRelease:
    """Read a matching release: a Parquet file or folder, CSV, JSON lines, or a data frame.

    column: of the sets, when the release has several. items: what separates items in CSV.
    """
    if isinstance(data, Path | str) and str(data).lower().endswith(_LINES):
        table = _lines(Path(data))
    else:
        table = _table(data, column, items)
    name = _column(table.column_names, column)
    base, differ = (_lists(table, wanted) for wanted in (name, f"{name}:{DIFFER}"))
    vocabulary = in_order(
        {item for lists in (base, differ) for item in pc.list_flatten(lists).unique().to_pylist()} - {None}
    )
    at_most = table.column(f"{name}:{AT_MOST}")
    try:
        limits = at_most.cast(pa.int64())
    except pa.ArrowException:
        limits = None
    if limits is None or limits.null_count:
        raise DataError(f"Column '{name}:{AT_MOST}' must hold a whole number in every record.")
    return OpenedRelease(
        name,
        ItemSets.of_lists(base, vocabulary, name),
        ItemSets.of_lists(differ, vocabulary, f"{name}:{DIFFER}"),
        limits.to_numpy().astype(np.int64),
        table.select([one for one in table.column_names if one not in (name, f"{name}:{DIFFER}", f"{name}:{AT_MOST}")]),
    )


def _table(data: Any, column: str | None, items: str) -> pa.Table:
    if not isinstance(data, Path | str):
        source = from_frame(data, None)
        if source.table is None:
            raise DataError("A release is read from files or from a frame in memory, not from Spark.")
        return source.table
    reading = release_reading(Path(data))
    source = open_source(Path(data), reading)
    if source.kind == "csv":
        name = _column(source.columns, column)
        source = open_source(Path(data), replace(reading, sets={name, f"{name}:{DIFFER}"}, items=items))
    return source.table if source.table is not None else _read(source)


def _read(source: Source) -> pa.Table:
    batches = [batch for file in source.files for batch in read_batches(file, source.columns)]
    if not batches:
        raise DataError(f"There are no records in {source.name}.")
    return pa.concat_tables([pa.Table.from_batches([batch]) for batch in batches], promote_options="permissive")


def _lines(path: Path) -> pa.Table:
    try:
        # not `splitlines`: an item may hold a sign that Python takes for the end of a line
        lines = path.read_text(encoding="utf-8").split("\n")
        rows = [json.loads(line, object_pairs_hook=_each_once) for line in lines if line.strip()]
        return pa.Table.from_pylist(rows)
    except (OSError, ValueError, RecursionError, pa.ArrowException) as reason:
        raise DataError(f"{path.name} cannot be read as JSON lines: {type(reason).__name__}.") from None


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; two values under one name are refused, for Python would keep the last in silence."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a name stands twice in an object")
    return dict(pairs)


def _column(names: Sequence[str], asked: str | None) -> str:
    columns = [name for name in names if f"{name}:{DIFFER}" in names and f"{name}:{AT_MOST}" in names]
    if asked is not None:
        columns = [name for name in columns if name == asked]
    if len(columns) > 1:
        raise DataError(f"The release has several columns of sets; say which with `column`: {', '.join(columns)}.")
    if not columns:
        raise DataError(
            f"A matching release has the columns NAME, NAME:{DIFFER} and NAME:{AT_MOST}, and these are not there. A release of "
            "labels (km-anonymity) has no bounds to open: its sets are read as they are. A table needs its codebook: the file "
            "beside it, or `codebook`."
        )
    return columns[0]


def _lists(table: pa.Table, name: str) -> pa.ChunkedArray:
    lists = table.column(name)
    if not is_list(lists.type):
        raise DataError(f"Column '{name}' does not hold lists of items: it is of type {lists.type}.")
    return pa.chunked_array([text_lists(chunk) for chunk in lists.chunks], pa.large_list(pa.large_string()))


def _postings(sets: ItemSets) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the records of each item begin, and the records."""
    order = np.argsort(sets.items, kind="stable")
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sets.supports())])
    return starts, sets.rows[order]
