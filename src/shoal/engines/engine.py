"""What runs over the data: a few verbs, the same on every engine. Methods see this file and nothing behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from shoal.data.frequency import FrequencySet
    from shoal.data.schema import Schema
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.io.source import Source
    from shoal.recoding.groups import GroupRecoding
    from shoal.recoding.levels import LevelRecoding

Partial = TypeVar("Partial")


class Counter(Protocol[Partial]):
    """A mergeable summary of all records. A frozen value: a cluster sends it to its workers as it is."""

    def partial(self, batch: pa.RecordBatch) -> Partial: ...

    def merge(self, first: Partial, second: Partial) -> Partial: ...

    def empty(self) -> Partial: ...


@dataclass(frozen=True)
class Domain:
    """The distinct values of one column as text, with counts. None stands for a missing value."""

    counts: Mapping[str | None, int]


@dataclass(frozen=True)
class Written:
    """What a draft holds."""

    records: int
    suppressed: int


class Engine(Protocol):
    def load(self, source: Source, schema: Schema) -> int:
        """Make the data available; returns the number of records."""
        ...

    def domain(self, column: str) -> Domain:
        """The distinct values of a quasi-identifier or sensitive column."""
        ...

    def frequency_set(
        self, hierarchies: Mapping[str, Hierarchy], sensitive: Mapping[str, Hierarchy | None]
    ) -> FrequencySet:
        """Distinct tuples of the quasi-identifiers as leaf codes with counts, and sensitive values per tuple."""
        ...

    def count(self, counter: Counter[Any], columns: Sequence[str]) -> Any:
        """Summarize all records in batches; partial results add up."""
        ...

    def map_blocks(
        self, key: Sequence[str], kernel: Callable[[pa.Table], pa.Table], schema: pa.Schema, columns: Sequence[str]
    ) -> pa.Table:
        """Run a kernel on each block of records that agree in the key columns. Blocks are sorted by all their columns
        before the kernel sees them, so the result does not depend on the order in which records arrive."""
        ...

    def apply(self, recoding: LevelRecoding | GroupRecoding) -> Written:
        """Recode all records. Fails unless every record is either published or suppressed.

        Where records of one tuple go to several classes, the operating system's generator decides which goes where.
        """
        ...

    def assignment(self) -> pa.Table | None:
        """Which records show what, after `apply`: distinct combinations with their numbers. It holds the original values.

        Columns `raw:NAME` and `shown:NAME` for each quasi-identifier, `other:NAME` for the others, and `records`. None after a
        recoding by levels: there the published value follows from the raw one, and nothing has to be told.
        """
        ...

    def write(self, draft: Path) -> None:
        """Write the recoded records, in an order that says nothing, in the format of the file's suffix."""
        ...

    def to_table(self) -> pa.Table:
        """The recoded records in memory, in the same order."""
        ...

    def close(self) -> None: ...
