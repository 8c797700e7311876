"""Which columns to leave out where nearly everything is lost: those that tell people apart most by their exact values."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.grouping import Layout, group_sum
from shoal.report.masking import mask
from shoal.report.tables.figures import Drop
from shoal.report.worth import MOST_LOST, share_lost

if TYPE_CHECKING:
    from typing import TypeVar

    from numpy.typing import NDArray

    from shoal.data.frequency import FrequencySet
    from shoal.report.tables.facts import Facts

    AnyFacts = TypeVar("AnyFacts", bound=Facts)

MOST = 3  # columns that are named
FEW = 0.1  # of the records: with so few in small classes nothing more has to go
_LARGEST = 30_000_000  # cells of the frequency set: beyond it counting would take minutes, and nothing is said


def with_drops(facts: AnyFacts, frequency: FrequencySet) -> AnyFacts:
    """The same facts, with the columns to leave out where nearly everything is lost. frequency: of the original."""
    loss = share_lost(facts)
    if loss is None or loss.value <= MOST_LOST or frequency.codes.size > _LARGEST:
        return facts
    return replace(facts, why=replace(facts.why, drops=drops(frequency, facts.k)))


def drops(frequency: FrequencySet, k: int) -> tuple[Drop, ...]:
    """One after the other the column without which the fewest records stand in classes of fewer than k. One column stays.

    Of several the one without which most records look the same as another, and of these the first.
    """
    rest = list(range(len(frequency.columns)))
    chain: list[Drop] = []
    small = _crowds(frequency, rest, k)[0]
    while len(rest) > 1 and len(chain) < MOST and small > FEW * frequency.rows:
        found = {c: _crowds(frequency, [other for other in rest if other != c], k) for c in rest}
        column = min(rest, key=lambda c: (found[c][0], -found[c][1]))
        chain.append(Drop(frequency.columns[column], mask(small, k), mask(found[column][0], k)))
        small = found[column][0]
        rest.remove(column)
    return tuple(chain)


def _crowds(frequency: FrequencySet, columns: list[int], k: int) -> tuple[int, int]:
    """Records in classes of fewer than k; and the sum of the squares of all classes, which grows as records look the same."""
    codes: NDArray[np.int32] = frequency.codes[:, columns]
    layout = Layout.for_domains([int(column.max(initial=0)) + 1 for column in codes.T])
    _, sizes, _ = group_sum(layout.pack(codes), frequency.counts)
    return int(sizes[sizes < k].sum()), int((sizes * sizes).sum())
