"""How likely it is that a record is tied to its person, as a table stands: three attackers, and what they could gain.

The figures follow El Emam, Guide to the De-Identification of Personal Health Information (2013). A class is a set of
records with the same quasi-identifiers, f its size, n the number of records, J the set of classes.

- *prosecutor* (knows that the target is in the data). Risk of a record 1/f. Highest 1/min f, average |J|/n, share at
  risk: records with 1/f above the threshold, divided by n.
- *journalist* (has a register of the population). Risk of a record 1/F, where F is the number of people in the
  population who look like the record. F is not in the data. Given the population figure N and the sampling fraction
  π = n/N it is estimated as official statistics do (Benedetti and Franconi 1998; mu-ARGUS and sdcMicro use it): F given
  f is negative binomial, and

      E[1/F | f] = π ∫₀¹ z^(f−1) / (π + (1−π)z) dz,      for f = 1: −π ln π / (1−π).

  This lies between π/f, the figure one gets by scaling the class up, and 1/f. It supposes that everyone in the
  population was equally likely to be in the data. Without a population figure it is not assessed.
- *marketer* (wants many matches). Expected share of the records that are matched rightly: |J|/n if the attacker's
  register holds exactly these people; with a population figure the mean of E[1/F | f] over the records.

With a population figure it is also estimated how many people are unique in the population (`shoal.attacks.uniqueness`).

Only records of the given classes count. Suppressed records are not published: they are in no class and carry no risk.

Nothing is rounded, and comparisons with the threshold are made in whole numbers: a class of 11 has 1/11 = 0.0909…,
which is above 0.09. The class size stands beside each figure, so that nobody has to read it off a rounded one.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.attacks.uniqueness.estimate import Uniqueness, estimate
from shoal.errors import InternalError, RecipeError

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class AttackerRisk:
    """Risks of records. The last three are None when there is no threshold to compare with."""

    highest: float
    average: float
    records_at_risk: int | None
    share_at_risk: float | None
    above_threshold: bool | None  # the highest risk is above it


@dataclass(frozen=True)
class SizeBin:
    """Classes with between `low` and `high` records, both included."""

    low: int
    high: int
    classes: int
    records: int


@dataclass(frozen=True)
class Risk:
    """The figures of one table, for all three attackers."""

    records: int
    classes: int
    smallest_class: int  # 0 when there are no records
    sample_uniques: int  # records that nobody else looks like
    threshold: float | None
    population: int | None
    prosecutor: AttackerRisk
    journalist: AttackerRisk | None  # None: not assessed, there is no population figure
    marketer: float
    class_sizes: tuple[SizeBin, ...]  # as counted; a report masks what it must not show
    uniqueness: Uniqueness | None = None  # people unique in the population, estimated; None without a population figure

    @property
    def highest(self) -> Fraction:
        """The prosecutor's highest risk, exactly."""
        return Fraction(1, self.smallest_class) if self.smallest_class else Fraction(0)

    @property
    def average(self) -> Fraction:
        """The prosecutor's average risk, exactly."""
        return Fraction(self.classes, self.records) if self.records else Fraction(0)

    def to_json(self) -> dict[str, Any]:
        told = asdict(self)
        if self.uniqueness is None:
            del told["uniqueness"]
        return told


