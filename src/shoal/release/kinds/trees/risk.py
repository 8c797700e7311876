"""What somebody finds who knows some values of a person and how some of them belong together, before and after, for the report."""

from __future__ import annotations

from math import ceil, comb
from typing import TYPE_CHECKING

from shoal.attacks.trees.fragments import ShownRecords, fragment_risk
from shoal.report import digits
from shoal.report.trees.facts import KnowingTree

if TYPE_CHECKING:
    from shoal.data.trees import TreeShape
    from shoal.loss.trees.release import TreeRelease

MANY = 100_000  # records beyond which nothing is counted: each combination is looked for in all of them
_ASKED = ((1, 0), (2, 0), (2, 1), (3, 0), (3, 2))  # values and pairs, besides what is promised


def asked_of(shape: TreeShape, m: int, n: int) -> list[tuple[int, int]]:
    """Numbers of values and of pairs that somebody may know, who knows little first; m, n: as promised."""
    deep = any(one.parent is not None for one in shape.classes)
    pairs = min(n, comb(m, 2))  # fewer values have no more pairs
    return sorted((values, known) for values, known in {*_ASKED, (m, pairs)} if deep or not known)


def attackers_of(release: TreeRelease, k: int, m: int, n: int) -> tuple[KnowingTree, ...]:
    """k, m, n: as promised. Not of a sample: what few of some records hold, many of all may."""
    if not 0 < release.rows <= MANY or release.originals.sampled_from is not None:
        return ()
    before, after = ShownRecords(release.originals), ShownRecords(release.shown)
    attackers = []
    for values, known in asked_of(release.shape, m, n):
        was, is_ = (fragment_risk(one, k, values, known) for one in (before, after))
        share = was.share.rate
        if was.exact:  # in steps of k records: no two figures then are few people apart
            share = min(1.0, ceil(was.at_risk / k) * k / release.rows)
        attackers.append(
            KnowingTree(
                values,
                known,
                values <= m and (known <= n or not known),
                min(1.0, digits.up(share)),
                digits.up(is_.share.rate),
                not (was.exact and is_.exact),
            )
        )
    return tuple(attackers)
