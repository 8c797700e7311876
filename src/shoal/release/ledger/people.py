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
from shoal.attacks.tables.lines import Lines
from shoal.data.text import texts
from shoal.errors import DataError, InternalError
from shoal.io.folder import sha256_of
from shoal.io.parquet import damage_is_data_error, write_parquet
from shoal.io.publishing.sweep import storage_errors
from shoal.kernels.grouping import Layout, group_sum
from shoal.recoding.tables.recoded import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from shoal.engines.engine import People
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.recoding.tables.recoded import Recoded

_BYTES = 16  # of a pseudonym
_SCHEMA = pa.schema(
    [
        ("people", pa.list_(pa.binary(_BYTES))),  # who have the same raw values: a line
        ("classes", pa.list_(pa.int64())),  # where they lie
        ("records", pa.list_(pa.int64())),  # how many of them in each
    ]
)


@dataclass(frozen=True, eq=False)
class Followed:
    """People, the line each is of, and where the lines lie."""

    people: pa.Array  # (people,) pseudonyms, no two equal
    line: NDArray[np.int64]  # (people,)
    lines: Lines
    private: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)  # (people,): sensitive values as numbers

    @classmethod
    def of(cls, recoded: Recoded, columns: Sequence[str], rows: People, key: bytes, private: Sequence[str]) -> Followed:
        """columns: those of the recoding. rows: the records, with these columns and the private ones."""
        codes = np.stack(
            [
                _leaves(rows.columns[name], hierarchy)
                for name, hierarchy in zip(columns, recoded.hierarchies, strict=True)
            ],
            axis=1,
        )
        layout = Layout.for_domains([hierarchy.leaf_count for hierarchy in recoded.hierarchies])
        both = layout.pack(np.concatenate([recoded.codes, codes]))
        keys, _, number = group_sum(both, np.ones(len(both), np.int64))
        part, line = number[: len(recoded.codes)], number[len(recoded.codes) :]
        people = np.bincount(line, minlength=len(keys))
        if not np.array_equal(people, np.bincount(part, recoded.counts, len(keys))):
            raise InternalError(
                "The people in the original are others than those in the release; nothing was published."
            )
        shown = np.flatnonzero(recoded.classes != HIDDEN)
        shown = shown[np.argsort(part[shown], kind="stable")]
        offsets = np.searchsorted(part[shown], np.arange(len(keys) + 1))
        lines = Lines(people, offsets, recoded.classes[shown].astype(np.int64), recoded.counts[shown])
        values = {name: rows.columns[name].indices.to_numpy().astype(np.int64) for name in private}
        return cls(pseudonyms(rows.names, len(line), key), line.astype(np.int64), lines, values)

    def write(self, path: Path) -> str:
        """A private file, whole and on the disk; returns its SHA-256."""
        order = np.argsort(self.line, kind="stable")
        begin = np.searchsorted(self.line[order], np.arange(len(self.lines.people) + 1))
        lists = [
            pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values)
            for offsets, values in (
                (begin, self.people.take(pa.array(order))),
                (self.lines.offsets, pa.array(self.lines.classes)),
                (self.lines.offsets, pa.array(self.lines.records)),
            )
        ]
        with storage_errors(f"{path.parent.name} cannot be written"):
            path.parent.mkdir(mode=0o700, exist_ok=True)
            write_parquet(pa.table(lists, schema=_SCHEMA).to_reader(), path)
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
        people, classes, records = (_flat(table.column(name)) for name in _SCHEMA.names)
        held = people.value_lengths().to_numpy().astype(np.int64)
        offsets = np.concatenate([[0], np.cumsum(classes.value_lengths().to_numpy())]).astype(np.int64)
        lines = Lines(held, offsets, classes.flatten().to_numpy(), records.flatten().to_numpy())
        return cls(people.flatten(), np.repeat(np.arange(len(held)), held), lines)


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


def _flat(column: pa.ChunkedArray) -> pa.ListArray:
    return pa.concat_arrays(column.chunks or [pa.array([], column.type)])


def _leaves(values: pa.DictionaryArray, hierarchy: Hierarchy) -> NDArray[np.int32]:
    """(people,): leaf codes. Every value is a leaf: the release could not have been made otherwise."""
    codes = np.array([hierarchy.code(text) for text in texts(values.dictionary)], np.int32)
    leaves: NDArray[np.int32] = codes[values.indices.to_numpy()]
    return leaves
