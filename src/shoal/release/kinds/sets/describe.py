"""Gather what a report says of a release of item sets, from the originals and the recoding alone.

Nothing here knows which method decided. Raw counts go through `shoal.report.sets.tally`, which masks what must not be shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.attacks.sets.crowds import MOST, Fitting, knowing, knowing_all
from shoal.attacks.sets.identities import identities_in_blocks, identities_on_a_ring
from shoal.attacks.sets.linkage import known_items
from shoal.data.schema import Role
from shoal.errors import InternalError
from shoal.kernels.distinct import distinct
from shoal.loss import SET_LOSSES
from shoal.loss.sets.release import Matched
from shoal.recoding.sets.items import LEFT_OUT, ItemRecoding
from shoal.recoding.sets.matching import AT_MOST, DIFFER, MatchingRecoding
from shoal.release.attacking.rates import rates
from shoal.release.counting import by_items, by_support, counted
from shoal.release.kinds.sets.losses import loss_facts, losses_of, losses_of_totals, totals_of
from shoal.release.kinds.sets.published import alike, of_labels, of_matching
from shoal.release.sidecars import (
    ROLE_NAMES,
    Described,
    context_of,
    identity_of,
    promises_of,
    records_of,
    singled_of,
    verdict_of,
)
from shoal.release.widths import mean_width, width_loss
from shoal.report import digits, tally
from shoal.report.columns import ColumnFacts
from shoal.report.facts import Policy, PrivateFact, Search
from shoal.report.sets import facts as s
from shoal.report.sets import tally as set_tally
from shoal.report.sets.codebook import label_column, matching_columns, set_codebook
from shoal.report.sets.words import sentences

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.attacks.attack import Attack
    from shoal.engines.engine import Engine, Recoding, Written
    from shoal.loss.sets.release import Sets
    from shoal.methods.method import Decision
    from shoal.release.kinds.sets.totals import SetTotals
    from shoal.release.plan import Plan
    from shoal.report.codebook import CodebookColumn
    from shoal.verifier.verdict import Verdict

_NAMED = 12  # labels or items in a picture


def describe_sets(plan: Plan, engine: Engine, decision: Decision, written: Written, verdict: Verdict) -> Described:
    """Both editions of the report, the codebook and the losses."""
    recipe, recoding, k = plan.recipe, decision.recoding, plan.recipe.smallest_class
    labels = matching = None
    after: tuple[Fitting | None, ...] = ()
    book_columns: tuple[CodebookColumn, ...]
    if isinstance(recoding, ItemRecoding):
        totals = totals_of(engine, recoding, written.records + written.suppressed)
        stated = recipe.columns[recoding.column].states_its_values
        labels, nodes = _labels(totals, recoding, k, stated=stated)
        book_columns = (label_column(recoding.column, recoding.hierarchy, nodes, stated=stated),)
        originals, published, known = totals.release.originals, totals.shown, max([g.m or 0 for g in recipe.guarantees])
        sizes, before, after = (totals.before, totals.after), totals.knowing_before, totals.knowing_after
        odds = [set_tally.public_odds(fitting, k) for fitting in after]
        losses, chosen = losses_of_totals(totals), "item-ncp"
    elif isinstance(recoding, MatchingRecoding):
        release = Matched.of(recoding)
        matching = _matching(release, recoding, k)
        name = recoding.column
        book_columns = matching_columns(name, f"{name}:{DIFFER}", f"{name}:{AT_MOST}")
        originals, published, known = release.originals, release.published, 0
        sizes, before = (by_items(originals), by_items(published)), _knowing(originals)
        average = _average_chance(recoding, matching.smallest)
        odds = [*[None] * MOST, s.Odds(matching.smallest, digits.up(average), 0, 0)]
        losses, chosen = losses_of(release), "er"
    else:
        raise InternalError("A recoding of a table was taken for one of item sets.")
    crowds = list(zip((*range(1, MOST + 1), None), after, strict=True)) if labels is not None else []
    facts = s.SetFacts(
        kind="sets",
        k=k,
        identity=identity_of(recipe, engine),
        verdict=verdict_of(verdict),
        records=records_of(recipe, written, decision.limit, engine, verdict),
        column=s.SetColumn(
            recoding.column,
            len(distinct(originals.items)),
            len(distinct(published.items)),
            recipe.columns[recoding.column].reason,
        ),
        columns=_others(plan),
        promises=promises_of(recipe),
        singled=singled_of(recipe, verdict),
        attackers=_attackers(before, odds, known, k),
        set_sizes=tally.sizes(*sizes, k),
        supports=set_tally.supports(by_support(originals), by_support(published), k),
        losses=loss_facts(losses, chosen),
        search=Search(plan.method.title, SET_LOSSES[chosen].title, 0, 0, None, decision.seconds),
        labels=labels,
        matching=matching,
        private_facts=_private_facts(plan, engine, recoding),
        attacks=rates(
            (
                ("known items", lambda: known_items(crowds, k, known)),
                ("known identities", lambda: _identities(recoding, k)),
            ),
            recipe,
        ),
        policy=Policy(recipe.missing),
        context=context_of(recipe),
    )
    public = _public(facts, recoding, published, sizes[1], stated=recipe.columns[recoding.column].states_its_values)
    return Described(
        plan, decision, facts, public, sentences(facts), set_codebook(plan.schema, book_columns), losses, chosen
    )


def _public(
    facts: s.SetFacts,
    recoding: ItemRecoding | MatchingRecoding,
    published: Sets,
    sizes: Mapping[int, int],
    *,
    stated: bool,
) -> s.SetFacts:
    """published: the labels that records show, or their bases; sizes: number of labels → records."""
    if facts.labels is not None and isinstance(recoding, ItemRecoding):
        hierarchy = recoding.hierarchy
        lost = mean_width([(hierarchy, stated)], published.items, published.weights)
        return facts.public(of_labels(facts, published, sizes, facts.labels, hierarchy.leaf_count), (width_loss(lost),))
    if facts.matching is not None and isinstance(recoding, MatchingRecoding):
        return facts.public(of_matching(facts, published, recoding, facts.matching), ())
    raise InternalError("A release of item sets shows neither labels nor bases.")


def _others(plan: Plan) -> tuple[ColumnFacts, ...]:
    return tuple(
        ColumnFacts(column.name, ROLE_NAMES[column.role], plan.recipe.columns[column.name].reason)
        for column in plan.schema
        if column.role is not Role.QUASI
    )


def _knowing(sets: Sets) -> tuple[Fitting | None, ...]:
    arrays = (sets.offsets, sets.items, sets.counts)
    return (*knowing(*arrays), knowing_all(*arrays))


def _attackers(
    before: Sequence[Fitting | None], after: Sequence[s.Odds | None], known: int, k: int
) -> tuple[s.Attacker, ...]:
    """before, after: of somebody who knows 1, 2, 3 items, and all. known: items that the promise speaks of; 0: all."""
    numbers = (*range(1, MOST + 1), None)
    promised = [not known or (items is not None and items <= known) for items in numbers]
    return set_tally.attackers(list(zip(numbers, before, strict=True)), after, promised, k)


def _labels(totals: SetTotals, recoding: ItemRecoding, k: int, *, stated: bool) -> tuple[s.LabelFacts, dict[int, int]]:
    """What became of the items; and the nodes that the release shows, in the order of the hierarchy, with how many records do."""
    leaves, hierarchy, release, shown = recoding.hierarchy.leaf_count, recoding.hierarchy, totals.release, totals.shown
    items, weights = release.originals.items, release.originals.weights
    ways = np.stack([release.nodes == items, release.nodes == LEFT_OUT, (release.nodes >= leaves)])
    met = np.stack([np.bincount(items[way], minlength=leaves) > 0 for way in ways])  # (ways, items)
    alone = met.sum(axis=0) == 1
    as_they_are, left_out, grouped = (int((met[way] & alone).sum()) for way in range(3))
    whole = int(weights.sum()) or 1
    records = np.bincount(shown.items, shown.weights, len(hierarchy.labels)).astype(np.int64)
    wide = [int(node) for node in np.argsort(-records, kind="stable") if node >= leaves and records[node]]
    bars = tuple(
        s.LabelBar(str(hierarchy.labels[node]), hierarchy.leaves_below(node) if stated else 0, int(records[node]))
        for node in wide[:_NAMED]
        if records[node] >= k
    )
    facts = s.LabelFacts(
        as_they_are,
        grouped,
        left_out,
        int((met.sum(axis=0) > 1).sum()),
        len(wide),
        digits.down(int(weights[ways[0]].sum()) / whole) if len(items) else 1.0,
        digits.up(int(weights[ways[1]].sum()) / whole),
        recoding.parts,
        bars,
    )
    nodes = np.flatnonzero(records)
    ordered = nodes[np.lexsort((-hierarchy.last[nodes], hierarchy.first[nodes]))]
    return facts, dict(zip(ordered.tolist(), records[ordered].tolist(), strict=True))


def _matching(release: Matched, recoding: MatchingRecoding, k: int) -> s.MatchingFacts:
    sizes, rows = recoding.class_sizes, recoding.rows
    ring = recoding.edges is not None
    candidates = _ring_candidates(recoding) if ring else sizes
    smallest, largest = int(candidates.min(initial=rows)), int(candidates.max(initial=1))
    joint = None
    if ring:
        from shoal.attacks.sets.ring import joint_knowledge

        joint = digits.up(joint_knowledge(rows, smallest))
    return s.MatchingFacts(
        mode=recoding.mode,
        classes=len(sizes),
        smallest=smallest,
        largest=largest,
        base_size=_mean(recoding.base.sizes, sizes),
        differ_size=_mean(recoding.differ.sizes, sizes),
        at_most=_mean(recoding.at_most.astype(np.int64), sizes),
        exact=int(sizes[recoding.at_most == 0].sum()),
        thresholds=set_tally.thresholds(counted(recoding.at_most, sizes)),
        frequent=_frequent(release, recoding, k),
        joint=joint,
    )


def _identities(recoding: ItemRecoding | MatchingRecoding, k: int) -> tuple[Attack, ...]:
    """Of a matching: what is learnt by those who know whose some records are."""
    if not isinstance(recoding, MatchingRecoding) or not recoding.rows:
        return ()
    if recoding.edges is None:
        return identities_in_blocks(np.array(alike(recoding), np.int64), k)
    return identities_on_a_ring(recoding.rows, k)


def _ring_candidates(recoding: MatchingRecoding) -> NDArray[np.int64]:
    """(originals,): published records that each record of an original may be."""
    if recoding.edges is None:
        raise InternalError("A matching in blocks has no edges of a ring.")
    number = len(recoding.sets)
    edges = np.bincount(recoding.edges.sets, recoding.edges.counts, number)
    records = np.bincount(recoding.members.sets, recoding.members.counts, number)
    return (edges / records).round().astype(np.int64)


def _average_chance(recoding: MatchingRecoding, smallest: int) -> float:
    """Mean over the records of 1 / the records that each may be."""
    return len(recoding.base) / recoding.rows if recoding.edges is None else 1 / smallest


def _frequent(release: Matched, recoding: MatchingRecoding, k: int) -> tuple[s.ItemBar, ...]:
    before, after = (
        np.bincount(sets.items, sets.weights, release.items).astype(np.int64)
        for sets in (release.originals, release.published)
    )
    first = np.argsort(-after, kind="stable")[:_NAMED].tolist()
    texts = recoding.sets.vocabulary
    return tuple(
        s.ItemBar(str(texts[item].as_py()), round(int(before[item]) / recoding.rows, 2), int(after[item]))
        for item in first
        # how few hold an item is not told, nor how few do not
        if min(before[item], after[item]) >= k and not 0 < recoding.rows - before[item] < k
    )


def _private_facts(plan: Plan, engine: Engine, recoding: Recoding) -> tuple[PrivateFact, ...]:
    """Of the records that show the same items. On a ring everyone may be records that show different ones: that says nothing."""
    if isinstance(recoding, MatchingRecoding) and recoding.mode == "ring":
        return ()
    alike = {name: engine.alike(name) for name in plan.schema.names(Role.SENSITIVE)}
    return tuple(PrivateFact(name, one.classes, one.alike, one.records) for name, one in alike.items())


def _mean(values: NDArray[np.int64], counts: NDArray[np.int64]) -> float:
    total = int(counts.sum())
    return digits.up(int((values * counts).sum()) / total) if total else 0.0
