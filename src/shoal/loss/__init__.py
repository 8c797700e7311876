"""How much detail was lost. One file each. Of tables, `LOSSES` are those a recipe can minimize, `FIGURES` those that can only be
read; `SET_LOSSES` are of item sets, `MIXED_LOSSES` of single values beside item sets, `TREE_LOSSES` of trees.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.errors import RecipeError, did_you_mean
from shoal.loss.are import ARE
from shoal.loss.c_avg import CAvg
from shoal.loss.ce import CE
from shoal.loss.dm import DM
from shoal.loss.dml2 import DML2
from shoal.loss.entropy import Entropy
from shoal.loss.er import ER
from shoal.loss.glm import GLM
from shoal.loss.il import IL
from shoal.loss.item_are import ItemARE
from shoal.loss.item_ncp import ItemNCP
from shoal.loss.mixed import ItemsNCP, ItemsUL, TableNCP
from shoal.loss.mixed_are import MixedARE
from shoal.loss.ml2 import ML2
from shoal.loss.ncp import NCP
from shoal.loss.qe import QE
from shoal.loss.rpd import RPD
from shoal.loss.rpd_a import RPDa
from shoal.loss.tree_loss import TreeDistance
from shoal.loss.ul import UL

if TYPE_CHECKING:
    from shoal.loss.loss import CellLoss, ClassLoss, Loss
    from shoal.loss.mixed import MixedLoss
    from shoal.loss.sets import SetLoss
    from shoal.loss.trees import TreeLoss

LOSSES: dict[str, CellLoss | ClassLoss] = {loss.name: loss for loss in (NCP(), GLM(), DM(), Entropy(), CE())}
FIGURES: dict[str, type[Loss]] = {figure.name: figure for figure in (IL, CAvg, ARE)}
SET_LOSSES: dict[str, type[SetLoss]] = {figure.name: figure for figure in (ItemNCP, UL, ER, QE, ItemARE)}

MIXED_LOSSES: dict[str, type[MixedLoss]] = {figure.name: figure for figure in (TableNCP, ItemsNCP, ItemsUL, MixedARE)}
TREE_LOSSES: dict[str, type[TreeLoss]] = {figure.name: figure for figure in (TreeDistance, RPD, RPDa, ML2, DML2)}


def loss_from(name: str, column: str | None = None) -> CellLoss | ClassLoss:
    """Of a table. column: the labels, for the one loss that needs them."""
    if name not in LOSSES and name in SET_LOSSES and name not in FIGURES:
        raise RecipeError(f"loss.name: '{name}' is of item sets, and this is a table. Losses: {', '.join(LOSSES)}.")
    if name not in LOSSES:
        raise RecipeError(
            f"loss.name: no loss is called '{name}'. Losses: {', '.join(LOSSES)}.{did_you_mean(name, LOSSES)}"
        )
    return CE(column) if name == CE.name else LOSSES[name]
