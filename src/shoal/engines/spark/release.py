"""What a recoding leaves behind in Spark: the records to be written, and who shows what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

    from shoal.engines.engine import Written


class Release(Protocol):
    """Published rows."""

    @property
    def records(self) -> int: ...

    @property
    def counted(self) -> bool:
        """Whether a row may stand for several records, as its `n` says."""
        ...

    @property
    def keys(self) -> Sequence[str]:
        """Columns that are equal within a class."""
        ...

    def names(self, names: Sequence[str]) -> list[str]:
        """The columns of the release. names: those of the data; what is shown of a column stands where it stood."""
        ...

    @property
    def values(self) -> Callable[[str], DataFrame]:
        """Of one of the other columns: keys, the column as o0, and n."""
        ...

    def in_order(self, names: Sequence[str]) -> DataFrame:
        """The published rows: the columns as c0, c1, … in the order of `names`; and n where rows are counted."""
        ...


@dataclass(frozen=True, eq=False)
class Assignment:
    """Who shows what, for the custodian."""

    rows: Callable[[], DataFrame]  # in order, with columns c0, c1, …
    names: tuple[str, ...]
    most: int  # there are no more of those rows
    kept: tuple[DataFrame, ...] = ()  # what Spark holds for it


@dataclass(frozen=True, eq=False)
class Outcome:
    """Of `apply`."""

    written: Written
    release: Release
    assignment: Assignment | None = None  # None where what is shown follows from what is held
