"""How often the values of a column occur, kept in Arrow: millions of different values are counted without becoming Python's.

Whoever only looks at a column needs some of its values; which these are is said in `Tally.some`.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.codes import meant, type_of
from shoal.data.itemsets import is_list
from shoal.data.text import text_of, texts
from shoal.io.counts import column_counts
from shoal.io.parquet import read_batches

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.io.source import Source

MOST = 20_000  # different values that are all looked at; of more, a selection
_NUMBER = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$"  # as hierarchies/decimals.py has it
_ODD = 50  # values that are no numbers, of those that are kept of a column of texts
_FIRST = 1_000  # texts that are asked before all are
_OFTEN = 500  # of the most frequent ones that are kept
_AHEAD = 2  # columns that are counted at once: each may be large
_SPACED = 2_000  # … and of evenly spaced records


@dataclass(frozen=True, eq=False)
class Tally:
    """The different values of a column, each with its number of records; of sets, the items. Very many texts are in no order."""

    values: pa.Array  # numbers and dates in their own order, all else as text; texts may look like numbers
    counts: NDArray[np.int64]  # (values,)
    missing: int  # records without a value

    @classmethod
    def of_counts(cls, counts: Mapping[str, int], missing: int = 0) -> Tally:
        """Of texts."""
        values = pa.array(counts.keys(), pa.large_string())
        return cls(*_in_order(values, np.fromiter(counts.values(), np.int64, len(counts))), missing)

    @property
    def distinct(self) -> int:
        """Different values; missing is none."""
        return len(self.values)

    @property
    def records(self) -> int:
        """With a value; of sets, items."""
        return int(self.counts.sum())

    @cached_property
    def numbers(self) -> NDArray[np.float64] | None:
        """(values,) when all values are numbers, also as texts; else None."""
        kind = self.values.type
        if not len(self.values) or pa.types.is_boolean(kind):
            return None
        typed = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
        if not typed and not (_is_text(kind) and _all_numbers(self.values)):
            return None
        as_floats: NDArray[np.float64] = self.values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        return as_floats

    @cached_property
    def days(self) -> NDArray[np.int64] | None:
        """(values,) days since 1970 when all values are dates or times of a day, also as ISO texts; else None."""
        values = self.values
        if _is_text(values.type) and len(values):
            shape = pc.all(pc.match_substring_regex(values, r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ]|$)")).as_py()
            try:
                values = pc.utf8_slice_codeunits(values, 0, 10).cast(pa.date32()) if shape else values
            except pa.ArrowInvalid:  # 2020-02-31
                return None
        if not len(values) or not (pa.types.is_date(values.type) or pa.types.is_timestamp(values.type)):
            return None
        days: NDArray[np.int64] = values.cast("timestamp[s]", safe=False).cast(pa.int64()).to_numpy() // 86_400
        return days

    def texts(self, places: NDArray[np.int64] | None = None) -> list[str]:
        """Of the values, or of those at some places."""
        values = self.values if places is None else self.values.take(pa.array(places))
        return [text for text in texts(values) if text is not None]

    @property
    def complete(self) -> bool:
        """Whether `some` values are all there are."""
        return self.distinct <= MOST

    def all(self) -> dict[str, int]:
        """Every value with its count, in order."""
        return dict(zip(self.texts(), self.counts.tolist(), strict=True))

    def some(self, keep: Collection[str] = ()) -> dict[str, int]:
        """Values with their counts, in order: all where there are few enough, or a selection.

        Then: the most frequent, those of evenly spaced records, the first and the last, those that are in `keep` (in small
        or capital letters), and of texts some that are no numbers, if any is not.
        """
        if self.complete:
            return self.all()
        often = self.most_frequent(_OFTEN)
        spaced = np.searchsorted(np.cumsum(self.counts), np.linspace(1, self.records, _SPACED))
        places = np.unique(np.concatenate([often, spaced, [0, self.distinct - 1], self._odd(keep)]).astype(np.int64))
        selection = zip(self.texts(places), self.counts[places].tolist(), strict=True)
        return dict(selection if self.numbers is not None or self.days is not None else sorted(selection))

    def most_frequent(self, most: int) -> NDArray[np.int64]:
        """Places of values, the most frequent first; of equals, those that come first."""
        places = np.arange(self.distinct)
        if self.distinct > 4 * most:  # sorting a million counts to see a few takes long
            least = np.partition(self.counts, self.distinct - most)[self.distinct - most]
            above = np.flatnonzero(self.counts > least)
            places = np.concatenate([above, np.flatnonzero(self.counts == least)[: most - len(above)]])
        return places[np.lexsort((places, -self.counts[places]))][:most]

    def condensed(self) -> dict[str, int]:
        """As `some`; of very many numbers or dates, each that is kept counts for those between it and the one before."""
        if self.complete or (self.numbers is None and self.days is None):
            return self.some()
        total = np.cumsum(self.counts)
        places = np.unique(np.searchsorted(total, np.linspace(1, self.records, _SPACED)))
        places = np.unique([0, *places, self.distinct - 1])
        return dict(zip(self.texts(places), np.diff(total[places], prepend=0).tolist(), strict=True))

    def without(self, codes: Sequence[str]) -> Tally:
        """Where these count as missing."""
        none = _without_value(self.values, codes).to_numpy(zero_copy_only=False)
        if not none.any():
            return self
        values = self.values.filter(pa.array(~none))
        return Tally(values, self.counts[~none], self.missing + int(self.counts[none].sum()))

    def spread(self, most: int) -> list[str]:
        """The values of a few evenly spaced records, each once."""
        if not self.distinct:
            return []
        middles = (2 * np.arange(most) + 1) * self.records / (2 * most)
        return self.texts(np.unique(np.searchsorted(np.cumsum(self.counts), middles)))

    def _odd(self, keep: Collection[str]) -> NDArray[np.int64]:
        if not _is_text(self.values.type):
            wanted = pa.array(meant([*keep], type_of(self.values.type))).cast(self.values.type, safe=False)
            return _places(pc.is_in(self.values, wanted))
        spellings = {form for text in keep for form in (text, text.upper(), text.capitalize(), text.title())}
        kept = _places(pc.is_in(self.values, pa.array(sorted(spellings), self.values.type)))
        few = pc.invert(_are_numbers(self.values.slice(0, _FIRST)))
        odd = few if pc.any(few).as_py() else pc.invert(_are_numbers(self.values))
        return np.concatenate([kept, _places(odd)[:_ODD]])


def column_tally(source: Source, column: str, codes: Sequence[str] = ()) -> Tally:
    """Of a column of a source; of sets, how many records hold each item. codes: as for `column_counts`."""
    chunks = _chunks(source, column)
    if chunks is None or is_list(chunks.type):
        counts = column_counts(source, column, codes)
        missing = counts.pop(None, 0)
        return Tally.of_counts({text: records for text, records in counts.items() if text is not None}, missing)
    if pa.types.is_dictionary(chunks.type):  # chunks may have dictionaries of their own
        chunks = chunks.cast(chunks.type.value_type)
    if _has_order(chunks.type):
        return _sorted_tally(chunks, (*source.missing, *codes))
    counted = pc.value_counts(chunks)
    values, counts = counted.field(0), counted.field(1).to_numpy(zero_copy_only=False)
    known = pc.invert(_without_value(values, (*source.missing, *codes)))
    values, present = values.filter(known), known.to_numpy(zero_copy_only=False)
    return Tally(*_in_order(values, counts[present]), int(counts[~present].sum()))


def _sorted_tally(chunks: pa.ChunkedArray, codes: Sequence[str]) -> Tally:
    """Of numbers and dates, which are sorted faster than looked up."""
    kind = chunks.type
    whole = {32: pa.int32(), 64: pa.int64()}.get(kind.bit_width) if not _is_number(kind) else kind
    present = chunks.drop_null().cast(whole).to_numpy()
    if pa.types.is_floating(kind):
        present = present[~np.isnan(present)]
    values, counts = np.unique(present, return_counts=True)
    tally = Tally(pa.array(values, whole).cast(kind), counts.astype(np.int64), len(chunks) - len(present))
    return tally.without(codes)


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _has_order(kind: pa.DataType) -> bool:
    return _is_number(kind) or bool(pa.types.is_date(kind) or pa.types.is_timestamp(kind))


def column_tallies(source: Source, columns: Sequence[str]) -> Iterator[tuple[str, Tally]]:
    """Of several columns, in their order; the next ones are counted meanwhile."""
    with ThreadPoolExecutor(_AHEAD) as pool:
        waiting: deque[tuple[str, Future[Tally]]] = deque()
        for name in columns:
            waiting.append((name, pool.submit(column_tally, source, name)))
            if len(waiting) > _AHEAD:
                ready, tally = waiting.popleft()
                yield ready, tally.result()
        for ready, tally in waiting:
            yield ready, tally.result()


def _chunks(source: Source, column: str) -> pa.ChunkedArray | None:
    """The column as it is stored; None where it is not here, or its type needs care."""
    if source.table is not None and column in source.table.column_names:
        chunks = source.table.column(column)
    elif source.frame is None and source.table is None and source.files and column in source.columns:
        arrays = [batch.column(0) for file in source.files for batch in read_batches(file, (column,))]
        if not arrays:
            return None
        chunks = pa.chunked_array(arrays)
    else:
        return None
    kind = chunks.type.value_type if pa.types.is_dictionary(chunks.type) else chunks.type
    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_date, pa.types.is_timestamp)
    return chunks if is_list(kind) or _is_text(kind) or any(fits(kind) for fits in tests) else None


def _without_value(values: pa.Array, codes: Sequence[str]) -> pa.Array:
    none = pc.is_null(values, nan_is_null=True)
    coded = {text_of(value) for value in meant(codes, type_of(values.type))}
    if not coded:
        return none
    if _is_text(values.type):
        return pc.or_(none, pc.is_in(values, pa.array(sorted(one for one in coded if one), values.type)))
    return pc.or_(none, pa.array([text in coded for text in texts(values)], pa.bool_()))


def _in_order(values: pa.Array, counts: NDArray[np.int64]) -> tuple[pa.Array, NDArray[np.int64]]:
    """Texts that are all numbers in the order of the numbers. Very many texts stay as they are: sorting them takes longest."""
    key = values
    if _is_text(values.type):
        if not _all_numbers(values):
            if len(values) > MOST:
                return values, counts
        else:
            key = values.cast(pa.float64())
    if _is_number(key.type):
        order = np.argsort(key.to_numpy(zero_copy_only=False), kind="stable")
        return values.take(pa.array(order)), counts[order]
    places = pc.sort_indices(key)
    return values.take(places), counts[places.to_numpy()]


def _all_numbers(values: pa.Array) -> bool:
    """Of texts; most columns of words are told by the first few."""
    pieces = (values.slice(0, _FIRST), values)
    return len(values) > 0 and all(pc.all(_are_numbers(piece)).as_py() for piece in pieces)


def _are_numbers(values: pa.Array) -> pa.Array:
    return pc.match_substring_regex(values, _NUMBER)


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _places(mask: pa.Array) -> NDArray[np.int64]:
    return np.flatnonzero(mask.to_numpy(zero_copy_only=False))
