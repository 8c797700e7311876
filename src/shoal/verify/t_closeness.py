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
Values are taken as they are spelled. To merge spellings would make the distributions more alike.

With n records in the class and N in the table a distance is a whole number divided by n·N times a constant. So it is
computed and compared with t, read as the decimal fraction it was written as, in whole numbers.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import InternalError
from shoal.verify.distances import Distances, equal, hierarchical, ordered
from shoal.verify.finding import Finding, counted

if TYPE_CHECKING:
    from shoal.guarantees.guarantee import Guarantee
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.verify.classes import Classes, Holdings


def find(guarantee: Guarantee, classes: Classes, holdings: Holdings, hierarchy: Hierarchy | None) -> Finding:
    t, kind = getattr(guarantee, "t", None), getattr(guarantee, "distance", None)
    if isinstance(t, bool) or not isinstance(t, (int, float)) or not 0 <= t <= 1:
        raise InternalError(f"t-closeness with t = {t!r} cannot be verified.")
    if kind == "equal":
        distances = equal(holdings, classes.sizes)
    elif kind == "ordered":
        distances = ordered(holdings, classes.sizes, hierarchy)
    elif kind == "hierarchical":
        distances = hierarchical(holdings, classes.sizes, hierarchy)
    else:
        raise InternalError(f"t-closeness with distance = {kind!r} cannot be verified.")
    return _compared(guarantee, classes, distances, Fraction(str(t)))


def _compared(guarantee: Guarantee, classes: Classes, distances: Distances, t: Fraction) -> Finding:
    occurring, which = np.unique(classes.sizes, return_inverse=True)
    limits = [math.floor(t * n * distances.scale) for n in occurring.tolist()]

    def reason(number: int) -> str:
        size = int(classes.sizes[number])
        far = Fraction(int(distances.moved[number]), size * distances.scale)
        return (
            f"{counted(size, 'record')} with values at a distance of {float(far):.6g} from those of the table; "
            f"at most {float(t):g} is promised."
        )

    return Finding(
        promise=guarantee.technical(),
        classes=classes,
        broken=np.asarray(distances.moved > np.array(limits, distances.moved.dtype)[which], np.bool_),
        rank=-(distances.moved.astype(np.float64) / classes.sizes),
        reason=reason,
        kept=f"In every class the values are at a distance of at most {float(t):g} from those of the table.",
    )
