"""What a method is: it decides a recoding that meets the guarantees. It never touches the output, and never judges it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from shoal.engines.engine import Listener, Progress

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from shoal.data.schema import Kind
    from shoal.engines.engine import Engine, Recoding
    from shoal.guarantees.guarantee import Guarantee
    from shoal.hierarchies.hierarchy import Hierarchy

__all__ = [
    "Attempt",
    "ColumnReason",
    "Decision",
    "Listener",
    "Method",
    "Problem",
    "Progress",
    "Tradeoff",
]


@dataclass(frozen=True, eq=False)
class Problem:
    """What has to be decided, whatever the kind of the data; each kind adds what it alone has."""

    hierarchies: Mapping[str, Hierarchy]  # of the quasi-identifiers, in publishing order
    sensitive: Mapping[str, Hierarchy | None]  # sensitive columns some guarantee or the loss speaks of
    guarantees: tuple[Guarantee, ...]


@dataclass(frozen=True)
class ColumnReason:
    """What one level less would have cost: why this column was blurred as far as it was."""

    column: str
    level: int
    failing: int  # records that would stand in classes that break the promise, one level lower
    failing_by_group: tuple[int, ...]  # the same, by the group number they are published with now
    rare_values: int  # values of the lower level that fewer records share than the smallest class allowed
    rare_records: int  # records that hold them


@dataclass(frozen=True)
class Tradeoff:
    """The best release when more records may be suppressed."""

    limit: float
    suppressed: int
    loss: float
    levels: tuple[int, ...]


@dataclass(frozen=True)
class Attempt:
    """One method that was tried for a release, and what came of it."""

    method: str
    loss: float | None  # None: it made no release of the whole table that keeps the promise
    seconds: float
    note: str  # what it did, or why it did not, in a few words


@dataclass(frozen=True, eq=False)
class Decision:
    """What a method decided, and how good it is known to be."""

    recoding: Recoding
    loss: Fraction
    suppressed: int
    limit: int  # records that might have been suppressed
    classes: int
    optimal: bool  # proved the best of all full-domain releases
    bound: float  # of a search for full-domain releases: none that keeps the promise loses less; else 0
    seconds: float
    evaluated: int = 0  # lattice nodes looked at
    lattice: int = 0  # lattice nodes there are; 0 when the method does not search a lattice
    reasons: tuple[ColumnReason, ...] = ()
    tradeoffs: tuple[Tradeoff, ...] = ()
    tried: tuple[Attempt, ...] = ()  # by a method that tries others
    blocks: int = 0  # that the table was cut into, and each decided by itself; 0 when it was not
    floor: float | None = None  # no recoding of any kind along the hierarchies loses less; None when it is not known


class Method(Protocol):
    """How a recoding is decided."""

    name: ClassVar[str]
    kind: ClassVar[Kind]  # of the data it works on
    title: ClassVar[str]
    keys: ClassVar[Mapping[str, str]]  # recipe key → what it means

    def problems(self, options: Mapping[str, Any]) -> list[str]:
        """What is wrong with the method's keys in a recipe."""
        ...

    def decide(self, engine: Engine, problem: Any, listener: Listener, **options: Any) -> Decision:
        """problem: a `Problem` of the method's kind."""
        ...
