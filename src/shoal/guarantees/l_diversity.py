"""l-diversity: the records that look the same differ enough in their sensitive value.

Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam: l-Diversity: Privacy Beyond k-Anonymity (TKDD 2007). Within a class
let n be the number of records and r_1 ≥ r_2 ≥ … ≥ r_m the counts of the sensitive values. The class is

- distinct l-diverse when m ≥ l;
- entropy l-diverse when −Σ (r_i/n) log(r_i/n) ≥ log l, which is n^n ≥ l^n · Π r_i^r_i in whole numbers; l need not be whole: of
  two values with the shares 0.89 and 0.11 one says that they are as mixed as 1.42;
- recursive (c, l)-diverse when r_1 < c · (r_l + r_(l+1) + … + r_m).

A missing value may stand for any value, so it counts as the most frequent value of its class: no other way to fill it in
gives less diversity. A class in which nobody has a value fails.

What pruning may rely on: more records never make a class less distinct-diverse, whatever it is merged with. Entropy is
concave, and in the recursive inequality r_1 of a union is at most the sum of both r_1 while the tail is at least the
sum of both tails; so two classes that meet the promise still do when merged. Merging with a class that fails can break
either (counts 1, 1 with 100, 0). Missing values change none of this: a class that keeps the promise with its missing values
counted as its most frequent one keeps it however they are filled in, also as the most frequent one of a union.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np

from shoal.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.data.schema import Kind
    from shoal.guarantees.guarantee import ClassCounts

Variant = Literal["distinct", "entropy", "recursive"]

# Floats decide an entropy that is farther than this from the threshold; closer ones are decided in whole numbers.
_CLOSE = 1e-9
# n^n has n·log2(n) bits. Above this many records (after dividing by the common factor) a class that is still within
# _CLOSE of the threshold counts as failing: the numbers would be too long, and failing is the safe side.
_EXACT_UP_TO = 20_000


@dataclass(frozen=True)
class LDiversity:
    """The sensitive values of every class are diverse.

    Parameters
    ----------
    l : int, or float of the entropy form
        So many sensitive values, at least, stay possible.
    column : str
        The sensitive column that it speaks of.
    variant : {"distinct", "entropy", "recursive"}
        How diversity is counted.
    c : float, optional
        Of the recursive form: the most frequent value occurs less than c times as often as the tail.

    Examples
    --------
    >>> import shoal
    >>> shoal.LDiversity(2, column="diagnosis").technical()
    "distinct 2-diversity of 'diagnosis'"
    """

    l: float  # noqa: E741  # whole unless the variant is "entropy"; the name of the parameter in the literature and in every recipe
    column: str
    variant: Variant = "distinct"
    c: float | None = None

    name: ClassVar[str] = "l-diversity"
    kind: ClassVar[Kind] = "tables"
    k = None
    m = None
    n = None

    def __post_init__(self) -> None:
        mistakes = []
        if self.variant == "entropy":
            if not _is_number(self.l) or self.l <= 1:
                mistakes.append(
                    f"`l` of l-diversity must be a number above 1 when the variant is 'entropy'; got {self.l!r}."
                )
        elif isinstance(self.l, bool) or not isinstance(self.l, int) or self.l < 2:
            mistakes.append(f"`l` of l-diversity must be an integer of at least 2; got {self.l!r}.")
        if not isinstance(self.column, str) or not self.column:
            mistakes.append(f"`column` of l-diversity must be the name of a column; got {self.column!r}.")
        if self.variant not in get_args(Variant):
            words = ", ".join(f"'{word}'" for word in get_args(Variant))
            mistakes.append(f"`variant` of l-diversity must be one of {words}; got {self.variant!r}.")
        elif self.variant == "recursive":
            if not (_is_number(self.c) and (self.c or 0) > 0):
                mistakes.append(
                    f"`c` of l-diversity must be a number above 0 when the variant is 'recursive'; got {self.c!r}."
                )
        elif self.c is not None:
            mistakes.append(
                f"`c` of l-diversity must be left out when the variant is '{self.variant}'; got {self.c!r}."
            )
        if mistakes:
            raise ParameterError(*mistakes)

    @property
    def monotone(self) -> bool:
        """Whether a coarser release keeps it too."""
        return True

    @property
    def monotone_with_suppression(self) -> bool:
        """Whether a class that keeps it still does after it is merged with any other."""
        return self.variant == "distinct"

    @property
    def sensitive(self) -> str:
        """The column that it speaks of."""
        return self.column

    def sentence(self) -> str:
        """The promise as a person reads it."""
        who = "The people who look the same have"
        if self.variant == "distinct":
            return (
                f"{who} at least {self.l} different values of '{self.column}' among them: "
                "finding someone's group alone does not tell their value."
            )
        if self.variant == "entropy":
            return f"{who} values of '{self.column}' that are at least as mixed as {self.l} values in equal shares."
        rest = "all the others" if self.l == 2 else f"all from the {_ordinal(int(self.l))} most frequent on"
        return (
            f"{who} at least {self.l} different values of '{self.column}', and the most frequent one occurs less than "
            f"{self.c} times as often as {rest} together."
        )

    def technical(self) -> str:
        """The promise as an auditor reads it."""
        if self.variant == "recursive":
            return f"recursive ({self.c}, {self.l})-diversity of '{self.column}'"
        return f"{self.variant} {self.l}-diversity of '{self.column}'"

    def failing(self, classes: ClassCounts) -> NDArray[np.bool_]:
        """(classes,): True where a class breaks the promise."""
        histogram = classes.histogram(self.column)
        present = np.ones(len(histogram.values), np.bool_)
        if histogram.missing is not None:
            present = histogram.values != histogram.missing
        of, counts = histogram.classes[present], histogram.counts[present]  # (entries,) each
        number = len(classes.sizes)
        if not present.all():
            counts = _with_missing(
                of, counts, np.bincount(histogram.classes[~present], histogram.counts[~present], number)
            )
        if self.variant == "entropy":
            return ~_entropy_diverse(of, counts, number, Fraction(str(self.l)))
        if self.variant == "recursive":
            return ~_recursively_diverse(of, counts, number, int(self.l), Fraction(str(self.c)))
        return np.bincount(of, minlength=number) < self.l


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _with_missing(of: NDArray[np.int64], counts: NDArray[np.int64], missing: NDArray[Any]) -> NDArray[np.int64]:
    """The counts, with the missing values of each class added to its largest. missing: (classes,)"""
    order = np.lexsort((counts, of))  # `of` is sorted: within each class by count
    largest = order[np.flatnonzero(np.diff(of[order], append=-1))]  # the last of each class
    counts = counts.copy()
    counts[largest] += missing[of[largest]].astype(np.int64)
    return counts


def _entropy_diverse(of: NDArray[np.int64], counts: NDArray[np.int64], number: int, l: Fraction) -> NDArray[np.bool_]:  # noqa: E741
    distinct = np.bincount(of, minlength=number)
    enough = distinct >= math.ceil(l)
    sizes = np.bincount(of, counts, number)
    weighted = np.bincount(of, counts * np.log(counts), number)
    some = np.maximum(sizes, 1)
    entropy = np.log(some) - weighted / some
    diverse: NDArray[np.bool_] = entropy >= math.log(l)
    diverse &= enough  # fewer values can never be enough; this also settles the empty class
    close = np.abs(entropy - math.log(l)) <= _CLOSE * max(1.0, math.log(l))
    # Equal shares are the common case on the edge (l values, once each). Their entropy is exactly log(distinct).
    most, least = np.zeros(number, np.int64), np.full(number, np.iinfo(np.int64).max)
    np.maximum.at(most, of, counts)
    np.minimum.at(least, of, counts)
    even = most == least
    diverse[even] = enough[even]
    undecided = np.flatnonzero(close & ~even & enough)
    starts = np.searchsorted(of, undecided)
    for one, start in zip(undecided.tolist(), starts.tolist(), strict=True):
        diverse[one] = _entropy_diverse_exactly(counts[start : start + distinct[one]].tolist(), l)
    return diverse


def _entropy_diverse_exactly(counts: list[int], l: Fraction) -> bool:  # noqa: E741
    """n^n · q^n ≥ p^n · Π c^c, where l = p/q. Dividing all counts by a common factor changes neither side of −Σ p log p ≥ log l."""
    common = math.gcd(*counts)
    counts = [count // common for count in counts]
    records = sum(counts)
    if records > _EXACT_UP_TO:
        return False
    return bool((records * l.denominator) ** records >= l.numerator**records * math.prod(c**c for c in counts))


def _recursively_diverse(
    of: NDArray[np.int64],
    counts: NDArray[np.int64],
    number: int,
    l: int,  # noqa: E741
    c: Fraction,
) -> NDArray[np.bool_]:
    order = np.lexsort((-counts, of))
    counts = counts[order]  # `of` is sorted already, and stays so
    distinct = np.bincount(of, minlength=number)
    starts = np.cumsum(distinct) - distinct
    rank = np.arange(len(of)) - starts[of]
    # Counts add up below 2^53, so the float sums of bincount are exact.
    most = np.bincount(of, counts * (rank == 0), number).astype(np.int64)
    tail = np.bincount(of, counts * (rank >= l - 1), number).astype(np.int64)
    largest = int(max(most.max(initial=0), tail.max(initial=0)))
    if largest * max(c.numerator, c.denominator) < 2**63:
        return most * c.denominator < c.numerator * tail
    wide = most.astype(object) * c.denominator < c.numerator * tail.astype(object)
    return wide.astype(np.bool_)


def _ordinal(number: int) -> str:
    suffix = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"
