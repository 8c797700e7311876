"""k-anonymity (Samarati, Sweeney 1998): every combination of published quasi-identifiers occurs in at least k records.

Counted on the published values alone, exactly as they stand: `*` and a missing value are values, and two spellings of one
value are two values. Each of these makes classes smaller, never larger, so a doubt can only turn a pass into a fail.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import InternalError
from shoal.verifier.finding import Finding

if TYPE_CHECKING:
    from shoal.verifier.recipe.guarantees import Guarantee
    from shoal.verifier.tables.classes import Classes


def find(guarantee: Guarantee, classes: Classes) -> Finding:
    k = getattr(guarantee, "k", None)
    if isinstance(k, bool) or not isinstance(k, int) or k < 2:
        raise InternalError(f"k-anonymity with k = {k!r} cannot be verified.")

    def reason(number: int) -> str:
        size = int(classes.sizes[number])
        share = "1 record has" if size == 1 else f"{size} records share"
        return f"{share} this combination; {k} are promised."

    return Finding(
        promise=guarantee.technical(),
        classes=classes,
        broken=classes.sizes < k,
        rank=classes.sizes.astype(np.float64),
        reason=reason,
        kept=f"Every combination is shared by at least {k} records.",
    )
