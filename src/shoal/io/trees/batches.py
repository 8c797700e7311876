"""Nested batches that can be read again: of Parquet files where they lie, or of records that were read from something else.

The second are kept in memory while they are few. More go to a Parquet file in a private folder, which is removed with the object
that made it, and when the process ends.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.errors import DataError
from shoal.io.parquet import damage_is_data_error, open_parquet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

IN_MEMORY = 256 << 20  # bytes
_ROWS = 1 << 14  # a record may have hundreds of nodes


class Batches(Protocol):
    """The same records in the same order each time."""

    @property
    def schema(self) -> pa.Schema: ...

    @property
    def records(self) -> int: ...

    @property
    def files(self) -> tuple[Path, ...]:
        """Parquet files that hold all of it, if there are any."""

    def read(self) -> Iterator[pa.RecordBatch]: ...

    def close(self) -> None: ...


@dataclass(frozen=True, eq=False)
class ParquetBatches:
    """Of files that are not ours. columns: the leaves that are read, as Parquet names them."""

    files: tuple[Path, ...]
    schema: pa.Schema
    columns: tuple[str, ...]
    records: int

    def read(self) -> Iterator[pa.RecordBatch]:
        for file in self.files:
            open_parquet(file, nested=True)
            yield from _parquet(file, self.columns)

    def close(self) -> None:
        pass


class Held:
    """Records on their way in: `add` batches of one schema, then `done`."""

    def __init__(self, schema: pa.Schema, scratch: Path | None = None, *, limit: int = IN_MEMORY) -> None:
        self._schema, self._scratch, self._limit = schema, scratch, limit
        self._batches: list[pa.RecordBatch] = []
        self._bytes, self._records = 0, 0
        self._writer: pq.ParquetWriter | None = None
        self._folder: Path | None = None
        self._remove: Callable[[], object] = lambda: None

    @classmethod
    def of(
        cls,
        schema: pa.Schema,
        batches: Iterable[pa.RecordBatch],
        scratch: Path | None = None,
        *,
        limit: int = IN_MEMORY,
    ) -> Self:
        held = cls(schema, scratch, limit=limit)
        try:
            for batch in batches:
                held.add(batch)
            held.done()
        except BaseException:
            held.close()
            raise
        return held

    @property
    def schema(self) -> pa.Schema:
        return self._schema

    @property
    def records(self) -> int:
        return self._records

    @property
    def files(self) -> tuple[Path, ...]:
        return () if self._folder is None else (self._folder / "records.parquet",)

    def add(self, batch: pa.RecordBatch) -> None:
        self._records += batch.num_rows
        if self._writer is not None:
            self._write(batch)
            return
        self._batches.append(batch)
        self._bytes += batch.nbytes
        if self._bytes > self._limit:
            self._spill()

    def done(self) -> None:
        if self._writer is not None:
            with _storage():
                self._writer.close()
            self._writer = None

    def read(self) -> Iterator[pa.RecordBatch]:
        if self._folder is None:
            yield from self._batches
        else:
            yield from _parquet(self.files[0], None)

    def close(self) -> None:
        if self._writer is not None:
            with contextlib.suppress(OSError, pa.ArrowException):
                self._writer.close()
            self._writer = None
        self._batches.clear()
        self._remove()

    def _spill(self) -> None:
        with _storage():
            self._folder = Path(tempfile.mkdtemp(prefix="shoal-", dir=self._scratch))  # mode 0700
            self._remove = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
            self._writer = pq.ParquetWriter(
                self.files[0], self._schema, compression="zstd", compression_level=1, write_statistics=False
            )
        waiting, self._batches = self._batches, []
        for batch in waiting:
            self._write(batch)

    def _write(self, batch: pa.RecordBatch) -> None:
        assert self._writer is not None
        with _storage():
            self._writer.write_batch(batch)


def _parquet(file: Path, columns: tuple[str, ...] | None) -> Iterator[pa.RecordBatch]:
    with damage_is_data_error(file), pq.ParquetFile(file) as opened:
        for batch in opened.iter_batches(_ROWS, columns=None if columns is None else list(columns)):
            batch.validate(full=True)  # also refuses text that is not UTF-8
            yield batch


@contextlib.contextmanager
def _storage() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DataError(
            f"The records cannot be kept on disk while they are read: {error.strerror or 'no room'}."
        ) from None
