"""What became of the items of a mixed table, for the report and the codebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.recoding.mixed.clusters import LEFT_OUT
from shoal.recoding.tables.recoded import HIDDEN
from shoal.report import digits
from shoal.report.mixed.codebook import items_column
from shoal.report.mixed.facts import ItemColumn
from shoal.report.sets.facts import LabelBar, LabelFacts

if TYPE_CHECKING:
    from shoal.loss.mixed.release import MixedRelease
    from shoal.recoding.mixed.clusters import MixedRecoding
    from shoal.release.kinds.mixed.view import Both, SensitiveItems
    from shoal.release.plan import Hierarchies, Plan
    from shoal.report.codebook import CodebookColumn

_NAMED = 12  # labels in a picture


def item_column(
    plan: Plan, release: MixedRelease, recoding: MixedRecoding, hierarchies: Hierarchies, number: int, k: int
) -> ItemColumn:
    """What became of the items of one column. An item that is the only one of its label is shown as it is."""
    name = recoding.columns[number]
    spec = plan.recipe.columns[name]
    start, texts = recoding.vocabulary(number)
    originals, labels = release.items.originals, recoding.items.labels
    mine = (originals.items >= start) & (originals.items < start + len(texts))
    # suppressed records show nothing, which says nothing of their items
    mine &= np.repeat(recoding.groups.recoded.classes != HIDDEN, originals.sizes)
    items, shows, weights = originals.items[mine] - start, recoding.label_numbers[mine], originals.weights[mine]
    there = shows != LEFT_OUT
    alone = there & (np.append(labels.sizes, 0)[shows] == 1)
    ways = np.stack([alone, ~there, there & ~alone])
    met = np.stack([np.bincount(items[way], minlength=len(texts)) > 0 for way in ways])  # (ways, items)
    once = met.sum(axis=0) == 1
    as_they_are, left_out, grouped = (int((way & once).sum()) for way in met)
    published = release.items.shown
    records = np.bincount(published.items, published.weights, len(labels.labels)).astype(np.int64)
    records[recoding.items.columns != number] = 0
    wide = [
        label for label in np.argsort(-records, kind="stable").tolist() if records[label] and labels.sizes[label] > 1
    ]
    stated = spec.states_its_values
    bars = tuple(
        LabelBar(
            str(labels.labels[label]), _items_below(hierarchies, name, recoding, label, stated), int(records[label])
        )
        for label in wide[:_NAMED]
        if records[label] >= k
    )
    whole = int(weights.sum()) or 1
    facts = LabelFacts(
        as_they_are,
        grouped,
        left_out,
        int((met.sum(axis=0) > 1).sum()),
        len(wide),
        digits.down(int(weights[alone].sum()) / whole) if len(items) else 1.0,
        digits.up(int(weights[~there].sum()) / whole),
        max(1, len(recoding.groups.recoded.values)),
        bars,
    )
    kept = len(plan.schema.sensitive_items(name))
    return ItemColumn(name, int(met.any(axis=0).sum()), int((records > 0).sum()), facts, spec.reason, kept)


def _items_below(hierarchies: Hierarchies, name: str, recoding: MixedRecoding, label: int, stated: bool) -> int:
    """How many items a label may stand for, if that is no secret: it names them itself, or the recipe does. 0: not told."""
    labels = recoding.items.labels
    of_hierarchy = hierarchies.quasi[name].node(labels.labels[label]) is not None
    return int(labels.sizes[label]) if stated or not of_hierarchy else 0


def shown_items(plan: Plan, both: Both, hierarchies: Hierarchies, kept: SensitiveItems) -> tuple[CodebookColumn, ...]:
    """The columns of sets in the codebook: labels that some published record shows."""
    recoding, columns = both.recoding, []
    labels = recoding.items.labels
    for number, name in enumerate(recoding.columns):
        start, _ = recoding.vocabulary(number)
        hierarchy = hierarchies.quasi[name]
        values = [
            (str(labels.labels[label]), (labels.leaves_of(label) - start).astype(np.int32))
            for label in both.held(number)
        ]
        shown = both.shown(number)
        counts = np.bincount(shown.items, shown.weights, len(labels.labels)).astype(np.int64)
        columns.append(
            items_column(
                name,
                hierarchy,
                values,
                kept.shown.get(name, ()),
                stated=plan.recipe.columns[name].states_its_values,
                levels=0 if name in hierarchies.unstated else hierarchy.height,
                keeps=bool(plan.schema.sensitive_items(name)),
                records={str(labels.labels[label]): int(counts[label]) for label in both.held(number)},
            )
        )
    return tuple(columns)
