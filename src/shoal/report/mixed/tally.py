"""From raw counts about a mixed table to the masked values of a report (see `shoal.report.masking`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report import digits
from shoal.report.masking import WITHHELD, Count, mask
from shoal.report.mixed.facts import KnowingBoth
from shoal.report.sets import tally as set_tally
from shoal.report.sets.facts import Odds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.attacks.sets.crowds import Fitting
    from shoal.report.tables.figures import RiskFacts


def attackers(
    risk: RiskFacts,
    before: Sequence[tuple[int | None, Fitting | None]],
    after: Sequence[Fitting | None],
    promised: Sequence[bool],
    k: int,
) -> tuple[KnowingBoth, ...]:
    """risk: as it is told of the single values. before, after: of those who know items, none first, with what they know.

    Whoever knows no item finds what the class sizes say, and is told of in the same way. All others find at least as much.
    """
    if risk.before is None:
        raise ValueError("What was found before is told of the original, or not at all.")
    small = _small(risk, risk.before.records, k)
    first = Odds(risk.before.smallest_class, digits.up(float(risk.before.average)), risk.before.uniques, small)
    odds = [set_tally.public_odds(fitting, k) for fitting in after]
    others = set_tally.attackers(before[1:], odds[1:], promised[1:], k, first=_among(risk, first, before[0][1], k))
    values_alone = [KnowingBoth(0, promised[0], first, odds[0])]
    return (*values_alone, *(KnowingBoth(one.knows, one.promised, one.before, one.after) for one in others))


def _among(risk: RiskFacts, first: Odds, fitting: Fitting | None, k: int) -> set_tally.Among:
    """What is said of those whom the single values alone give away."""
    below = sum(place.before for place in risk.sizes if place.low < k and isinstance(place.before, int))
    unique, small = (fitting.unique, fitting.below(k)) if fitting is not None else (0, 0)
    return set_tally.Among(
        (unique,) if isinstance(first.unique, int) else (),
        (below, *((small,) if isinstance(first.small, int) else ())),
        () if isinstance(first.unique, int) else (unique,),
        () if isinstance(first.small, int) else (small,),
    )


def _small(risk: RiskFacts, records: int, k: int) -> Count:
    """People in classes of fewer than k, as far as the sizes tell it."""
    below = [place.before for place in risk.sizes if place.low < k]
    above = [place.before for place in risk.sizes if place.low >= k]
    few = [people for people in below if isinstance(people, int)]
    if len(few) == len(below):
        return mask(sum(few), k)
    many = [people for people in above if isinstance(people, int)]
    return mask(records - sum(many), k) if len(many) == len(above) else WITHHELD
