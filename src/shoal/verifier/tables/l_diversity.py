"""l-diversity (Machanavajjhala et al. 2007), in its three forms, counted on the published file.

In a class of n records let r_1 ≥ r_2 ≥ … ≥ r_m be the counts of its sensitive values.

- distinct: m ≥ l.
- entropy: the entropy of the values is at least log l, that is n^n ≥ l^n · Π r_i^r_i. Here l may be any number above 1.
- recursive (c, l): r_1 < c · (r_l + r_(l+1) + … + r_m).

**Hidden values** (missing, or `*`) may stand for any value, so they count as the most frequent value of their class. No other
way to fill them in gives fewer distinct values, a lower entropy or a worse recursive inequality, and neither does taking
them for a value of their own or leaving them out. Where a class has hidden values only, it has no value at all and fails.

**Values that look the same** (they differ in blanks, invisible characters, Unicode form or the form of a number; `looks.py`) count
as one value. Otherwise a stray blank would make a class diverse. Upper and lower case do differ; `columns.py` warns.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.errors import InternalError
from shoal.verifier.finding import Finding, counted
from shoal.verifier.looks import looks_like
from shoal.verifier.tables.classes import sums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.verifier.holdings import Holdings
    from shoal.verifier.recipe.guarantees import Guarantee
    from shoal.verifier.tables.classes import Classes

_HIDDEN = -1
# Floats decide an entropy that is farther than this (relatively) from its threshold; whole numbers decide the others.
_CLOSE = 1e-9
# n^n has n·log2(n) binary digits. A class of more records than this (after dividing by the common factor of its counts) that is
# this close to the threshold counts as a breach: its numbers would be too long, and failing is the safe side.
_EXACT_UP_TO = 20_000


@dataclass(frozen=True, eq=False)
class _Mix:
    """The counts of the values in each class, the largest first, hidden records counted with the largest."""

    of: NDArray[np.int64]  # (entries,) class
    counts: NDArray[np.int64]  # (entries,)
    distinct: NDArray[np.int64]  # (classes,) number of entries
    starts: NDArray[np.int64]  # (classes,) first entry


def find(guarantee: Guarantee, classes: Classes, holdings: Holdings) -> Finding:
    l: Any = getattr(guarantee, "l", None)  # noqa: E741
    variant = getattr(guarantee, "variant", None)
    if not _can_be_verified(l, variant):
        raise InternalError(f"l-diversity with l = {l!r} cannot be verified.")
    mix = _mix(holdings, len(classes.sizes))
    if variant == "distinct":
        return _distinct(guarantee, classes, mix, l)
    if variant == "entropy":
        return _entropy(guarantee, classes, mix, l)
    if variant == "recursive":
        return _recursive(guarantee, classes, mix, l)
    raise InternalError(f"l-diversity with variant = {variant!r} cannot be verified.")


def _can_be_verified(l: object, variant: object) -> bool:  # noqa: E741
    if isinstance(l, bool):
        return False
    if variant == "entropy":
        return isinstance(l, int | float) and math.isfinite(l) and l > 1
    return isinstance(l, int) and l >= 2


def _mix(holdings: Holdings, number: int) -> _Mix:
    looks: dict[str, int] = {}
    code = [_HIDDEN if text is None else looks.setdefault(looks_like(text), len(looks)) for text in holdings.texts]
    of, codes, counts = holdings.counted_as(np.array(code, np.int64))
    hidden = sums(of, np.where(codes == _HIDDEN, counts, 0), number)
    of, counts = of[codes != _HIDDEN], counts[codes != _HIDDEN]
    order = np.lexsort((-counts, of))
    of, counts = of[order], counts[order]
    distinct = np.bincount(of, minlength=number)
    starts = np.cumsum(distinct) - distinct
    counts[starts[distinct > 0]] += hidden[distinct > 0]
    return _Mix(of, counts, distinct, starts)


def _distinct(guarantee: Guarantee, classes: Classes, mix: _Mix, l: int) -> Finding:  # noqa: E741
    def reason(number: int) -> str:
        values = counted(int(mix.distinct[number]), "different value")
        return f"{counted(int(classes.sizes[number]), 'record')} with {values} among them; {l} are promised."

    return Finding(
        promise=guarantee.technical(),
        classes=classes,
        broken=mix.distinct < l,
        rank=mix.distinct.astype(np.float64),
        reason=reason,
        kept=f"Every class has at least {l} different values.",
    )


def _recursive(guarantee: Guarantee, classes: Classes, mix: _Mix, l: int) -> Finding:  # noqa: E741
    c = Fraction(str(getattr(guarantee, "c", None)))
    if c <= 0:
        raise InternalError(f"Recursive diversity with c = {c} cannot be verified.")
    place = np.arange(len(mix.of)) - mix.starts[mix.of]  # of an entry in its class, from 0
    number = len(classes.sizes)
    most = sums(mix.of, np.where(place == 0, mix.counts, 0), number)
    tail = sums(mix.of, np.where(place >= l - 1, mix.counts, 0), number)
    # r_1 < c · tail fails exactly when tail ≤ floor(r_1 / c); no tail is longer than the file
    occurring, which = np.unique(most, return_inverse=True)
    limits = np.array([min(math.floor(r / c), classes.source.records) for r in occurring.tolist()], np.int64)

    def reason(number: int) -> str:
        return (
            f"{counted(int(classes.sizes[number]), 'record')}; the most frequent value may stand for {most[number]} of them, "
            f"and those from place {l} on stand for {tail[number]}: {most[number]} is not below {float(c):g} × {tail[number]}."
        )

    return Finding(
        promise=guarantee.technical(),
        classes=classes,
        broken=tail <= limits[which],
        rank=tail / np.maximum(most, 1),
        reason=reason,
        kept=(
            f"In every class the most frequent value occurs less than {float(c):g} times as often as all from place {l} on "
            "together."
        ),
    )


def _entropy(guarantee: Guarantee, classes: Classes, mix: _Mix, l: float) -> Finding:  # noqa: E741
    exactly = Fraction(str(l))  # as it is written in the recipe
    n = np.bincount(mix.of, mix.counts, len(classes.sizes))  # 0 where all values are hidden
    weighted = np.bincount(mix.of, mix.counts * np.log(mix.counts), len(classes.sizes))
    entropy = np.log(np.maximum(n, 1)) - weighted / np.maximum(n, 1)
    broken = entropy < math.log(l)
    known: dict[tuple[int, ...], bool] = {}  # the same few mixtures come again and again
    for number in np.flatnonzero(np.abs(entropy - math.log(l)) <= _CLOSE * max(1.0, math.log(l))).tolist():
        start = mix.starts[number]
        counts = tuple(mix.counts[start : start + mix.distinct[number]].tolist())
        if counts not in known:
            known[counts] = _diverse_exactly(counts, exactly)
        broken[number] = not known[counts]

    def reason(number: int) -> str:
        return (
            f"{counted(int(classes.sizes[number]), 'record')} whose values are as mixed as {math.exp(entropy[number]):.4g} "
            f"values in equal shares; {l} are promised."
        )

    return Finding(
        promise=guarantee.technical(),
        classes=classes,
        broken=broken,
        rank=entropy,
        reason=reason,
        kept=f"The values of every class are at least as mixed as {l} values in equal shares.",
    )


def _diverse_exactly(counts: Sequence[int], l: Fraction) -> bool:  # noqa: E741
    """n^n ≥ l^n · Π r^r, both sides times the denominator of l^n. A common factor of all counts changes the entropy, and so the
    answer, in no way."""
    common = math.gcd(*counts)
    counts = [count // common for count in counts]
    n = sum(counts)
    if n > _EXACT_UP_TO:
        return False
    left = n**n * l.denominator**n
    return bool(left >= l.numerator**n * math.prod(r**r for r in counts))
