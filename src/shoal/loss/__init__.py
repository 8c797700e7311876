"""How much detail was lost. One file each; `LOSSES` is the list."""

from __future__ import annotations

from shoal.errors import RecipeError, did_you_mean
from shoal.loss.dm import DM
from shoal.loss.entropy import Entropy
from shoal.loss.glm import GLM
from shoal.loss.ncp import NCP

LOSSES = {loss.name: loss for loss in (NCP(), GLM(), DM(), Entropy())}


def loss_from(name: str) -> NCP | GLM | DM | Entropy:
    if name not in LOSSES:
        raise RecipeError(
            f"loss.name: no loss is called '{name}'. Losses: {', '.join(LOSSES)}.{did_you_mean(name, LOSSES)}"
        )
    return LOSSES[name]
