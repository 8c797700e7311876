"""The loss of some of the records, by what values cost in the whole table.

What is lost in parts of a table, each weighted by its share of the records, adds up to what is lost in the whole. So whoever
lowers it in one part lowers the figure that is reported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from shoal.errors import InternalError
from shoal.loss.loss import CellLoss

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.recoding.recoded import ShownValues


@dataclass(frozen=True, eq=False)
class PartLoss(CellLoss):
    loss: CellLoss
    columns: tuple[
        tuple[Hierarchy, NDArray[np.int64]], ...
    ]  # with the records of the whole table that hold each raw value

    name: ClassVar[str] = "part"
    title: ClassVar[str] = "Loss of a part"
    plain: ClassVar[str] = "Detail lost in a part of the table"
    formula: ClassVar[str] = "the loss of some records, where a value costs what it costs in the whole table"

    def value_costs(self, hierarchy: Hierarchy, marginal: NDArray[np.int64], shown: ShownValues) -> NDArray[np.int64]:
        return self.loss.value_costs(hierarchy, self._whole(hierarchy), shown)

    def full_cost(self, hierarchy: Hierarchy, marginal: NDArray[np.int64]) -> int:
        return self.loss.full_cost(hierarchy, self._whole(hierarchy))

    def base_cost(self, hierarchy: Hierarchy, marginal: NDArray[np.int64]) -> int:
        """The part's share by its records, not by what they hold: then columns weigh the same in every part."""
        whole = self._whole(hierarchy)
        rows = int(whole.sum())
        return (2 * self.loss.base_cost(hierarchy, whole) * int(marginal.sum()) + rows) // (2 * rows)

    def _whole(self, hierarchy: Hierarchy) -> NDArray[np.int64]:
        for one, marginal in self.columns:
            if one is hierarchy:
                return marginal
        raise InternalError("A part of a table has a hierarchy that the whole does not have.")
