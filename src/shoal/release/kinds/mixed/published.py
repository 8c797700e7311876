"""What the published records and the recipe alone tell of the items of a mixed table: figures of the public report.

As with tables, nothing here may depend on what an original record held beyond what its published one shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.report import digits
from shoal.report.facts import LossFacts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.loss.sets.release import Sets
    from shoal.recoding.mixed.clusters import MixedRecoding
    from shoal.release.plan import Hierarchies

_OPEN = "mean over all that published records show of 1 − 1 / items that a label may stand for"


def stand_alone(recoding: MixedRecoding) -> NDArray[np.bool_]:
    """(labels,): whether each is an item as it is."""
    labels, exact = recoding.items.labels, np.zeros(len(recoding.items.labels.labels), np.bool_)
    for label in np.flatnonzero(labels.sizes == 1).tolist():
        start, texts = recoding.vocabulary(int(recoding.items.columns[label]))
        exact[label] = labels.labels[label] == texts[int(labels.leaves_of(label)[0]) - start].as_py()
    return exact


def left_open(shown: Sets, recoding: MixedRecoding, hierarchies: Hierarchies) -> LossFacts:
    """How far labels leave it open which item it is. How many items there are in all is told only where the recipe states them."""
    labels, whole = recoding.items.labels, int(shown.weights.sum())
    open_ = 1 - 1 / labels.sizes
    for label, number in enumerate(recoding.items.columns.tolist()):
        name = recoding.columns[number]
        if name in hierarchies.unstated and labels.labels[label] == hierarchies.quasi[name].root:
            open_[label] = 1.0
    lost = float((open_[shown.items] * shown.weights).sum()) / whole if whole else 0.0
    return LossFacts("open", "Which item it is, left open", digits.lost(lost), True, _OPEN, False, public=True)
