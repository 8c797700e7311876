"""Which estimate of population uniques to believe: the rule of Dankar and others, as ARX has it.

Dankar, F. K., El Emam, K., Neisa, A., Roffey, T.: Estimating the re-identification risk of clinical data sets. BMC Medical
Informatics and Decision Making 12:66, 2012.

A sample of at most a tenth of the population: Pitman's model. A larger one: the smaller of Zayatz' and the slide negative binomial
model. Without sample uniques there are no population uniques among the records, and none is estimated; people who are not in the
data may still be unique. All of them suppose that everybody was equally likely to be in the data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from shoal.attacks.uniqueness.pitman import pitman
from shoal.attacks.uniqueness.snb import snb
from shoal.attacks.uniqueness.zayatz import zayatz

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SMALL = 0.1  # of the population


@dataclass(frozen=True)
class Uniqueness:
    """People who are unique in the population, by three models, and the one that is chosen."""

    model: Literal["pitman", "zayatz", "snb", "none"]  # none: there are no sample uniques
    people: float  # unique in the population
    share: float  # of the population
    records: float  # of the records, that are expected to be unique in the population
    pitman: float
    zayatz: float
    snb: float


def estimate(class_sizes: NDArray[np.int64], population: int, many: NDArray[np.int64] | None = None) -> Uniqueness:
    """class_sizes: of the sample; population: at least as many people as there are records; many: (sizes,) classes of each size,
    None: one.

    >>> sizes = np.array([1, 1, 2, 5])
    >>> estimate(sizes, 9).people  # everybody is in the data: what is unique there is unique
    2.0
    """
    sizes, place = np.unique(class_sizes, return_inverse=True)
    counts = np.bincount(place, many, len(sizes)).astype(np.int64)
    classes = dict(zip(sizes.tolist(), counts.tolist(), strict=True))
    records, alone = int((sizes * counts).sum()), classes.get(1, 0)
    if not alone:
        return Uniqueness("none", 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if records >= population:
        return Uniqueness("zayatz", alone, alone / population, alone, alone, alone, alone)
    found = {
        "pitman": pitman(classes, population),
        "zayatz": zayatz(classes, population),
        "snb": snb(classes, population),
    }
    fraction = records / population
    model: Literal["pitman", "zayatz", "snb"] = "pitman"
    if fraction > _SMALL:
        model = "zayatz" if found["zayatz"] < found["snb"] else "snb"
    people = found[model]
    return Uniqueness(model, people, people / population, min(float(alone), people * fraction), **found)
