"""Population uniques by Pitman's model.

Hoshino, N.: Applying Pitman's sampling formula to microdata disclosure risk assessment. Journal of Official Statistics 17(4), 2001.

People come one after the other. With n of them in u classes, the next one opens a class with chance (θ + uα)/(θ + n), and joins a
class of size s with chance (s − α)/(θ + n), where 0 ≤ α < 1 and θ > −α. A sample then follows the same law as the population, so
both parameters are estimated from the sample by maximum likelihood:

    log L = Σ_{i=1}^{u−1} log(θ + iα) − Σ_{i=1}^{n−1} log(θ + i) + Σ_classes Σ_{j=1}^{s−1} log(j − α)

The expected uniques among N people are N · Γ(θ+1)/Γ(θ+α) · Γ(θ+α+N−1)/Γ(θ+N): not the usual Γ(θ+1)/Γ(θ+α) · N^α, which is its
limit. It is meant for small samples. It is too high where no class is rare: a population of a few large classes has none.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from shoal.attacks.uniqueness.searching import highest

if TYPE_CHECKING:
    from collections.abc import Mapping

_LEAST = 1e-3  # α; at 0 the first sum has another form


def pitman(classes: Mapping[int, int], population: int) -> float:
    """classes: size → number of classes in the sample."""
    records, number = sum(size * many for size, many in classes.items()), sum(classes.values())
    if records == number:
        return float(population)  # nobody shares a class: the likelihood grows without end
    return min(float(population), expected_uniques(*fit(classes), population))


def fit(classes: Mapping[int, int]) -> tuple[float, float]:
    """θ and α of the highest likelihood. Somebody shares a class."""
    records, number = sum(size * many for size, many in classes.items()), sum(classes.values())

    def profile(alpha: float) -> tuple[float, float]:
        """The highest likelihood with this α, and log(θ + α) there."""
        of_sizes = sum(many * _rising(1 - alpha, size - 1) for size, many in classes.items())

        def likelihood(shift: float) -> float:
            theta = math.exp(shift) - alpha
            opened = (number - 1) * math.log(alpha) + _rising(theta / alpha + 1, number - 1)
            return opened - _rising(theta + 1, records - 1) + of_sizes

        best = highest(likelihood, math.log(1e-6), math.log(1e3 * records))
        return likelihood(best), best

    alpha = highest(lambda one: profile(one)[0], _LEAST, 1 - _LEAST, steps=40)
    return math.exp(profile(alpha)[1]) - alpha, alpha


def expected_uniques(theta: float, alpha: float, people: int) -> float:
    """Among so many people."""
    before = math.lgamma(theta + 1) - math.lgamma(theta + alpha)
    after = math.lgamma(theta + alpha + people - 1) - math.lgamma(theta + people)
    return people * math.exp(before + after)


def _rising(start: float, factors: int) -> float:
    """log of start · (start + 1) · … with so many factors."""
    return math.lgamma(start + factors) - math.lgamma(start)
