"""What the local engine knows of the records it holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shoal.engines.driver import tuples
from shoal.engines.local.records import Records
from shoal.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pyarrow as pa

    from shoal.engines.driver.connection import Connection
    from shoal.engines.engine import Domain
    from shoal.engines.local.sets import Sets
    from shoal.engines.local.trees import Trees


@dataclass(frozen=True, eq=False)
class Loaded:
    """The relations `data` and `numbered`."""

    records: Records
    sets: tuple[Sets, ...] = ()  # columns of sets of items
    trees: Trees | None = None  # the classes of nodes, where records are trees
    origin: str = ""  # what reads the records with all their columns, in SQL; none of trees
    values: Mapping[str, str] = field(default_factory=dict)  # how each published column is read there
    names: Callable[[str], pa.Array] | None = None  # of trees: what a column that is not published says of each record

    @property
    def number(self) -> int:
        """How many records there are."""
        return self.records.number

    @property
    def forest(self) -> Trees:
        """The trees; it is our fault to ask for them where there are none."""
        if self.trees is None:
            raise InternalError("The records are no trees, and were taken for such.")
        return self.trees

    def one_set(self, column: str) -> Sets:
        """The column of sets, where it is the only one."""
        if [one.column for one in self.sets] != [column]:
            raise InternalError("A recoding of sets speaks of a column that holds none.")
        return self.sets[0]

    def domain(self, con: Connection, column: str) -> Domain:
        """The distinct values of a column, the items of a set, or the values of a class of nodes."""
        for one in self.sets:
            if one.column == column:
                return one.domain
        if self.trees is not None and column in self.trees.wording.shape.names:
            return self.trees.domain(column)
        return tuples.domain(con, column)
