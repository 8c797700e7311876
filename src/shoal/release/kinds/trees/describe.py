"""Gather what a report says of a release of trees, from the originals and the recoding alone.

Nothing here knows which method decided. No record of the data is drawn: what the report shows as an example is made up from the
hierarchies, and a value is named there only when a file or the recipe states it, or the release shows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.attacks.trees.every import fragments_on
from shoal.data.schema import Role
from shoal.errors import InternalError
from shoal.kernels.distinct import distinct
from shoal.loss import TREE_LOSSES
from shoal.recoding.trees.classes import TreeClassRecoding
from shoal.recoding.trees.rules import TreeRecoding
from shoal.release.attacking.rates import rates
from shoal.release.kinds.trees.losses import LOSS, loss_facts, losses_of, on_sample, totals_of, tree_release
from shoal.release.kinds.trees.made_up_record import example_of
from shoal.release.kinds.trees.published import mean_width_of_nodes, public_classes, public_recoding
from shoal.release.kinds.trees.risk import attackers_of
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
from shoal.release.widths import width_loss
from shoal.report import digits, tally
from shoal.report.columns import ColumnFacts
from shoal.report.facts import Policy, PrivateFact, Search
from shoal.report.trees import facts as t
from shoal.report.trees.codebook import public_rules, tree_codebook
from shoal.report.trees.words import sentences

if TYPE_CHECKING:
    from shoal.attacks.attack import Todo
    from shoal.engines.engine import Engine, Written
    from shoal.loss.trees.release import TreeRelease
    from shoal.methods.method import Decision
    from shoal.release.kinds.trees.totals import TreeTotals
    from shoal.release.plan import Hierarchies, Plan
    from shoal.verifier.verdict import Verdict

_ATTACKS = 400  # of each kind before a release; `shoal attack` makes more


def describe_trees(
    plan: Plan, engine: Engine, hierarchies: Hierarchies, decision: Decision, written: Written, verdict: Verdict
) -> Described:
    """Both editions of the report, the codebook and the losses."""
    recipe, recoding = plan.recipe, decision.recoding
    if not isinstance(recoding, TreeRecoding | TreeClassRecoding):
        raise InternalError("A recoding of something else was taken for one of trees.")
    k, stated = recipe.smallest_class, stated_columns(plan)
    release = tree_release(engine, hierarchies.quasi, recoding)
    totals = totals_of(engine, hierarchies.quasi, recoding, release)
    shown = held_nodes(totals)
    held = {name: list(nodes) for name, nodes in shown.items()}
    rules = recoding.to_json()
    m, n = max(g.m or 1 for g in recipe.guarantees), max(g.n or 0 for g in recipe.guarantees)
    pairwise = all(getattr(g, "mode", "strict") == "pairwise" for g in recipe.guarantees)
    losses = losses_of(release, totals)
    facts = t.TreeFacts(
        kind="trees",
        k=k,
        m=m,
        n=n,
        mode="pairwise" if pairwise else "strict",
        identity=identity_of(recipe, engine),
        verdict=verdict_of(verdict),
        records=records_of(recipe, written, decision.limit, engine, verdict),
        classes=_classes(plan, totals, hierarchies, k),
        columns=tuple(
            ColumnFacts(column.name, ROLE_NAMES[column.role], recipe.columns[column.name].reason)
            for column in plan.schema
            if column.role is not Role.QUASI
        ),
        promises=promises_of(recipe),
        singled=singled_of(recipe, verdict),
        apart=tuple(
            t.ApartPair(*upper, *lower)
            for upper, lower in public_rules(rules, recoding.hierarchies, held, stated)["apart"]
        ),
        out=tuple(
            t.ApartPair(*upper, *lower)
            for upper, lower in public_rules(rules, recoding.hierarchies, held, stated).get("out", [])
        ),
        relations_kept=_relations_kept(totals, k),
        attackers=attackers_of(release, k, m, n),
        sizes=tally.sizes(totals.before, totals.after, k),
        losses=loss_facts(losses, on_sample(release)),
        search=Search(plan.method.title, TREE_LOSSES[LOSS].title, 0, 0, None, decision.seconds),
        example=example_of(recoding, held, stated) if isinstance(recoding, TreeRecoding) else None,
        private_facts=_private_facts(plan, engine),
        attacks=rates(_attacks(release, k, m, n), recipe, public=False),
        policy=Policy(recipe.missing),
        context=context_of(recipe),
        tried=tried_of(decision),
    )
    stated_rules = public_recoding(recoding, held) if isinstance(recoding, TreeRecoding) else recoding
    public = facts.public(
        public_classes(totals, facts.classes),
        tally.published_sizes(totals.after, k),
        (width_loss(mean_width_of_nodes(totals, stated)),),
        example_of(stated_rules, held, stated) if isinstance(stated_rules, TreeRecoding) else None,
    )
    book = tree_codebook(plan.schema, recoding.hierarchies, shown, stated_rules.to_json(), stated=stated)
    return Described(plan, decision, facts, public, sentences(facts), book, losses, LOSS)


def _attacks(release: TreeRelease, k: int, m: int, n: int) -> Todo:
    """On all records; a sample would hide people in fewer than there are."""
    return fragments_on(release.shown, k, m, n, attacks=_ATTACKS) if release.originals.sampled_from is None else ()


def held_nodes(totals: TreeTotals) -> dict[str, dict[int, int]]:
    """By class, the nodes of its hierarchy that some published record shows, in the order of their values, with how many do."""
    by_class, start = {}, 0
    for name in totals.release.shape.names:
        hierarchy = totals.release.hierarchies[name]
        records = totals.holders[start : start + len(hierarchy.labels)]
        nodes = np.flatnonzero(records)
        ordered = nodes[np.lexsort((-hierarchy.last[nodes], hierarchy.first[nodes]))]
        by_class[name] = dict(zip(ordered.tolist(), records[ordered].tolist(), strict=True))
        start += len(hierarchy.labels)
    return by_class


def _classes(plan: Plan, totals: TreeTotals, hierarchies: Hierarchies, k: int) -> tuple[t.ClassFacts, ...]:
    release = totals.release
    originals, shows, weights = totals.became
    climbed, of = release.levels_of(originals, shows), release.class_of[originals]
    facts = []
    for number, one in enumerate(release.shape.classes):
        mine = of == number
        height = int(release.heights[number])  # the level of what is left out
        level, weight = climbed[mine], weights[mine]
        values, place = np.unique(originals[mine], return_inverse=True)
        lowest, highest = np.full(len(values), height), np.zeros(len(values), np.int64)  # where classes differ, ways do
        np.minimum.at(lowest, place, level)
        np.maximum.at(highest, place, level)
        whole = int(weight.sum())
        labels = shows[mine]
        levels = []
        for rung in distinct(level).tolist():
            nodes = int(weight[level == rung].sum())
            levels.append(
                t.ClassLevel(
                    None if rung == height else rung,
                    0 if rung == height else len(distinct(labels[level == rung])),
                    in_steps(nodes, whole, k, up=rung > 0),
                )
            )
        facts.append(
            t.ClassFacts(
                one.name,
                one.parent or "",
                len(values),
                len(distinct(labels[labels >= 0])),
                int((highest == 0).sum()),
                int(((lowest == highest) & (lowest > 0) & (lowest < height)).sum()),
                int((lowest == height).sum()),
                0 if one.name in hierarchies.unstated else release.hierarchies[one.name].height,
                tuple(levels),
                plan.recipe.columns[one.name].reason,
                int((lowest != highest).sum()),
                len(plan.recipe.columns[one.name].negated),
            )
        )
    return tuple(facts)


def _relations_kept(totals: TreeTotals, k: int) -> float:
    """Of all nodes with a node above, over all records."""
    whole, kept = totals.links
    return in_steps(kept, whole, k, up=False) if whole else 1.0


def in_steps(part: int, whole: int, k: int, *, up: bool) -> float:
    """A share of a whole that is not quite told: to the next k of them, so that no two shares are fewer apart."""
    if up:
        return min(1.0, digits.up(min(-(-part // k) * k, whole) / whole))
    return 1.0 if part == whole else digits.down(part // k * k / whole)


def _private_facts(plan: Plan, engine: Engine) -> tuple[PrivateFact, ...]:
    """Of the records that show the same tree."""
    alike = {name: engine.alike(name) for name in plan.schema.names(Role.SENSITIVE)}
    return tuple(PrivateFact(name, one.classes, one.alike, one.records) for name, one in alike.items())
