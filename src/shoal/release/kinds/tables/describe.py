"""Gather what a report says of a release, from the frequency set and the recoding alone.

Nothing here knows which method decided. Raw counts go through `shoal.report.tables.tally`, which masks what must not be shown, and
figures worked out from the raw records through `shoal.report.digits`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.attacks.downcoding import downcoding
from shoal.attacks.tables.every import attacks_on
from shoal.data.schema import Role
from shoal.errors import InternalError
from shoal.loss import LOSSES
from shoal.methods.tables.problem import table_recoding
from shoal.recoding.tables.levels import LevelRecoding
from shoal.recoding.tables.recoded import HIDDEN
from shoal.release.attacking.rates import rates
from shoal.release.counting import by_class_size
from shoal.release.kinds.asked import Asked
from shoal.release.kinds.tables.attack import by_class
from shoal.release.kinds.tables.drops import with_drops
from shoal.release.kinds.tables.journalist import journalist_on
from shoal.release.kinds.tables.losses import loss_facts, losses_of
from shoal.release.kinds.tables.published import PublishedColumns
from shoal.release.kinds.tables.view import View
from shoal.release.sidecars import (
    ROLE_NAMES,
    Described,
    context_of,
    identity_of,
    promises_of,
    records_of,
    singled_of,
    stated_columns,
    tried_of,
    verdict_of,
)
from shoal.report import digits
from shoal.report.columns import ColumnFacts
from shoal.report.facts import Floor, Policy, Search
from shoal.report.masking import mask
from shoal.report.tables import tally
from shoal.report.tables.codebook import codebook
from shoal.report.tables.facts import Facts
from shoal.report.tables.figures import TradeOff, Why
from shoal.report.tables.words import sentences

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.attacks.attack import Todo
    from shoal.engines.engine import Engine, Written
    from shoal.methods.method import Decision
    from shoal.release.plan import Hierarchies, Plan
    from shoal.release.recipe.recipe import Recipe
    from shoal.verifier.verdict import Verdict

_HOW_PROVED = (
    "Each record has to share all its published values with at least k − 1 others. For every record the cheapest values that k "
    "records could share were found; the sum of what they cost is what every release loses at least."
)
_ROUNDING = 1e-9  # by which a bound in floats may pass the exact loss


def describe(
    plan: Plan,
    engine: Engine,
    hierarchies: Hierarchies,
    decision: Decision,
    written: Written,
    verdict: Verdict,
    *,
    floor: float | None = None,
) -> Described:
    """floor: no recoding of these records along the hierarchies that keeps to k loses less, by the recipe's loss."""
    recipe, recoding = plan.recipe, table_recoding(decision)
    k = recipe.smallest_class
    private = {name: hierarchies.sensitive.get(name) for name in plan.schema.names(Role.SENSITIVE)}
    frequency = engine.frequency_set(hierarchies.quasi, private)
    view = View.of(recoding, frequency, stated_columns(plan), k)
    threshold = None if recipe.context.threshold is None else str(recipe.context.threshold)
    sizes_of = view.recoded.class_sizes
    sizes = by_class_size(sizes_of)
    losses = losses_of(view.recoded, recoding.columns, recipe.loss, k)
    journalist = journalist_on(recipe, view, threshold)
    facts = Facts(
        k=k,
        identity=identity_of(recipe, engine),
        verdict=verdict_of(verdict),
        records=records_of(recipe, written, decision.limit, engine, verdict),
        columns=_columns(plan, view),
        promises=promises_of(recipe),
        singled=singled_of(recipe, verdict),
        risk=tally.risk(by_class_size(frequency.counts), sizes, k, threshold, journalist.facts),
        losses=loss_facts(losses, recipe.loss.name),
        search=Search(
            plan.method.title,
            LOSSES[recipe.loss.name].title,
            decision.evaluated,
            decision.lattice,
            _gap(decision),
            decision.seconds,
            _minimality(recipe),
        ),
        distributions=tuple(view.distribution(c) for c in range(len(recoding.columns))),
        why=_why(decision, view, k, str(recipe.suppression.limit)),
        tried=tried_of(decision),
        floor=_floor(decision, floor),
        private_facts=tuple(view.private_fact(name, engine) for name in private),
        attacks=rates((*_attacks(view, sizes_of, recipe), *journalist.todo), recipe),
        policy=Policy(recipe.missing),
        context=context_of(recipe),
    )
    facts = with_drops(facts, frequency)
    columns = PublishedColumns(view, recipe)
    public = facts.public(
        columns.facts(facts.columns),
        tally.published_risk(sizes, k, threshold),
        columns.losses(recipe.loss.weights, k),
    )
    book = codebook(plan.schema, columns.values(), stated=stated_columns(plan), missing=recipe.missing)
    return Described(plan, decision, facts, public, sentences(facts), book, losses, recipe.loss.name)


