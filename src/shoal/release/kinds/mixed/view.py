"""A release of a mixed table seen through its recoding: what records show of values and items, before and after."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from shoal.attacks.mixed.crowds import knowing_both, knowing_both_all
from shoal.engines.driver.groups import Parts
from shoal.errors import InternalError
from shoal.kernels.distinct import distinct
from shoal.loss.sets.release import Sets
from shoal.recoding.tables.groups import GroupRecoding
from shoal.recoding.tables.recoded import HIDDEN
from shoal.release.kinds.mixed.originals import MixedOriginals, numbered
from shoal.report.facts import PrivateFact

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.attacks.sets.crowds import Fitting
    from shoal.engines.engine import Engine
    from shoal.recoding.mixed.clusters import MixedRecoding
    from shoal.release.kinds.tables.view import View
    from shoal.release.plan import Hierarchies, Plan

KNOWN = (0, 1, 2, 3, None)  # items that somebody knows beside all single values; None: all


def by_tuple(groups: GroupRecoding) -> GroupRecoding:
    """The same classes, with records of the same single values in one part whatever their items."""
    parts = Parts.of(groups.recoded)
    if not parts.alone.all():
        raise InternalError("Records with the same single values are in different classes; nothing was published.")
    recoded = replace(groups.recoded, codes=parts.codes, counts=parts.counts, classes=parts.classes)
    return GroupRecoding(groups.columns, recoded)


@dataclass(frozen=True, eq=False)
class Both:
    """Values and items of the records, before and after: as classes of equal values, and the items of each part."""

    recoding: MixedRecoding

    @property
    def counts(self) -> NDArray[np.int64]:
        """(parts,): records."""
        return self.recoding.groups.recoded.counts

    @cached_property
    def published(self) -> NDArray[np.int64]:
        """Numbers of the parts that are."""
        return np.flatnonzero(self.recoding.groups.recoded.classes != HIDDEN)

    @cached_property
    def before(self) -> Sets:
        """The items of the original, by part."""
        sets = self.recoding.sets
        return Sets(sets.offsets, sets.items, self.counts)

    @cached_property
    def after(self) -> Sets:
        """Of published records the labels that they show, by number."""
        labels = self.recoding.shown.take(self.published)
        return Sets(labels.offsets, labels.items, self.counts[self.published])

    @cached_property
    def known_before(self) -> list[tuple[int | None, Fitting | None]]:
        """By the items that somebody knows beside all values: the records that fit, in the original."""
        return list(zip(KNOWN, _fitting(numbered(self.recoding.groups.recoded.codes), self.before), strict=True))

    @cached_property
    def known_after(self) -> list[Fitting | None]:
        """The same in the release."""
        classes = self.recoding.groups.recoded.classes[self.published].astype(np.int64)
        return _fitting(classes, self.after)

    def shown(self, number: int) -> Sets:
        """What published records show in one column of sets."""
        mine = self.recoding.items.columns[self.after.items] == number
        rows = np.repeat(np.arange(len(self.after.counts)), self.after.sizes)[mine]
        sizes = np.bincount(rows, minlength=len(self.after.counts))
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        return Sets(offsets, self.after.items[mine], self.after.counts)

    def held(self, number: int) -> list[int]:
        """Labels of a column that some published record shows."""
        labels = distinct(self.after.items)
        mine: list[int] = labels[self.recoding.items.columns[labels] == number].tolist()
        return mine


def _fitting(classes: NDArray[np.int64], sets: Sets) -> list[Fitting | None]:
    arrays = (classes, sets.offsets, sets.items, sets.counts)
    return [*knowing_both(*arrays), knowing_both_all(*arrays)]


@dataclass(frozen=True, eq=False)
class SensitiveItems:
    """What is published of sensitive items."""

    facts: tuple[PrivateFact, ...] = ()
    shown: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, engine: Engine, plan: Plan, hierarchies: Hierarchies, recoding: MixedRecoding, view: View
    ) -> SensitiveItems:
        """Counted in the original, of the records that are published."""
        sensitive = {name: items for name in recoding.columns if (items := plan.schema.sensitive_items(name))}
        if not sensitive:
            return cls()
        values = {name: hierarchies.quasi[name] for name in recoding.groups.columns}
        originals = MixedOriginals.of(engine, values, sensitive)
        classes = _classes(view, originals)
        sizes, row = view.recoded.class_sizes, np.repeat(np.arange(len(originals.counts)), np.diff(originals.offsets))
        published = classes[row] != HIDDEN
        row, item = row[published], originals.items[published]
        width = sum(map(len, sensitive.values()))
        holding = np.bincount(classes[row] * width + item, originals.counts[row], len(sizes) * width).astype(np.int64)
        holding = holding.reshape(len(sizes), width)  # (classes, items): records
        facts, published_items, start = [], {}, 0
        for name, items in sensitive.items():
            mine = holding[:, start : start + len(items)]
            same = (mine == sizes[:, None]).any(axis=1) & (sizes > 0)
            facts.append(PrivateFact(name, len(sizes), int(same.sum()), int(sizes[same].sum())))
            published_items[name] = [
                item for item, records in zip(items, mine.sum(axis=0).tolist(), strict=True) if records
            ]
            start += len(items)
        return cls(tuple(facts), published_items)


def _classes(view: View, originals: MixedOriginals) -> NDArray[np.int64]:
    """(rows,): the class that shows the values of each."""
    recoded = view.recoded
    numbers = numbered(np.concatenate([recoded.codes, originals.values]))
    class_of = np.full(int(numbers.max(initial=-1)) + 1, HIDDEN, np.int64)
    class_of[numbers[: len(recoded.codes)]] = recoded.classes
    classes: NDArray[np.int64] = class_of[numbers[len(recoded.codes) :]]
    return classes
