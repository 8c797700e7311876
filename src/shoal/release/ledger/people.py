"""Who lies in which class of a release: what has to be remembered to hold a later release against it.

People are known by pseudonyms: a keyed hash of what names them, or of their place in the original where no column does. The key is
that of the ledger. So the file that is kept beside the ledger holds no cell; with ledger and original it says who was where.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from shoal import system
from shoal.attacks.together.crowds import Sight
from shoal.attacks.together.lines import Lines
from shoal.attacks.together.marks import Marks, Ragged
from shoal.errors import DataError, InternalError
from shoal.io.folder import sha256_of
from shoal.io.parquet import damage_is_data_error, write_parquet
from shoal.io.publishing.sweep import storage_errors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from shoal.engines.engine import People

_BYTES = 16  # of a pseudonym
_LISTS = pa.list_(pa.list_(pa.int64()))
_LINES = pa.schema(
    [
        ("people", pa.list_(pa.binary(_BYTES))),  # who have the same raw values: a line
        ("classes", pa.list_(pa.int64())),  # where they lie
        ("records", pa.list_(pa.int64())),  # how many of them in each
    ]
)
_MARKS = pa.schema(
    [
        ("things", pa.list_(pa.binary(_BYTES))),  # what may be known of them, by pseudonyms too
        ("shows", _LISTS),  # in each class: a mark of each thing
        ("also", _LISTS),  # in each class: other marks
        ("own", pa.int64()),
        ("chains", _LISTS),  # a mark, then its members
    ]
)


@dataclass(frozen=True, eq=False)
class Followed:
    """People, the line each is of, where the lines lie, and what their records show of things that may be known of them."""

    people: pa.Array  # (people,) pseudonyms, no two equal
    line: NDArray[np.int64]  # (people,)
    lines: Lines
    private: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)  # (people,): sensitive values as numbers
    marks: Marks | None = None

    @classmethod
    def of(cls, rows: People, key: bytes, private: Sequence[str], line: NDArray[np.int64], sight: Sight) -> Followed:
        """rows: the records, with the private columns. line: (people,)"""
        held = np.bincount(line, minlength=len(sight.lines.people))
        if not np.array_equal(held, sight.lines.people):
            raise InternalError(
                "The people in the original are others than those in the release; nothing was published."
            )
        values = {name: rows.columns[name].indices.to_numpy().astype(np.int64) for name in private}
        names = pseudonyms(rows.names, len(line), key)
        return cls(names, line.astype(np.int64), sight.lines, values, sight.marks)

    @property
    def sight(self) -> Sight:
        """What the release shows of them."""
        return Sight(self.lines, self.marks)

    def write(self, path: Path) -> str:
        """A private file, whole and on the disk; returns its SHA-256."""
        order = np.argsort(self.line, kind="stable")
        begin = np.searchsorted(self.line[order], np.arange(len(self.lines.people) + 1))
        lists = [
            _list(begin, self.people.take(pa.array(order))),
            _list(self.lines.offsets, pa.array(self.lines.classes)),
            _list(self.lines.offsets, pa.array(self.lines.records)),
        ]
        schema = _LINES
        if self.marks is not None:
            lists += _marks_written(self.marks, self.lines.offsets)
            schema = pa.schema([*_LINES, *_MARKS])
        with storage_errors(f"{path.parent.name} cannot be written"):
            path.parent.mkdir(mode=0o700, exist_ok=True)
            write_parquet(pa.table(lists, schema=schema).to_reader(), path)
            system.harden_file(path, private=True)
            system.sync(path.parent)
            return sha256_of(path)

    @classmethod
    def read(cls, path: Path, sha256: str) -> Followed:
        """As it was written; anything else is refused."""
        cure = 'Put back a copy that you trust, or say `earlier = "ignore"` and answer for it. Nothing was published.'
        if not path.is_file():
            raise DataError(
                f"{path.parent.name}/{path.name} is gone: it says who was where in an earlier release. {cure}"
            )
        if sha256_of(path) != sha256:
            raise DataError(f"{path.parent.name}/{path.name} is not what the ledger speaks of: it was changed. {cure}")
        with damage_is_data_error(path):
            table = pq.read_table(path).combine_chunks()
        people, classes, records = (_flat(table.column(name)) for name in _LINES.names)
        held = people.value_lengths().to_numpy().astype(np.int64)
        offsets = np.concatenate([[0], np.cumsum(classes.value_lengths().to_numpy())]).astype(np.int64)
        lines = Lines(held, offsets, classes.flatten().to_numpy(), records.flatten().to_numpy())
        marks = _marks_read(table) if "things" in table.column_names else None
        return cls(people.flatten(), np.repeat(np.arange(len(held)), held), lines, {}, marks)


def pseudonyms(names: pa.Array | None, people: int, key: bytes) -> pa.Array:
    """Of each name, or of each place in the original. Whoever has no name, or one that somebody else has, is refused."""
    if names is not None:
        known = len(names) - names.null_count
        different = len(names.unique()) - bool(names.null_count)
        if names.null_count or different < known:
            raise DataError(
                f"ledger.person: {names.null_count:,} records have no value there, and {known - different:,} have that of another "
                "record. Name a column that has one value for each person. Nothing was published."
            )
    said = (
        (f"row {place}" for place in range(people)) if names is None else (f"name {name}" for name in names.to_pylist())
    )
    return pa.array((hmac.digest(key, one.encode(), hashlib.sha256)[:_BYTES] for one in said), pa.binary(_BYTES))


def things_named(column: str, texts: Sequence[str], key: bytes) -> pa.Array:
    """Pseudonyms of items, or of values in trees: the same in every release of a ledger."""
    said = (f"thing {len(column)} {column} {text}" for text in texts)
    return pa.array((hmac.digest(key, one.encode(), hashlib.sha256)[:_BYTES] for one in said), pa.binary(_BYTES))


def _marks_written(marks: Marks, parts: NDArray[np.int64]) -> list[pa.Array]:
    """parts: where the parts of each line begin."""
    chains = np.repeat(np.arange(len(marks.chains)), marks.chains.sizes + 1)
    whole = np.empty(len(chains), np.int64)
    first = marks.chains.starts[:-1] + np.arange(len(marks.chains))
    rest = np.ones(len(chains), np.bool_)
    rest[first] = False
    whole[first], whole[rest] = marks.chain_marks, marks.chains.values
    starts = np.concatenate([[0], np.cumsum(marks.chains.sizes + 1)]).astype(np.int64)
    chained = Ragged(starts, whole).take(marks.chained.values)
    return [
        _list(marks.things.starts, marks.names.take(pa.array(marks.things.values))),
        *(_list(parts, _list(one.starts, pa.array(one.values))) for one in (marks.shows, marks.also)),
        pa.array(marks.own),
        _list(marks.chained.starts, _list(chained.starts, pa.array(chained.values))),
    ]


def _marks_read(table: pa.Table) -> Marks:
    things = _flat(table.column("things"))
    encoded = things.flatten().dictionary_encode()
    shows, also, chained = (_flat(table.column(name)) for name in ("shows", "also", "chains"))
    chains = _ragged(chained.flatten())
    marks, members = _chains(chains)
    return Marks(
        encoded.dictionary,
        Ragged(_starts(things), encoded.indices.to_numpy().astype(np.int64)),
        _ragged(shows.flatten()),
        _ragged(also.flatten()),
        _flat(table.column("own")).to_numpy().astype(np.int64),
        members,
        marks,
        Ragged(_starts(chained), np.arange(len(chains))),
    )


def _chains(whole: Ragged) -> tuple[NDArray[np.int64], Ragged]:
    """The mark of each chain, and its members."""
    rest = np.ones(len(whole.values), np.bool_)
    rest[whole.starts[:-1]] = False
    return whole.values[whole.starts[:-1]], Ragged(whole.starts - np.arange(len(whole) + 1), whole.values[rest])


def _list(starts: NDArray[np.int64], values: pa.Array) -> pa.ListArray:
    return pa.ListArray.from_arrays(pa.array(starts, pa.int32()), values)


def _starts(lists: pa.ListArray) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lists.value_lengths().to_numpy())]).astype(np.int64)


def _ragged(lists: pa.ListArray) -> Ragged:
    return Ragged(_starts(lists), lists.flatten().to_numpy().astype(np.int64))


def _flat(column: pa.ChunkedArray) -> pa.Array:
    return pa.concat_arrays(column.chunks or [pa.array([], column.type)])
