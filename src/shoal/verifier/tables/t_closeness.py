"""t-closeness (Li, Li, Venkatasubramanian 2007), counted on the published file.

Let q be the distribution of the sensitive values in the whole published table (suppressed rows included) and p that in a class.
The earth mover's distance between p and q must be at most t in every class:

- equal: ½ Σ |p_v − q_v|.
- ordered: Σ_i |P_i − Q_i| / (m − 1), with P and Q cumulated over the m values of the table in their order, 0 when m = 1. The
  order is that of the numbers when every value is a number, else that of the leaves of the column's hierarchy.
- hierarchical: Σ over inner nodes of height/H · min(pos, neg), where pos and neg add up what the children of the node have
  too much and too little of. The height of a node is the number of steps on the longest way down to a leaf, H that of the
  root; so with leaves at uneven depths two values are as far apart as the height of their lowest common ancestor.

**Hidden values** (missing, or `*`) are one more value. In the hierarchy it lies directly below the root. It has no place in an
order: it is put at either end, and the larger of the two distances counts.
Values that look the same (`looks.py`) are taken as they are spelled, and once more as one value, and the larger distance counts: to
merge them makes distributions more alike, and to keep them apart makes more steps of an order, each of which is shorter.

With n records in the class and N in the table a distance is a whole number divided by n·N times a constant. So it is
computed and compared with t, read as the decimal fraction it was written as, in whole numbers.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import InternalError
from shoal.verifier.finding import Finding, counted
from shoal.verifier.holdings import Holdings
from shoal.verifier.looks import looks_like
from shoal.verifier.tables.distances import Distances, equal, hierarchical, ordered

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from shoal.verifier.hierarchies.hierarchy import Hierarchy
    from shoal.verifier.recipe.guarantees import Guarantee
    from shoal.verifier.tables.classes import Classes


def find(guarantee: Guarantee, classes: Classes, holdings: Holdings, hierarchy: Hierarchy | None) -> Finding:
    t, kind = getattr(guarantee, "t", None), getattr(guarantee, "distance", None)
    if isinstance(t, bool) or not isinstance(t, (int, float)) or not 0 <= t <= 1:
        raise InternalError(f"t-closeness with t = {t!r} cannot be verified.")
    if kind not in ("equal", "ordered", "hierarchical"):
        raise InternalError(f"t-closeness with distance = {kind!r} cannot be verified.")
    measured = [_measured(kind, one, classes, hierarchy) for one in _readings(holdings)]
    return _compared(guarantee, classes, measured, Fraction(str(t)))


def _measured(kind: str, holdings: Holdings, classes: Classes, hierarchy: Hierarchy | None) -> Distances:
    if kind == "equal":
        return equal(holdings, classes.sizes)
    measure = ordered if kind == "ordered" else hierarchical
    return measure(holdings, classes.sizes, hierarchy)


def _readings(holdings: Holdings) -> Iterator[Holdings]:
    """As the values are spelled; and with those that look the same as one, where there are some."""
    yield holdings
    first: dict[str | None, str | None] = {}
    for text in holdings.texts:
        first.setdefault(None if text is None else looks_like(text), text)
    if len(first) < len(holdings.texts):
        place = {look: i for i, look in enumerate(first)}
        code = np.array([place[None if text is None else looks_like(text)] for text in holdings.texts], np.int64)
        yield Holdings(*holdings.counted_as(code), tuple(first.values()), holdings.column)


def _compared(guarantee: Guarantee, classes: Classes, measured: Sequence[Distances], t: Fraction) -> Finding:
    """measured: by reading, of which the worst counts."""
    occurring, which = np.unique(classes.sizes, return_inverse=True)

    def is_broken(distances: Distances) -> NDArray[np.bool_]:
        limits = [math.floor(t * n * distances.scale) for n in occurring.tolist()]
        return np.asarray(distances.moved > np.array(limits, distances.moved.dtype)[which], np.bool_)

    def reason(number: int) -> str:
        size = int(classes.sizes[number])
        far = max(Fraction(int(distances.moved[number]), size * distances.scale) for distances in measured)
        return (
            f"{counted(size, 'record')} with values at a distance of {float(far):.6g} from those of the table; "
            f"at most {float(t):g} is promised."
        )

    return Finding(
        promise=guarantee.technical(),
        classes=classes,
        broken=np.logical_or.reduce([is_broken(distances) for distances in measured]),
        rank=np.minimum.reduce([-(one.moved.astype(np.float64) / classes.sizes / one.scale) for one in measured]),
        reason=reason,
        kept=f"In every class the values are at a distance of at most {float(t):g} from those of the table.",
    )
