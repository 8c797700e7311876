"""How much detail was lost. One file each; `LOSSES` are those a recipe can minimize, `FIGURES` those that can only be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.errors import RecipeError, did_you_mean
from shoal.loss.are import ARE
from shoal.loss.c_avg import CAvg
from shoal.loss.ce import CE
from shoal.loss.dm import DM
from shoal.loss.entropy import Entropy
from shoal.loss.glm import GLM
from shoal.loss.il import IL
from shoal.loss.ncp import NCP

if TYPE_CHECKING:
    from shoal.loss.loss import CellLoss, ClassLoss, Loss

LOSSES: dict[str, CellLoss | ClassLoss] = {loss.name: loss for loss in (NCP(), GLM(), DM(), Entropy(), CE())}
FIGURES: dict[str, type[Loss]] = {figure.name: figure for figure in (IL, CAvg, ARE)}


def loss_from(name: str, column: str | None = None) -> CellLoss | ClassLoss:
    """column: the labels, for the one loss that needs them."""
    if name not in LOSSES:
        raise RecipeError(
            f"loss.name: no loss is called '{name}'. Losses: {', '.join(LOSSES)}.{did_you_mean(name, LOSSES)}"
        )
    return CE(column) if name == CE.name else LOSSES[name]
