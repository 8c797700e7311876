"""Population uniques by Zayatz' method.

Zayatz, L.: Estimation of the number of unique population elements using a sample. Proceedings of the Section on Survey Research
Methods, American Statistical Association, 1991.

The shares of classes by size are taken to be the same in the population as in the sample. A class of size i shows one record in the
sample with the hypergeometric chance h(i); so of the sample uniques the share

    s(1) h(1) / Σ_i s(i) h(i),      s(i) = classes of size i / classes

are unique in the population, and the population has 1/π times as many. It is too high for small samples: there most classes of the
sample are small, whatever the population is like.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def zayatz(classes: Mapping[int, int], population: int) -> float:
    """classes: size → number of classes in the sample."""
    records, alone = sum(size * many for size, many in classes.items()), classes.get(1, 0)
    if not alone:
        return 0.0
    seen = sum(many * _one_of(size, records, population) for size, many in classes.items())
    unique = alone * _one_of(1, records, population) / seen
    return min(float(population), alone * unique * population / records)


def _one_of(size: int, records: int, population: int) -> float:
    """The chance that a class of this size has one record among those drawn without putting back."""
    if population - size < records - 1:
        return 0.0
    ways = math.log(size) + _choose(population - size, records - 1) - _choose(population, records)
    return math.exp(ways)


def _choose(of: int, drawn: int) -> float:
    return math.lgamma(of + 1) - math.lgamma(drawn + 1) - math.lgamma(of - drawn + 1)
