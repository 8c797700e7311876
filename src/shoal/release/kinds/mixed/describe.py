"""Gather what a report says of a release of a mixed table, from the frequency set and the recoding alone.

What is said of the single values comes from the view of any table (`release/kinds/tables/view.py`): the records with the same
values lie in one class. Raw counts go through the `tally` of tables, of sets and of mixed tables, which mask what
must not be shown.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shoal.attacks.mixed.every import attacks_on
from shoal.data.schema import Role
from shoal.errors import InternalError
from shoal.loss import MIXED_LOSSES
from shoal.loss.mixed.release import MixedRelease
from shoal.recoding.mixed.clusters import MixedRecoding
from shoal.release.attacking.rates import rates
from shoal.release.counting import by_class_size, by_items, by_support
from shoal.release.kinds.asked import Asked
from shoal.release.kinds.mixed.items import item_column, shown_items
from shoal.release.kinds.mixed.losses import loss_facts, losses_of
from shoal.release.kinds.mixed.published import left_open, stand_alone
from shoal.release.kinds.mixed.view import KNOWN, Both, SensitiveItems, by_tuple
from shoal.release.kinds.sets.published import public_labels
from shoal.release.kinds.tables.attack import by_class
from shoal.release.kinds.tables.drops import with_drops
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
    verdict_of,
)
from shoal.report import tally as common
from shoal.report.columns import ColumnFacts
from shoal.report.facts import Policy, Search
from shoal.report.mixed import facts as m
from shoal.report.mixed import tally as mixed_tally
from shoal.report.mixed.codebook import mixed_codebook
from shoal.report.mixed.words import sentences
from shoal.report.sets import tally as set_tally
from shoal.report.tables import tally

if TYPE_CHECKING:
    from shoal.attacks.attack import Todo
    from shoal.engines.engine import Engine, Written
    from shoal.methods.method import Decision
    from shoal.release.plan import Hierarchies, Plan
    from shoal.release.recipe.recipe import Recipe
    from shoal.verifier.verdict import Verdict


def describe_mixed(
    plan: Plan, engine: Engine, hierarchies: Hierarchies, decision: Decision, written: Written, verdict: Verdict
) -> Described:
    """Both editions of the report, the codebook and the losses."""
    recipe, recoding = plan.recipe, decision.recoding
    if not isinstance(recoding, MixedRecoding):
        raise InternalError("A recoding of one kind of columns was taken for one of a mixed table.")
    k, known = recipe.smallest_class, max(g.m or 0 for g in recipe.guarantees)
    columns = recoding.groups.columns
    private = {name: hierarchies.sensitive.get(name) for name in plan.schema.names(Role.SENSITIVE)}
    frequency = engine.frequency_set({name: hierarchies.quasi[name] for name in columns}, private)
    view = View.of(by_tuple(recoding.groups), frequency, stated_columns(plan), k)
    both, kept = Both(recoding), SensitiveItems.of(engine, plan, hierarchies, recoding, view)
    release = MixedRelease.of(recoding)
    losses = losses_of(release, columns, recipe.loss)
    chosen = recipe.loss_name
    threshold = None if recipe.context.threshold is None else str(recipe.context.threshold)
    sizes = by_class_size(view.recoded.class_sizes)
    risk = tally.risk(by_class_size(frequency.counts), sizes, k, threshold)
    facts = m.MixedFacts(
        kind="mixed",
        m=known,
        k=k,
        identity=identity_of(recipe, engine),
        verdict=verdict_of(verdict),
        records=records_of(recipe, written, decision.limit, engine, verdict),
        columns=_columns(plan, view),
        sets=tuple(
            item_column(plan, release, recoding, hierarchies, number, k) for number in range(len(recoding.columns))
        ),
        promises=promises_of(recipe),
        singled=singled_of(recipe, verdict),
        risk=risk,
        attackers=mixed_tally.attackers(
            risk, both.known_before, both.known_after, [items is not None and items <= known for items in KNOWN], k
        ),
        set_sizes=common.sizes(by_items(both.before), by_items(both.after), k),
        supports=set_tally.supports(by_support(both.before), by_support(both.after), k),
        losses=loss_facts(losses, chosen),
        search=Search(plan.method.title, MIXED_LOSSES[chosen].title, 0, 0, None, decision.seconds),
        distributions=tuple(view.distribution(c) for c in range(len(columns))),
        private_facts=tuple(view.private_fact(name, engine) for name in private),
        private_items=kept.facts,
        attacks=rates(_attacks(both, view, recipe, known), recipe),
        policy=Policy(recipe.missing),
        context=context_of(recipe),
    )
    facts = with_drops(facts, frequency)
    values = PublishedColumns(view, recipe)
    public = facts.public(
        values.facts(facts.columns),
        tally.published_risk(sizes, k, threshold),
        (*values.losses(recipe.loss.weights, k), left_open(both.after, recoding, hierarchies)),
        sets=tuple(
            replace(one, items=None, labels=public_labels(both.shown(number), one.labels, stand_alone(recoding)))
            for number, one in enumerate(facts.sets)
        ),
        attackers=tuple(replace(one, before=None) for one in facts.attackers),
        set_sizes=common.published_sizes(by_items(both.after), k),
        supports=set_tally.published_supports(by_support(both.after), k),
    )
    book = mixed_codebook(
        plan.schema,
        values.values(),
        shown_items(plan, both, hierarchies, kept),
        stated=stated_columns(plan),
        missing=recipe.missing,
    )
    return Described(plan, decision, facts, public, sentences(facts), book, losses, chosen)


def _attacks(both: Both, view: View, recipe: Recipe, known: int) -> Todo:
    """On what is published."""
    asked = Asked.of(recipe, 1 / recipe.smallest_class, recipe.population.size)
    sizes, crowds = view.recoded.class_sizes, list(zip(KNOWN, both.known_after, strict=True))
    private = by_class(view.recoded)
    return attacks_on(sizes[sizes > 0], private, crowds, asked.k, known, asked.l, asked.t, asked.population)


def _columns(plan: Plan, view: View) -> tuple[ColumnFacts, ...]:
    """All but the columns of sets."""
    position = {name: c for c, name in enumerate(view.columns)}
    facts = []
    for column in plan.schema:
        reason = plan.recipe.columns[column.name].reason
        if column.name in position:
            facts.append(view.facts(position[column.name], reason))
        elif column.role is not Role.QUASI:
            facts.append(ColumnFacts(column.name, ROLE_NAMES[column.role], reason))
    return tuple(facts)
