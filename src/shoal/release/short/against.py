"""What a release lost against its original, whoever made it and whatever order its records are in.

A release does not tell which record became which. So what is measured follows from three things alone: the values that the release
shows and how many records show them, the original values that each may stand for, and how many records hold those. A loss that
needs more is refused, with the reason.

Which original values a published value may stand for: those below the label in the blur rule, where one is given; otherwise as it
is written, in the notations of `verifier/values.py` (`20-29`, `[20, 30[`, `13***`, `{A, B}`, `*`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import DataError
from shoal.guarantees.guarantee import ClassCounts, Histogram
from shoal.loss import KINDS
from shoal.loss.loss import normalized_weights
from shoal.loss.tables.are import ARE, Workload
from shoal.loss.tables.c_avg import CAvg
from shoal.loss.tables.ce import CE
from shoal.loss.tables.dm import DM
from shoal.loss.tables.entropy import Entropy
from shoal.loss.tables.glm import GLM
from shoal.loss.tables.il import IL
from shoal.loss.tables.ncp import NCP
from shoal.recoding.tables.recoded import HIDDEN, Recoded, ShownValues
from shoal.report.steward.attained import MeasuredLoss
from shoal.verifier.domain import Domain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.data.frequency import FrequencySet
    from shoal.hierarchies.hierarchy import Hierarchy, Label
    from shoal.loss.loss import Loss

_WHICH = "needs to know which record became which, and a release does not tell"


@dataclass(frozen=True, eq=False)
class Unaligned(Recoded):
    """The original, and classes of a release: which records are in which class is not known, only how many."""

    sizes: NDArray[np.int64] = None  # type: ignore[assignment]  # (classes,) as the release has them; always given

    @cached_property
    def class_sizes(self) -> NDArray[np.int64]:
        """(classes,): published records in each class."""
        return self.sizes

    @cached_property
    def suppressed(self) -> int:
        """By how many records the release is shorter."""
        return self.rows - int(self.sizes.sum())


@dataclass(frozen=True, eq=False)
class Counted:
    """A table as it was counted: `labels` are the values of each column by code."""

    frequency: FrequencySet
    hierarchies: Mapping[str, Hierarchy]

    def labels(self, name: str) -> tuple[Label, ...]:
        """The values of a column, by code."""
        hierarchy = self.hierarchies[name]
        return tuple(hierarchy.labels[: hierarchy.leaf_count])


def losses_against(release: Counted, original: Counted, k: int) -> tuple[MeasuredLoss, ...]:
    """Every loss of a table. k: that the release attains."""
    rows = original.frequency.rows
    published = release.frequency
    if published.rows > rows:
        raise DataError(
            f"The release has {published.rows:,} records and the original {rows:,}: it is no release of this original. Losses are "
            "measured against all records that it was made of."
        )
    measured = [_of_classes(DM(), release, rows), _of_classes(CAvg(k), release, rows)]
    measured += [_of_labels(CE(column), column, release, rows) for column in published.sensitive]
    measured.append(_refused(IL, _WHICH))
    shown, reason = _shown(release, original)
    cells: list[Loss] = [NCP(), GLM(), Entropy()]
    if reason:
        measured += [_refused(type(loss), reason) for loss in cells] + [_refused(ARE, reason)]
    else:
        laid = _laid_over(release, original, shown)
        weights = normalized_weights(published.columns, {})
        measured += [_measured(loss, float(loss.of(laid, weights))) for loss in [*cells, ARE(Workload.random(laid))]]
    order = list(KINDS["tables"])
    return tuple(sorted(measured, key=lambda loss: order.index(loss.name)))


def _shown(release: Counted, original: Counted) -> tuple[list[ShownValues], str]:
    """Of each column the values that the release shows, each with the original ones that it may stand for; or why not."""
    shown, reasons = [], []
    for name in release.frequency.columns:
        labels, hierarchy = release.labels(name), original.hierarchies[name]
        domain = Domain(original.labels(name), None)
        covered = [_covered(label, hierarchy, domain) for label in labels]
        unknown = sum(not leaves for leaves in covered)
        if unknown:
            reasons.append(
                f"{unknown:,} of the {len(labels):,} values of '{name}' stand for no value of the original as they are written; "
                f"say how it was blurred, as in quasi={{'{name}': shoal.hierarchy_file(…)}}"
            )
            continue
        offsets = np.cumsum([0, *map(len, covered)])
        leaves = np.fromiter((leaf for each in covered for leaf in each), np.int32, int(offsets[-1]))
        shown.append(ShownValues(labels, offsets, leaves))
    return shown, "; ".join(reasons)


def _covered(label: Label, hierarchy: Hierarchy, domain: Domain) -> Sequence[int]:
    """Leaf codes, ascending."""
    node = hierarchy.node(label)
    if node is not None:
        return range(int(hierarchy.first[node]), int(hierarchy.last[node]) + 1)
    return sorted(domain.covered_by(label))


def _laid_over(release: Counted, original: Counted, shown: list[ShownValues]) -> Unaligned:
    before, after = original.frequency, release.frequency
    hidden = np.full(len(before.counts), HIDDEN, np.int32)
    trees = tuple(original.hierarchies[name] for name in after.columns)
    return Unaligned(trees, before.codes, before.counts, hidden, after.codes, tuple(shown), sizes=after.counts)


def _of_classes(loss: DM | CAvg, release: Counted, rows: int) -> MeasuredLoss:
    """From the sizes of the classes alone."""
    sizes = release.frequency.counts
    nothing = np.empty((1, 0), np.int32)
    parts = Unaligned(
        (),
        nothing,
        np.array([rows]),
        np.array([HIDDEN], np.int32),
        np.empty((len(sizes), 0), np.int32),
        (),
        sizes=sizes,
    )
    return _measured(loss, float(loss.of(parts, ())))


def _of_labels(loss: CE, column: str, release: Counted, rows: int) -> MeasuredLoss:
    """From the private values in the classes alone; what is missing from the release is one more class, which is not kept."""
    counted, sizes = release.frequency.sensitive[column], release.frequency.counts
    histogram = Histogram(counted.tuples, counted.values, counted.counts, counted.value_count)
    classes = ClassCounts(np.append(sizes, rows - int(sizes.sum())), {column: histogram})
    kept = np.append(np.ones(len(sizes), np.bool_), False)
    return _measured(loss, float(loss.class_loss(classes, kept)), column)


def _measured(loss: Loss, value: float, column: str = "") -> MeasuredLoss:
    return MeasuredLoss(loss.name, loss.title, value, "", loss.formula, loss.share, column)


def _refused(loss: type[Loss], reason: str) -> MeasuredLoss:
    return MeasuredLoss(loss.name, loss.title, None, reason, loss.formula, loss.share)
