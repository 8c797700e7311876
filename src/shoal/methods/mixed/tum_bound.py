"""Method `tum-bound`: the items lose at most delta, and the single values as little as can be reached.

Tum-bound of paper 001 (Poulis and others 2013), section 4, with ERRATA 001-3 and 001-4: clusters are merged (TMERGE_R, TMERGE_T,
TMERGE_RT) until the items, mapped anew after each merge, lose at most delta. If they never do, that is refused, with the least they
lost. What they lose is the loss of the recipe: item NCP, or UL as in the paper.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from shoal.methods.mixed.bounded import Bounded, keys_with
from shoal.methods.mixed.bounds import ItemBound, within_item_loss

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from fractions import Fraction

    from shoal.methods.mixed.ground import MixedGround
    from shoal.methods.mixed.merging import Clustering, Merging


class TumBound(Bounded):
    """The bound is on the items."""

    name: ClassVar[str] = "tum-bound"
    title: ClassVar[str] = "Bounded loss of items, low loss of single values"
    keys: ClassVar[Mapping[str, str]] = keys_with("the most that the items may lose, from 0 to 1")

    def in_block(self, delta: Fraction, merge: Any, order: Any) -> ItemBound:
        return ItemBound(delta, merge, order)

    def search(
        self,
        ground: MixedGround,
        state: Merging,
        bound: tuple[Fraction, Any, Any],
        report: Callable[[Merging], None],
    ) -> Clustering:
        return within_item_loss(state, *bound, report)

    def lost(self, clustering: Clustering) -> Fraction:
        return clustering.table_loss
