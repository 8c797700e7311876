"""Gather what a report says of a release of single values beside item sets, from the frequency set and the recoding alone.

What is said of the single values comes from the view of any table (`release/view.py`): the
records with the same values lie in one class. Raw counts go through `shoal.report.tally`, `set_tally` and `mixed_tally`, which mask
what must not be shown.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from shoal.attacks.known_both import knowing_both, knowing_both_all
from shoal.data.schema import Role
from shoal.engines.parts import Parts
from shoal.errors import InternalError
from shoal.kernels.distinct import distinct
from shoal.loss import MIXED_LOSSES
from shoal.loss.mixed import MixedRelease
from shoal.loss.sets import Sets
from shoal.recoding.groups import GroupRecoding
from shoal.recoding.mixed import LEFT_OUT, MixedRecoding
from shoal.recoding.recoded import HIDDEN
from shoal.release.counting import by_class_size, by_items, by_support
from shoal.release.described import (
    ROLE_NAMES,
    Described,
    context_of,
    identity_of,
    promises_of,
    records_of,
    stated_columns,
    verdict_of,
)
from shoal.release.losses import mixed_loss_facts, mixed_losses_of
from shoal.release.mixed_originals import MixedOriginals, numbered
from shoal.release.recipe_mixed import loss_for_both
from shoal.release.view import View
from shoal.report import digits, mixed_tally, set_tally, tally
from shoal.report import facts as f
from shoal.report import mixed_facts as m
from shoal.report import set_facts as s
from shoal.report.mixed_codebook import items_column, mixed_codebook
from shoal.report.mixed_words import sentences

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.attacks.known_items import Fitting
    from shoal.engines.engine import Engine, Written
    from shoal.methods.method import Decision
    from shoal.release.plan import Hierarchies, Plan
    from shoal.report.codebook import CodebookColumn
    from shoal.verify.verdict import Verdict

_NAMED = 12  # labels in a picture


def describe_mixed(
    plan: Plan, engine: Engine, hierarchies: Hierarchies, decision: Decision, written: Written, verdict: Verdict
) -> Described:
    recipe, recoding = plan.recipe, decision.recoding
    if not isinstance(recoding, MixedRecoding):
        raise InternalError("A recoding of one kind of columns was taken for one of single values beside item sets.")
    k, known = recipe.smallest_class, max(getattr(g, "m", 0) for g in recipe.guarantees)
    columns = recoding.groups.columns
    private = {name: hierarchies.sensitive.get(name) for name in plan.schema.names(Role.SENSITIVE)}
    frequency = engine.frequency_set({name: hierarchies.quasi[name] for name in columns}, private)
    view = View.of(by_tuple(recoding.groups), frequency, stated_columns(plan), k)
    both, kept = Both(recoding), _Kept.of(engine, plan, hierarchies, recoding, view)
    release = MixedRelease.of(recoding)
    losses = mixed_losses_of(release, columns, recipe.loss)
    chosen = loss_for_both(recipe)
    threshold = recipe.context.threshold
    risk = tally.risk(
        by_class_size(frequency.counts),
        by_class_size(view.recoded.class_sizes),
        k,
        str(threshold) if threshold is not None else None,
    )
    facts = m.MixedFacts(
        kind="mixed",
        m=known,
        k=k,
        identity=identity_of(recipe, engine),
        verdict=verdict_of(verdict),
        records=records_of(recipe, written, decision.limit),
        columns=_columns(plan, view),
        sets=tuple(
            _item_column(plan, release, recoding, hierarchies, number, k) for number in range(len(recoding.columns))
        ),
        promises=promises_of(recipe),
        risk=risk,
        attackers=mixed_tally.attackers(
            risk, both.known_before, both.known_after, [items is not None and items <= known for items in _KNOWN], k
        ),
        set_sizes=set_tally.set_sizes(by_items(both.before), by_items(both.after), k),
        supports=set_tally.supports(by_support(both.before), by_support(both.after), k),
        losses=mixed_loss_facts(losses, chosen),
        search=f.Search(plan.method.title, MIXED_LOSSES[chosen].title, 0, 0, None, decision.seconds),
        distributions=tuple(view.distribution(c) for c in range(len(columns))),
        private_facts=tuple(view.private_fact(name, engine) for name in private),
        private_items=kept.facts,
        policy=f.Policy(recipe.missing),
        context=context_of(recipe),
    )
    book = mixed_codebook(
        plan.schema,
        {name: view.published(c) for c, name in enumerate(columns)},
        _shown_items(plan, both, hierarchies, kept),
        stated=stated_columns(plan),
        missing=recipe.missing,
    )
    return Described(plan, decision, facts, sentences(facts), book, losses, chosen)


def by_tuple(groups: GroupRecoding) -> GroupRecoding:
    """The same classes, with records of the same single values in one part whatever their items."""
    parts = Parts.of(groups.recoded)
    if not parts.alone.all():
        raise InternalError("Records with the same single values are in different classes; nothing was published.")
    recoded = replace(groups.recoded, codes=parts.codes, counts=parts.counts, classes=parts.classes)
    return GroupRecoding(groups.columns, recoded)


_KNOWN = (0, 1, 2, 3, None)  # items that somebody knows beside all single values; None: all


@dataclass(frozen=True, eq=False)
class Both:
    """Values and items of the records, before and after: as classes of equal values, and the items of each part."""

    recoding: MixedRecoding

    @property
    def counts(self) -> NDArray[np.int64]:
        return self.recoding.groups.recoded.counts

    @cached_property
    def published(self) -> NDArray[np.int64]:
        """Numbers of the parts that are."""
        return np.flatnonzero(self.recoding.groups.recoded.classes != HIDDEN)

    @cached_property
    def before(self) -> Sets:
        sets = self.recoding.sets
        return Sets(sets.offsets, sets.items, self.counts)

    @cached_property
    def after(self) -> Sets:
        """Of published records the labels that they show, by number."""
        shown = self.recoding.shown.take(self.published)
        return Sets(shown.offsets, shown.items, self.counts[self.published])

    @cached_property
    def known_before(self) -> list[tuple[int | None, Fitting | None]]:
        return list(zip(_KNOWN, _found(numbered(self.recoding.groups.recoded.codes), self.before), strict=True))

    @cached_property
    def known_after(self) -> list[Fitting | None]:
        classes = self.recoding.groups.recoded.classes[self.published].astype(np.int64)
        return _found(classes, self.after)

    def held(self, number: int) -> list[int]:
        """Labels of a column that some published record shows."""
        shown = distinct(self.after.items)
        mine: list[int] = shown[self.recoding.items.columns[shown] == number].tolist()
        return mine


def _found(classes: NDArray[np.int64], sets: Sets) -> list[Fitting | None]:
    arrays = (classes, sets.offsets, sets.items, sets.counts)
    return [*knowing_both(*arrays), knowing_both_all(*arrays)]


def _columns(plan: Plan, view: View) -> tuple[f.ColumnFacts, ...]:
    """All but the columns of sets."""
    position = {name: c for c, name in enumerate(view.columns)}
    made = []
    for column in plan.schema:
        reason = plan.recipe.columns[column.name].reason
        if column.name in position:
            made.append(view.facts(position[column.name], reason))
        elif column.role is not Role.QUASI:
            made.append(f.ColumnFacts(column.name, ROLE_NAMES[column.role], reason))
    return tuple(made)


def _item_column(
    plan: Plan, release: MixedRelease, recoding: MixedRecoding, hierarchies: Hierarchies, number: int, k: int
) -> m.ItemColumn:
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
    shown = release.items.shown
    records = np.bincount(shown.items, shown.weights, len(labels.labels)).astype(np.int64)
    records[recoding.items.columns != number] = 0
    wide = [
        label for label in np.argsort(-records, kind="stable").tolist() if records[label] and labels.sizes[label] > 1
    ]
    told = spec.states_its_values
    bars = tuple(
        s.LabelBar(
            str(labels.labels[label]), _told_items(hierarchies, name, recoding, label, told), int(records[label])
        )
        for label in wide[:_NAMED]
        if records[label] >= k
    )
    whole = int(weights.sum()) or 1
    facts = s.LabelFacts(
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
    return m.ItemColumn(name, int(met.any(axis=0).sum()), int((records > 0).sum()), facts, spec.reason, kept)


def _told_items(hierarchies: Hierarchies, name: str, recoding: MixedRecoding, label: int, stated: bool) -> int:
    """How many items a label may stand for, if that is no secret: it names them itself, or the recipe does. 0: not told."""
    labels = recoding.items.labels
    of_hierarchy = hierarchies.quasi[name].node(labels.labels[label]) is not None
    return int(labels.sizes[label]) if stated or not of_hierarchy else 0


def _shown_items(plan: Plan, both: Both, hierarchies: Hierarchies, kept: _Kept) -> tuple[CodebookColumn, ...]:
    recoding, made = both.recoding, []
    labels = recoding.items.labels
    for number, name in enumerate(recoding.columns):
        start, _ = recoding.vocabulary(number)
        hierarchy = hierarchies.quasi[name]
        held = [
            (str(labels.labels[label]), (labels.leaves_of(label) - start).astype(np.int32))
            for label in both.held(number)
        ]
        made.append(
            items_column(
                name,
                hierarchy,
                held,
                kept.shown.get(name, ()),
                stated=plan.recipe.columns[name].states_its_values,
                levels=0 if name in hierarchies.unstated else hierarchy.height,
                keeps=bool(plan.schema.sensitive_items(name)),
            )
        )
    return tuple(made)


@dataclass(frozen=True, eq=False)
class _Kept:
    """What is published of sensitive items."""

    facts: tuple[f.PrivateFact, ...] = ()
    shown: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, engine: Engine, plan: Plan, hierarchies: Hierarchies, recoding: MixedRecoding, view: View) -> _Kept:
        kept = {name: items for name in recoding.columns if (items := plan.schema.sensitive_items(name))}
        if not kept:
            return cls()
        values = {name: hierarchies.quasi[name] for name in recoding.groups.columns}
        held = MixedOriginals.of(engine, values, kept)
        classes = _classes(view, held)
        sizes, row = view.recoded.class_sizes, np.repeat(np.arange(len(held.counts)), np.diff(held.offsets))
        published = classes[row] != HIDDEN
        row, item = row[published], held.items[published]
        width = sum(map(len, kept.values()))
        holding = np.bincount(classes[row] * width + item, held.counts[row], len(sizes) * width).astype(np.int64)
        holding = holding.reshape(len(sizes), width)  # (classes, items): records
        facts, shown, start = [], {}, 0
        for name, items in kept.items():
            mine = holding[:, start : start + len(items)]
            same = (mine == sizes[:, None]).any(axis=1) & (sizes > 0)
            facts.append(f.PrivateFact(name, len(sizes), int(same.sum()), int(sizes[same].sum())))
            shown[name] = [item for item, records in zip(items, mine.sum(axis=0).tolist(), strict=True) if records]
            start += len(items)
        return cls(tuple(facts), shown)


def _classes(view: View, held: MixedOriginals) -> NDArray[np.int64]:
    """(rows,): the class that shows the values of each."""
    recoded = view.recoded
    numbers = numbered(np.concatenate([recoded.codes, held.values]))
    class_of = np.full(int(numbers.max(initial=-1)) + 1, HIDDEN, np.int64)
    class_of[numbers[: len(recoded.codes)]] = recoded.classes
    found: NDArray[np.int64] = class_of[numbers[len(recoded.codes) :]]
    return found
