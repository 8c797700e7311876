"""The loss of some of the records, by what values cost in the whole table.

What is lost in parts of a table, each weighted by its share of the records, adds up to what is lost in the whole. So whoever
lowers it in one part lowers the figure that is reported.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shoal.errors import InternalError
from shoal.loss.loss import CellLoss
from shoal.recoding.tables.recoded import ShownValues

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.hierarchies.hierarchy import Hierarchy


@dataclass(frozen=True, eq=False)
class PartLoss(CellLoss):
    """The loss of a block, so priced that the blocks add up to the loss of the whole."""

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
        """As much above what the part's own cells cost raw as it is in the whole on average: then columns weigh the same in
        every part. Nothing is suppressed in a part, so it is no price of anything."""
        whole = self._whole(hierarchy)
        records, rows = int(marginal.sum()), int(whole.sum())
        base = self.base_cost(hierarchy, marginal) * rows - self.loss.base_cost(hierarchy, whole) * records
        return self.loss.full_cost(hierarchy, whole) + round(Fraction(base, records * rows))

    def base_cost(self, hierarchy: Hierarchy, marginal: NDArray[np.int64]) -> int:
        whole = self._whole(hierarchy)
        if not self.loss.base_cost(hierarchy, whole):
            return 0
        leaves = ShownValues.of_nodes(hierarchy, np.arange(hierarchy.leaf_count, dtype=np.int32))
        return int((self.loss.value_costs(hierarchy, whole, leaves) * marginal).sum())

    def _whole(self, hierarchy: Hierarchy) -> NDArray[np.int64]:
        for one, marginal in self.columns:
            if one is hierarchy:
                return marginal
        raise InternalError("A part of a table has a hierarchy that the whole does not have.")
