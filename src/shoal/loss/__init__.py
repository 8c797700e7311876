"""How much detail was lost. One file each. Of tables, `LOSSES` are those a recipe can minimize, `FIGURES` those that can only be
read; `SET_LOSSES` are of item sets, `MIXED_LOSSES` of mixed tables, `TREE_LOSSES` of trees. `KINDS`: all of them, by kind.
"""

from __future__ import annotations

from collections import ChainMap
from typing import TYPE_CHECKING, Any, cast

from shoal.data.listing import Entry, Listing
from shoal.data.registry import Registry, asked_of
from shoal.errors import RecipeError, did_you_mean
from shoal.loss.loss import CellLoss
from shoal.loss.mixed.are import MixedARE
from shoal.loss.mixed.release import ItemsNCP, ItemsUL, TableNCP
from shoal.loss.sets.are import ItemARE
from shoal.loss.sets.er import ER
from shoal.loss.sets.ncp import ItemNCP
from shoal.loss.sets.qe import QE
from shoal.loss.sets.ul import UL
from shoal.loss.tables.are import ARE
from shoal.loss.tables.c_avg import CAvg
from shoal.loss.tables.ce import CE
from shoal.loss.tables.dm import DM
from shoal.loss.tables.entropy import Entropy
from shoal.loss.tables.glm import GLM
from shoal.loss.tables.il import IL
from shoal.loss.tables.ncp import NCP
from shoal.loss.trees.dml2 import DML2
from shoal.loss.trees.ml2 import ML2
from shoal.loss.trees.pair_loss import TreeDistance
from shoal.loss.trees.rpd import RPD
from shoal.loss.trees.rpd_a import RPDa

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.data.schema import Kind
    from shoal.loss.loss import ClassLoss, Loss
    from shoal.loss.mixed.release import MixedLoss
    from shoal.loss.sets.release import SetLoss
    from shoal.loss.trees.release import TreeLoss


def _accepted(name: str, loss: Any) -> CellLoss | ClassLoss:
    """What a search can make small: a cost of cells, or of classes."""
    if isinstance(loss, type):  # of another package
        loss = loss()
    texts = ("name", "title", "plain", "formula")
    asked_of(loss, (*texts, "share", "of"), "loss")
    if not isinstance(loss, CellLoss) and not hasattr(loss, "class_loss"):
        raise TypeError("A loss prices cells, as those do that shoal brings, or has `class_loss`.")
    if loss.name != name:
        raise TypeError(f"It calls itself '{loss.name}'.")
    accepted: CellLoss | ClassLoss = loss
    return accepted


LOSSES: Registry[CellLoss | ClassLoss] = Registry(
    "shoal.losses", "loss", _accepted, ((loss.name, loss) for loss in (NCP(), GLM(), DM(), Entropy(), CE()))
)
FIGURES: dict[str, type[Loss]] = {figure.name: figure for figure in (IL, CAvg, ARE)}
SET_LOSSES: dict[str, type[SetLoss]] = {figure.name: figure for figure in (ItemNCP, UL, ER, QE, ItemARE)}

MIXED_LOSSES: dict[str, type[MixedLoss]] = {figure.name: figure for figure in (TableNCP, ItemsNCP, ItemsUL, MixedARE)}
TREE_LOSSES: dict[str, type[TreeLoss]] = {figure.name: figure for figure in (TreeDistance, RPD, RPDa, ML2, DML2)}

KINDS: Mapping[Kind, Mapping[str, CellLoss | ClassLoss | type[Loss | SetLoss | MixedLoss | TreeLoss]]] = {
    "tables": ChainMap(cast("Any", FIGURES), cast("Any", LOSSES)),  # asked when it is needed: others may add some
    "sets": SET_LOSSES,
    "mixed": MIXED_LOSSES,
    "trees": TREE_LOSSES,
}


def loss_from(name: str, column: str | None = None) -> CellLoss | ClassLoss:
    """Of a table. column: the labels, for the one loss that needs them."""
    if name not in LOSSES and name in SET_LOSSES and name not in FIGURES:
        raise RecipeError(f"loss.name: '{name}' is of item sets, and this is a table. Losses: {', '.join(LOSSES)}.")
    if name not in LOSSES:
        raise RecipeError(
            f"loss.name: no loss is called '{name}'. Losses: {', '.join(LOSSES)}.{did_you_mean(name, LOSSES)}"
        )
    return CE(column) if name == CE.name else LOSSES[name]


def losses() -> Listing:
    """The losses that a recipe can minimize, and the figures that are only read.

    Returns
    -------
    Listing
        The rows of `shoal losses`, kind by kind.

    Examples
    --------
    >>> import shoal
    >>> [loss.name for loss in shoal.losses().of("tables") if not loss.only_read]
    ['ncp', 'glm', 'dm', 'entropy', 'ce']
    """
    return Listing(
        Entry(
            name, kind, loss.title, formula=loss.formula, only_read=any(loss is figure for figure in FIGURES.values())
        )
        for kind, known in KINDS.items()
        for name, loss in known.items()
    )
