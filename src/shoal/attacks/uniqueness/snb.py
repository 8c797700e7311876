"""Population uniques by the slide negative binomial model.

Chen, G., Keller-McNulty, S.: Estimation of identification disclosure risk in microdata. Journal of Official Statistics 14(1), 1998.

The size of a class in the population is 1 + X, where X is negative binomial with α and β: P(X = x) = C(α+x−1, x) β^α (1−β)^x. Of
K classes K β^α are unique. When each person is in the sample with chance π, a class shows B + Y records, B being 1 with chance π
and Y negative binomial with α and β / (β + π(1−β)).

We depart in how the parameters are found. The paper, and ARX, take K from an estimator of its own, and α and β from the numbers of
classes of one and of two. Here the size N of the population is used, which is known: K(1 + α(1−β)/β) = N, where K is the number of
classes seen, divided by the chance that a class is seen. What is left is one parameter, found by maximum likelihood from all
classes. It is meant for samples of a tenth and more. It fails where sizes of classes are mixed more widely than a gamma law allows:
many uniques beside a few very large classes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from shoal.attacks.uniqueness.searching import highest

if TYPE_CHECKING:
    from collections.abc import Mapping

_CUTS = 80  # halvings, for the mean


def snb(classes: Mapping[int, int], population: int) -> float:
    """classes: size → number of classes in the sample."""
    records, number = sum(size * many for size, many in classes.items()), sum(classes.values())
    if records == number:
        return float(population)  # nobody shares a class: sizes other than 1 were not seen
    fraction = records / population
    if fraction >= 1:
        return float(classes.get(1, 0))

    def likelihood(log_alpha: float) -> float:
        law = Law.fitting(math.exp(log_alpha), fraction, records / number)
        unseen = math.log(1 - law.seen(0))
        return sum(many * (law.log_seen(size) - unseen) for size, many in classes.items())

    alpha = math.exp(highest(likelihood, math.log(1e-4), math.log(1e4)))
    law = Law.fitting(alpha, fraction, records / number)
    return min(float(population), number / (1 - law.seen(0)) * math.exp(alpha * math.log(law.beta)))


class Law:
    """Sizes of classes, in the population and in the sample."""

    def __init__(self, alpha: float, mean: float, fraction: float) -> None:
        """mean: of the people in a class beyond the first."""
        self.alpha, self.beta, self.fraction = alpha, alpha / (alpha + mean), fraction
        self.thinned = alpha / (alpha + mean * fraction)

    @classmethod
    def fitting(cls, alpha: float, fraction: float, size: float) -> Law:
        """The one whose classes, where they are seen, have this mean size in the sample."""
        low, high = 0.0, size / fraction
        for _ in range(_CUTS):
            middle = (low + high) / 2
            law = cls(alpha, middle, fraction)
            if fraction * (1 + middle) < size * (1 - law.seen(0)):
                low = middle
            else:
                high = middle
        return cls(alpha, (low + high) / 2, fraction)

    def seen(self, records: int) -> float:
        """The chance that a class shows so many records."""
        return math.exp(self.log_seen(records))

    def log_seen(self, records: int) -> float:
        without = math.log1p(-self.fraction) + self._log_others(records)
        if not records:
            return without
        among = math.log(self.fraction) + self._log_others(records - 1)
        most = max(without, among)
        return most + math.log(math.exp(without - most) + math.exp(among - most))

    def _log_others(self, number: int) -> float:
        """log of the chance that so many of those beyond the first are in the sample."""
        rest = -math.inf if self.thinned == 1 else math.log1p(-self.thinned)
        ways = math.lgamma(self.alpha + number) - math.lgamma(self.alpha) - math.lgamma(number + 1)
        return ways + self.alpha * math.log(self.thinned) + (number * rest if number else 0.0)
