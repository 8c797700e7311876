"""Gather what a report says of a release of trees, from the originals and the recoding alone.

Nothing here knows which method decided. No record of the data is drawn: what the report shows as an example is made up from the
hierarchies, and a value is named there only when a file or the recipe states it, or the release shows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.data.schema import Role
from shoal.errors import InternalError
from shoal.kernels.distinct import distinct
from shoal.loss import TREE_LOSSES
from shoal.loss.trees import TreeRelease
from shoal.recoding.tree_classes import TreeClassRecoding
from shoal.recoding.trees import TreeRecoding
from shoal.release.counting import counted
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
from shoal.release.losses import tree_loss_facts, tree_losses_of
from shoal.release.tree_example import example_of
from shoal.release.tree_risk import attackers_of
from shoal.report import digits, set_tally
from shoal.report import facts as f
from shoal.report import tree_facts as t
from shoal.report.tree_codebook import public_rules, tree_codebook
from shoal.report.tree_words import sentences

if TYPE_CHECKING:
    from shoal.data.trees import Forest
    from shoal.engines.engine import Engine, Written
    from shoal.methods.method import Decision
    from shoal.release.plan import Hierarchies, Plan
    from shoal.verify.verdict import Verdict

LOSS = "tree-loss"  # that is to be small


def describe_trees(
    plan: Plan, engine: Engine, hierarchies: Hierarchies, decision: Decision, written: Written, verdict: Verdict
) -> Described:
    recipe, recoding = plan.recipe, decision.recoding
    if not isinstance(recoding, TreeRecoding | TreeClassRecoding):
        raise InternalError("A recoding of something else was taken for one of trees.")
    k, stated = recipe.smallest_class, stated_columns(plan)
    if isinstance(recoding, TreeRecoding):
        release = TreeRelease.of(
            recoding, engine.forest({name: hierarchies.quasi[name] for name in recoding.shape.names})
        )
    else:
        release = TreeRelease.of_classes(recoding)
    held = held_nodes(release)
    rules = recoding.to_json()
    m, n = (max(getattr(g, name, least) for g in recipe.guarantees) for name, least in (("m", 1), ("n", 0)))
    pairwise = all(getattr(g, "mode", "strict") == "pairwise" for g in recipe.guarantees)
    losses = tree_losses_of(release)
    facts = t.TreeFacts(
        kind="trees",
        k=k,
        m=m,
        n=n,
        mode="pairwise" if pairwise else "strict",
        identity=identity_of(recipe, engine),
        verdict=verdict_of(verdict),
        records=records_of(recipe, written, decision.limit),
        classes=_classes(plan, release, hierarchies, k),
        columns=tuple(
            f.ColumnFacts(column.name, ROLE_NAMES[column.role], recipe.columns[column.name].reason)
            for column in plan.schema
            if column.role is not Role.QUASI
        ),
        promises=promises_of(recipe),
        apart=tuple(
            t.ApartPair(*upper, *lower)
            for upper, lower in public_rules(rules, recoding.hierarchies, held, stated)["apart"]
        ),
        relations_kept=_relations_kept(release, k),
        attackers=attackers_of(release, k, m, n),
        sizes=set_tally.set_sizes(_by_nodes(release.originals), _by_nodes(release.shown), k),
        losses=tree_loss_facts(losses, LOSS),
        search=f.Search(plan.method.title, TREE_LOSSES[LOSS].title, 0, 0, None, decision.seconds),
        example=example_of(recoding, held, stated) if isinstance(recoding, TreeRecoding) else None,
        private_facts=_private_facts(plan, engine),
        policy=f.Policy(recipe.missing),
        context=context_of(recipe),
        tried=tried_of(decision),
    )
    book = tree_codebook(plan.schema, recoding.hierarchies, held, rules, stated=stated)
    return Described(plan, decision, facts, sentences(facts), book, losses, LOSS)


def held_nodes(release: TreeRelease) -> dict[str, list[int]]:
    """By class, the nodes of its hierarchy that some published record shows, in the order of their values."""
    found = distinct(release.shown.labels)
    made, start = {}, 0
    for name in release.shape.names:
        tree = release.hierarchies[name]
        nodes = found[(found >= start) & (found < start + len(tree.labels))] - start
        made[name] = nodes[np.lexsort((-tree.last[nodes], tree.first[nodes]))].tolist()
        start += len(tree.labels)
    return made


def _classes(plan: Plan, release: TreeRelease, hierarchies: Hierarchies, k: int) -> tuple[t.ClassFacts, ...]:
    weights = np.repeat(release.originals.records, np.diff(release.originals.offsets))
    of = release.class_of[release.originals.labels]
    made = []
    for number, one in enumerate(release.shape.classes):
        mine = of == number
        height = int(release.heights[number])  # the level of what is left out
        level, weight = release.climbed[mine], weights[mine]
        values, place = np.unique(release.originals.labels[mine], return_inverse=True)
        lowest, highest = np.full(len(values), height), np.zeros(len(values), np.int64)  # where classes differ, ways do
        np.minimum.at(lowest, place, level)
        np.maximum.at(highest, place, level)
        whole = int(weight.sum())
        shown = release.shows[mine]
        levels = []
        for rung in distinct(level).tolist():
            nodes = int(weight[level == rung].sum())
            levels.append(
                t.ClassLevel(
                    None if rung == height else rung,
                    0 if rung == height else len(distinct(shown[level == rung])),
                    in_steps(nodes, whole, k, up=rung > 0),
                )
            )
        made.append(
            t.ClassFacts(
                one.name,
                one.parent or "",
                len(values),
                len(distinct(shown[shown >= 0])),
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
    return tuple(made)


def _relations_kept(release: TreeRelease, k: int) -> float:
    """Of all nodes with a node above, over all records."""
    records = np.repeat(release.originals.records, np.diff(release.originals.offsets))
    weights = np.repeat(records, np.diff(release.starts))
    whole = int(weights.sum())
    return in_steps(int(weights[release.kept].sum()), whole, k, up=False) if whole else 1.0


def in_steps(part: int, whole: int, k: int, *, up: bool) -> float:
    """A share of a whole that is not quite told: to the next k of them, so that no two shares are fewer apart."""
    if up:
        return min(1.0, digits.up(min(-(-part // k) * k, whole) / whole))
    return 1.0 if part == whole else digits.down(part // k * k / whole)


def _by_nodes(forest: Forest) -> dict[int, int]:
    """Number of nodes → records."""
    return counted(np.diff(forest.offsets), forest.records)


def _private_facts(plan: Plan, engine: Engine) -> tuple[f.PrivateFact, ...]:
    """Of the records that show the same tree."""
    found = {name: engine.alike(name) for name in plan.schema.names(Role.SENSITIVE)}
    return tuple(f.PrivateFact(name, one.classes, one.alike, one.records) for name, one in found.items())
