"""Labels of a class in buckets: those of one bucket cost the same to merge with, and as many records show each.

Most items of real data are rare, and so there are few buckets for very many labels. Who looks for the cheapest label goes through
the buckets, and in each through labels in ascending order, from the first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.kernels.compiling import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.kernels.mixed.item_labels import Labels


class Buckets(NamedTuple):
    """A bucket without labels has no first one, and is given away again."""

    first: NDArray[np.int32]  # (buckets,): -1 when there is none
    last: NDArray[np.int32]  # (buckets,)
    keys: NDArray[np.int64]  # (buckets, 4): family, records, held, width of its labels
    bucket: NDArray[np.int32]  # (items,): of each label
    after: NDArray[np.int32]  # (items,): the next label of the same bucket, -1 when there is none
    before: NDArray[np.int32]  # (items,)
    used: NDArray[np.int64]  # (1,): buckets that were ever given away; the others are not looked at


@kernel
def buckets_of(labels: Labels) -> Buckets:
    """Of labels of which none is merged."""
    count = len(labels.held)
    made = Buckets(
        np.full(count, -1, np.int32),
        np.full(count, -1, np.int32),
        np.zeros((count, 4), np.int64),
        np.full(count, -1, np.int32),
        np.full(count, -1, np.int32),
        np.full(count, -1, np.int32),
        np.zeros(1, np.int64),
    )
    for label in range(count):
        add_to_bucket(made, labels, label)
    return made


@kernel
def add_to_bucket(buckets: Buckets, labels: Labels, label: int) -> None:
    """Where its numbers belong now."""
    first, last, keys, bucket, after, before, used = buckets
    family, records = labels.family[label], labels.records[label]
    held, width = labels.held[label], labels.width[label]
    place, free = -1, -1
    for one in range(used[0]):
        if first[one] < 0:
            free = one
        elif keys[one, 2] == held and keys[one, 1] == records and keys[one, 3] == width and keys[one, 0] == family:
            place = one
            break
    if place < 0:
        place = free if free >= 0 else used[0]
        used[0] = max(used[0], place + 1)
        keys[place, 0], keys[place, 1], keys[place, 2], keys[place, 3] = family, records, held, width
        last[place] = -1
    above = last[place]  # labels come in ascending order mostly, so their place is at the end
    while above > label:
        above = before[above]
    below = first[place] if above < 0 else after[above]
    bucket[label], before[label], after[label] = place, above, below
    if above < 0:
        first[place] = label
    else:
        after[above] = label
    if below < 0:
        last[place] = label
    else:
        before[below] = label


@kernel
def take_from_bucket(buckets: Buckets, label: int) -> None:
    """Before its numbers change, or when it is gone."""
    first, last, _, bucket, after, before, _ = buckets
    place, above, below = bucket[label], before[label], after[label]
    if above < 0:
        first[place] = below
    else:
        after[above] = below
    if below < 0:
        last[place] = above
    else:
        before[below] = above
