"""Gather what a report says of a release, from the frequency set and the recoding alone.

Nothing here knows which method decided. Raw counts go through `shoal.report.tally`, which masks what must not be shown, and
figures worked out from the raw records through `shoal.report.digits`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.data.schema import Role
from shoal.errors import InternalError
from shoal.loss import LOSSES
from shoal.recoding.levels import LevelRecoding
from shoal.release.counting import by_class_size
from shoal.release.described import (
    ROLE_NAMES,
    Described,
    context_of,
    identity_of,
    promises_of,
    records_of,
    stated_columns,
    tried_of,
    verdict_of,
)
from shoal.release.losses import loss_facts, losses_of
from shoal.release.view import View
from shoal.report import digits, tally
from shoal.report import facts as f
from shoal.report.codebook import codebook
from shoal.report.masking import mask
from shoal.report.why import sentences

if TYPE_CHECKING:
    from shoal.engines.engine import Engine, Written
    from shoal.methods.method import Decision
    from shoal.release.plan import Hierarchies, Plan
    from shoal.verify.verdict import Verdict

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
    recipe, recoding = plan.recipe, decision.table_recoding
    k = recipe.smallest_class
    private = {name: hierarchies.sensitive.get(name) for name in plan.schema.names(Role.SENSITIVE)}
    frequency = engine.frequency_set(hierarchies.quasi, private)
    view = View.of(recoding, frequency, stated_columns(plan), k)
    threshold = recipe.context.threshold
    losses = losses_of(view.recoded, recoding.columns, recipe.loss, k)
    facts = f.Facts(
        k=k,
        identity=identity_of(recipe, engine),
        verdict=verdict_of(verdict),
        records=records_of(recipe, written, decision.limit),
        columns=_columns(plan, view),
        promises=promises_of(recipe),
        risk=tally.risk(
            by_class_size(frequency.counts),
            by_class_size(view.recoded.class_sizes),
            k,
            str(threshold) if threshold is not None else None,
        ),
        losses=loss_facts(losses, recipe.loss.name),
        search=f.Search(
            plan.method.title,
            LOSSES[recipe.loss.name].title,
            decision.evaluated,
            decision.lattice,
            _gap(decision),
            decision.seconds,
        ),
        distributions=tuple(view.distribution(c) for c in range(len(recoding.columns))),
        why=_why(decision, view, k, str(recipe.suppression.limit)),
        tried=tried_of(decision),
        floor=_floor(decision, floor),
        private_facts=tuple(view.private_fact(name, engine) for name in private),
        policy=f.Policy(recipe.missing),
        context=context_of(recipe),
    )
    published = {name: view.published(c) for c, name in enumerate(recoding.columns)}
    book = codebook(plan.schema, published, stated=stated_columns(plan), missing=recipe.missing)
    return Described(plan, decision, facts, sentences(facts), book, losses, recipe.loss.name)


def _columns(plan: Plan, view: View) -> tuple[f.ColumnFacts, ...]:
    position = {name: c for c, name in enumerate(view.columns)}
    made = []
    for column in plan.schema:
        reason = plan.recipe.columns[column.name].reason
        if column.role is Role.QUASI:
            made.append(view.facts(position[column.name], reason))
        else:
            made.append(f.ColumnFacts(column.name, ROLE_NAMES[column.role], reason))
    return tuple(made)


def _why(decision: Decision, view: View, k: int, limit: str) -> f.Why:
    """What a step finer of one column costs, and what more suppression buys; both speak of levels of whole columns."""
    recoding = decision.recoding
    if not isinstance(recoding, LevelRecoding):
        return f.Why()
    position = {name: c for c, name in enumerate(recoding.columns)}
    finer = []
    for reason in decision.reasons:
        c = position[reason.column]
        labels = recoding.labels(c)
        small = {labels[group]: records for group, records in enumerate(reason.failing_by_group) if records}
        published = dict(zip(labels, view.recoded.records(c).tolist(), strict=True))
        finer.append(tally.finer(reason.column, small, published, k))
    points = [f.TradeOff(limit, digits.lost(float(decision.loss)), mask(decision.suppressed, k), recoding.levels)]
    points += [
        f.TradeOff(f"{t.limit:g}", digits.lost(t.loss), mask(t.suppressed, k), t.levels) for t in decision.tradeoffs
    ]
    return f.Why(tuple(finer), tuple(points))


def _gap(decision: Decision) -> float | None:
    if not decision.lattice:
        return None
    return 0.0 if decision.optimal else digits.gap(float(decision.loss), decision.bound)


def _floor(decision: Decision, floor: float | None) -> f.Floor | None:
    """A floor of 0 says nothing of a release that loses something."""
    loss = float(decision.loss)
    if floor is None or (floor <= 0 < loss):
        return None
    if floor > loss * (1 + _ROUNDING):
        raise InternalError("A release was found that loses less than was proved possible; nothing was published.")
    return f.Floor(digits.down(floor), digits.above(loss, floor), _HOW_PROVED)