def risk_of(
    class_sizes: NDArray[np.int64],
    many: NDArray[np.int64] | None = None,
    *,
    threshold: float | None = None,
    population: int | None = None,
) -> Risk:
    """The risk of a table with classes of these sizes. many: (sizes,) how many there are of each; None: one.

    >>> risk = risk_of(np.array([11, 20]), threshold=0.09)
    >>> risk.highest, risk.prosecutor.records_at_risk
    (Fraction(1, 11), 11)
    """
    if len(class_sizes) and int(class_sizes.min()) < 1:
        raise InternalError("A class without records has no risk; it must not be counted as a class.")
    sizes, place = np.unique(class_sizes, return_inverse=True)  # (distinct sizes,)
    classes = np.bincount(place, many, len(sizes)).astype(np.int64)  # (distinct sizes,) classes of that size
    inside = sizes * classes  # (distinct sizes,) records in them
    records, number, smallest = int(inside.sum()), int(classes.sum()), int(sizes[0]) if len(sizes) else 0
    _refuse_nonsense(threshold, population, records)
    # Above the threshold P/Q is 1/f > P/Q, which is f · P < Q.
    limit = None if threshold is None else Fraction(str(threshold))
    above = None if limit is None else np.array([f * limit.numerator < limit.denominator for f in sizes.tolist()], bool)
    highest = 1 / smallest if smallest else 0.0
    prosecutor = _attacker(highest, number / records if records else 0.0, inside, above)
    journalist = None
    if population is not None:
        journalist = prosecutor
        if 0 < records < population:
            expected = expected_inverse(sizes, records / population)
            if above is not None and threshold is not None:
                # A hair on the safe side, for these are floats; but never more records than the prosecutor has.
                above = above & (expected * (1 + 1e-12) > threshold)
            journalist = _attacker(float(expected[0]), float(inside @ expected) / records, inside, above)
    return Risk(
        records=records,
        classes=number,
        smallest_class=smallest,
        sample_uniques=int(inside[sizes == 1].sum()),
        threshold=threshold,
        population=population,
        prosecutor=prosecutor,
        journalist=journalist,
        marketer=prosecutor.average if journalist is None else journalist.average,
        class_sizes=_bins(sizes, classes),
        uniqueness=None if population is None else estimate(sizes, population, classes),
    )


def _refuse_nonsense(threshold: float | None, population: int | None, records: int) -> None:
    mistakes = []
    if threshold is not None:
        number = isinstance(threshold, int | float) and not isinstance(threshold, bool)
        if not (number and 0 < threshold <= 1):
            mistakes.append(f"`threshold` must be a share above 0 and at most 1, no percentage; got {threshold!r}.")
    if population is not None:
        if isinstance(population, bool) or not isinstance(population, int) or population < 1:
            mistakes.append(f"`population` must be an integer of at least 1; got {population!r}.")
        elif population < records:
            mistakes.append(f"`population` must be at least the number of records, {records}; got {population}.")
    if mistakes:
        raise RecipeError(*mistakes)


def _attacker(
    highest: float, average: float, inside: NDArray[np.int64], above: NDArray[np.bool_] | None
) -> AttackerRisk:
    if above is None:
        return AttackerRisk(highest, average, None, None, None)
    at_risk, records = int(inside[above].sum()), int(inside.sum())
    return AttackerRisk(highest, average, at_risk, at_risk / records if records else 0.0, at_risk > 0)


def expected_inverse(sizes: NDArray[np.int64], fraction: float) -> NDArray[np.float64]:
    """E[1/F | f] for each size f, where `fraction` of the population is in the data. sizes: distinct, ascending"""
    rest = 1.0 - fraction
    # Expanding the integrand around z = 1 gives π Σ_i (1−π)^i · i!(f−1)!/(i+f)!, whose terms fall at least as fast as
    # (1−π)^i and, for a large f, as i!(f−1)!/(i+f)!. It is slow only for a small class in a small sample.
    term = 1.0 / sizes
    total = term.copy()
    for i in range(1, 200):
        term = term * (rest * i / (i + sizes))
        total += term
    expected = fraction * total
    if fraction < 0.5:
        # There E[1/F | f+1] = π/(1−π) · (1/f − E[1/F | f]) is stable, as π/(1−π) is below 1.
        value = -fraction * math.log(fraction) / rest
        for f in range(1, 65):
            expected[sizes == f] = value
            value = fraction / rest * (1.0 / f - value)
    return np.minimum(expected, 1.0 / sizes)


def _bins(sizes: NDArray[np.int64], classes: NDArray[np.int64]) -> tuple[SizeBin, ...]:
    """1, 2, 3, 4, 5–9, 10–19, 20–49, 50–99, … up to the largest class: bounds that do not depend on the data."""
    if not len(sizes):
        return ()
    edges = [1, 2, 3, 4, 5]
    while edges[-1] <= int(sizes[-1]):
        edges.append(edges[-1] * 5 // 2 if str(edges[-1])[0] == "2" else edges[-1] * 2)
    bin_of = np.searchsorted(np.array(edges), sizes, side="right") - 1
    counted = np.bincount(bin_of, classes, len(edges)).astype(np.int64)
    records = np.bincount(bin_of, classes * sizes, len(edges)).astype(np.int64)
    last = int(bin_of[-1])
    return tuple(SizeBin(edges[i], edges[i + 1] - 1, int(counted[i]), int(records[i])) for i in range(last + 1))
