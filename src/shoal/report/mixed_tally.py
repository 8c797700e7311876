"""From raw counts about single values beside item sets to the masked values of a report (see `shoal.report.masking`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report import digits, set_tally
from shoal.report.masking import WITHHELD, Count, mask
from shoal.report.mixed_facts import KnowingBoth
from shoal.report.set_facts import Odds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.attacks.known_items import Fitting
    from shoal.report.facts import RiskFacts


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
    first = Odds(
        risk.before.smallest_class, digits.up(float(risk.before.average)), risk.before.uniques, _small(risk, k)
    )
    told = [set_tally.public_odds(found, k) for found in after]
    others = set_tally.attackers(before[1:], told[1:], promised[1:], k, first=_among(risk, first, before[0][1], k))
    made = [KnowingBoth(0, promised[0], first, told[0])]
    return (*made, *(KnowingBoth(one.knows, one.promised, one.before, one.after) for one in others))


def _among(risk: RiskFacts, first: Odds, found: Fitting | None, k: int) -> set_tally.Among:
    """What is said of those whom the single values alone give away."""
    below = sum(place.before for place in risk.sizes if place.low < k and isinstance(place.before, int))
    unique, small = (found.unique, found.below(k)) if found is not None else (0, 0)
    return set_tally.Among(
        (unique,) if isinstance(first.unique, int) else (),
        (below, *((small,) if isinstance(first.small, int) else ())),
        () if isinstance(first.unique, int) else (unique,),
        () if isinstance(first.small, int) else (small,),
    )


def _small(risk: RiskFacts, k: int) -> Count:
    """People in classes of fewer than k, as far as the sizes tell it."""
    below = [place.before for place in risk.sizes if place.low < k]
    above = [place.before for place in risk.sizes if place.low >= k]
    few = [people for people in below if isinstance(people, int)]
    if len(few) == len(below):
        return mask(sum(few), k)
    many = [people for people in above if isinstance(people, int)]
    return mask(risk.before.records - sum(many), k) if len(many) == len(above) else WITHHELD
