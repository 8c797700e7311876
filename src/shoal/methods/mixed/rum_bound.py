"""Method `rum-bound`: the single values lose at most delta, and the items as little as can be reached.

Rum-bound of paper 001 (Poulis and others 2013), section 4: first clusters by their single values, merged as long as NCP stays at
most delta (RMERGE_R, RMERGE_T, RMERGE_RT), and the items of each shown in a way of its own. ERRATA 001-7: merging does not always
help the items, so after each merge they are mapped anew, and the best state met is what is published.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from shoal.methods.mixed.bounded import Bounded, keys_with
from shoal.methods.mixed.bounds import TableBound, kept_within, within_table_loss

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from fractions import Fraction

    from shoal.methods.mixed.ground import MixedGround
    from shoal.methods.mixed.merging import Clustering, Merging


class RumBound(Bounded):
    """The bound is on the single values."""

    name: ClassVar[str] = "rum-bound"
    title: ClassVar[str] = "Bounded loss of single values, low loss of items"
    keys: ClassVar[Mapping[str, str]] = keys_with("the most that the single values may lose (NCP), from 0 to 1")

    def in_block(self, delta: Fraction, merge: Any, order: Any) -> TableBound:
        return TableBound(delta, merge, order)

    def search(
        self,
        ground: MixedGround,
        state: Merging,
        bound: tuple[Fraction, Any, Any],
        report: Callable[[Merging], None],
    ) -> Clustering:
        if ground.blocks:  # which have used up what delta allows
            return kept_within(state, *bound)
        return within_table_loss(state, *bound, report)

    def lost(self, clustering: Clustering) -> Fraction:
        return clustering.item_loss