def _minimality(recipe: Recipe) -> str:
    """Whether what is published was chosen by looking at private values."""
    if all(guarantee.sensitive is None for guarantee in recipe.guarantees) and recipe.loss.column is None:
        return ""
    return recipe.method.minimality or "steered"


def _attacks(view: View, sizes: NDArray[np.int64], recipe: Recipe) -> Todo:
    """On the classes as they are published; and what the custodian is told: how far the blur can be undone."""
    asked = Asked.of(recipe, 1 / recipe.smallest_class, recipe.population.size)
    recoded = view.recoded
    published = sizes[sizes > 0]
    todo = attacks_on(published, by_class(recoded), asked.k, asked.l, asked.t, asked.population)
    shown = recoded.classes != HIDDEN
    if not shown.any():
        return todo
    groups, counts = recoded.classes[shown].astype(np.int64), recoded.counts[shown]
    most = int(recoded.counts.max())
    return (*todo, ("downcoding", lambda: (downcoding(groups, counts, most),)))


def _columns(plan: Plan, view: View) -> tuple[ColumnFacts, ...]:
    position = {name: c for c, name in enumerate(view.columns)}
    facts = []
    for column in plan.schema:
        reason = plan.recipe.columns[column.name].reason
        if column.role is Role.QUASI:
            facts.append(view.facts(position[column.name], reason))
        else:
            facts.append(ColumnFacts(column.name, ROLE_NAMES[column.role], reason))
    return tuple(facts)


def _why(decision: Decision, view: View, k: int, limit: str) -> Why:
    """What a step finer of one column costs, and what more suppression buys; both speak of levels of whole columns."""
    recoding = decision.recoding
    if not isinstance(recoding, LevelRecoding):
        return Why()
    position = {name: c for c, name in enumerate(recoding.columns)}
    finer = []
    for reason in decision.reasons:
        c = position[reason.column]
        labels = recoding.labels(c)
        small = {labels[group]: records for group, records in enumerate(reason.failing_by_group) if records}
        published = dict(zip(labels, view.recoded.records(c).tolist(), strict=True))
        finer.append(tally.finer(reason.column, small, published, k))
    points = [TradeOff(limit, digits.lost(float(decision.loss)), mask(decision.suppressed, k), recoding.levels)]
    points += [
        TradeOff(f"{t.limit:g}", digits.lost(t.loss), mask(t.suppressed, k), t.levels) for t in decision.tradeoffs
    ]
    return Why(tuple(finer), tuple(points))


def _gap(decision: Decision) -> float | None:
    if not decision.lattice:
        return None
    return 0.0 if decision.optimal else digits.gap(float(decision.loss), decision.bound)


def _floor(decision: Decision, floor: float | None) -> Floor | None:
    """A floor of 0 says nothing of a release that loses something."""
    loss = float(decision.loss)
    if floor is None or (floor <= 0 < loss):
        return None
    if floor > loss * (1 + _ROUNDING):
        raise InternalError("A release was found that loses less than was proved possible; nothing was published.")
    return Floor(digits.down(floor), digits.above(loss, floor), _HOW_PROVED)
