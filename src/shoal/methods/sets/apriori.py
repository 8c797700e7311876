"""Method `apriori`: items are generalized along a hierarchy until any m of them together are held by k records (k^m-anonymity).

After the Apriori-based anonymization AA of Terrovitis, Mamoulis and Kalnis (VLDB 2008): one cut through the hierarchy for all
records, found from combinations of 1, 2, …, m nodes, the larger ones counted for what the smaller ones have left. AA starts
with the raw items and generalizes what is too rare; here the cut starts at the root and nodes are opened as long as nothing
becomes too rare (`descent.py`). That tries each node once, counts only near the cut, and leaves no node that could be opened.
On samples of four sets the two lost the same in seven cases of nine, and in the others once more and once less.

Where the papers are silent or wrong: what is minimized is item NCP, 0 for an item shown as it is, else the share of all items
that its label stands for, summed over the items of all records (ERRATA 001-6). Fewer than k records with any item cannot be
helped by generalizing (001-8): that is refused, unless items may be left out; then none is published. l^m-diversity is not
monotone (001-12): it is looked at in every round, and refused if the root breaks it.

It depends on counts alone, so the recoding is the same on every engine.
"""

from __future__ import annotations

import time
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow as pa

from shoal.data.combinations import EVERY, UNKNOWN, NodeSupports
from shoal.data.hidden import known_counts
from shoal.errors import DataError, Infeasible, RecipeError
from shoal.methods.keys import key_problems
from shoal.methods.method import Decision, Listener, Progress
from shoal.methods.sets.descent import ItemTree, descend
from shoal.methods.sets.local_parts import local_parts
from shoal.methods.sets.problem import SetProblem
from shoal.methods.sets.promise import Breaks, EngineSource, Promise, root_breaks
from shoal.recoding.sets.items import LEFT_OUT, ItemRecoding

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from shoal.data.schema import Kind
    from shoal.engines.engine import Engine
    from shoal.hierarchies.hierarchy import Hierarchy


class Apriori:
    """One cut for all records, or one for each part of them."""

    name: ClassVar[str] = "apriori"
    kind: ClassVar[Kind] = "sets"
    title: ClassVar[str] = "Apriori-based generalization of items"
    keys: ClassVar[Mapping[str, str]] = {
        "local": "true: records are divided by what they hold, and each part has a cut of its own, if that loses less",
        "leave_out": "true: when fewer than k records have any item, none is published; without it that is refused",
    }

    def problems(self, options: Mapping[str, Any]) -> list[str]:
        problems = key_problems(self.name, self.keys, options)
        problems += [
            f"`{key}` must be true or false; got {options[key]!r}."
            for key in self.keys
            if not isinstance(options.get(key, False), bool)
        ]
        return problems

    def decide(self, engine: Engine, problem: SetProblem, listener: Listener, **options: Any) -> Decision:
        started = time.monotonic()
        promise = Promise.of(problem.guarantees)
        column, hierarchy = _column(problem)
        leaves = pa.array(hierarchy.labels[: hierarchy.leaf_count], pa.string())
        listener(Progress("count", "counting items"))
        tree, records = _counted(engine, column, hierarchy, leaves)
        least, holding = promise.least(1), int(tree.supports[-1])
        if records < least:
            raise Infeasible(
                f"There are {records:,} records, fewer than the {least:,} that have to look alike. Ask for less: lower k."
            )
        _check_all(engine, promise)
        breaks = Breaks(promise, EngineSource(engine, column, leaves), tree.supports)
        if 0 < holding < least:
            if not options.get("leave_out", False):
                raise Infeasible(
                    f"Only {holding:,} of the {records:,} records have any item in '{column}', fewer than the {least:,} that "
                    f"have to look alike. Generalizing does not help; `leave_out = true` publishes no item at all."
                )
            cut = np.full(hierarchy.leaf_count, LEFT_OUT, np.int32)
        else:
            _check_root(breaks, tree)

            def report(rounds: int, size: int) -> None:
                listener(Progress("search", f"round {rounds}: combinations of {size}"))

            cut = descend(tree, breaks, report)
        recoding, loss = ItemRecoding(column, hierarchy, cut.reshape(1, -1)), _loss(tree, cut)
        if options.get("local", False) and loss and holding >= least:
            listener(Progress("search", "dividing the records"))
            parts = local_parts(engine, column, tree, leaves, promise, records)
            if parts is not None and _share(tree, parts.cost) < loss:
                recoding, loss = ItemRecoding(column, hierarchy, parts.cuts, parts.splits), _share(tree, parts.cost)
        return Decision(
            recoding=recoding,
            loss=loss,
            suppressed=0,
            limit=0,
            classes=len(np.unique(recoding.nodes[:, tree.supports[: hierarchy.leaf_count] > 0])),
            optimal=False,
            bound=0.0,
            seconds=time.monotonic() - started,
        )


def _column(problem: SetProblem) -> tuple[str, Hierarchy]:
    if len(problem.hierarchies) != 1:
        raise RecipeError(
            f"Method 'apriori' works on one column of item sets; there are {len(problem.hierarchies)} columns."
        )
    ((column, hierarchy),) = problem.hierarchies.items()
    return column, hierarchy


def _counted(engine: Engine, column: str, hierarchy: Hierarchy, leaves: pa.Array) -> tuple[ItemTree, int]:
    """Supports of all nodes, and the number of records."""
    table = engine.count(NodeSupports(column, leaves, hierarchy.parents), [column])
    counts = dict(zip(table.column("node").to_pylist(), table.column("records").to_pylist(), strict=True))
    records, unknown = counts.pop(EVERY, 0), counts.pop(UNKNOWN, 0)
    if unknown:
        raise DataError(
            f"Column '{column}': {unknown:,} records hold items that are missing or that its hierarchy does not have."
        )
    supports = np.zeros(len(hierarchy.parents), np.int64)
    supports[list(counts)] = list(counts.values())
    return ItemTree(hierarchy, supports), records


def _check_all(engine: Engine, promise: Promise) -> None:
    """l^m-diversity when nothing is known: neither opening nodes nor leaving items out helps with all records together."""
    for guarantee in promise.diverse:
        counts, missing = known_counts(engine.domain(guarantee.column).counts)
        every = sum(counts.values()) + missing
        if (max(counts.values(), default=0) + missing) * guarantee.l > every:
            raise Infeasible(
                f"More than one in {guarantee.l} of all {every:,} records have the same value of '{guarantee.column}', or may "
                "have it, since theirs is missing. Ask for less: lower l."
            )


def _check_root(breaks: Breaks, tree: ItemTree) -> None:
    """l^m-diversity when it is known that there is an item: opening nodes does not help."""
    if root_breaks(breaks, tree.hierarchy):
        raise Infeasible(
            f"Even with every item shown as the root, {breaks.promise.technical()} does not hold among the "
            f"{int(tree.supports[-1]):,} records that have items. Ask for less: lower l."
        )


def _loss(tree: ItemTree, cut: NDArray[np.int32]) -> Fraction:
    """Item NCP: the mean over the items of all records. An item that is left out counts 1, as one shown as the root."""
    leaves = tree.hierarchy.leaf_count
    out = int(tree.supports[:leaves][cut == LEFT_OUT].sum()) * leaves
    return _share(tree, out + tree.loss(cut[cut != LEFT_OUT]))


def _share(tree: ItemTree, cost: int) -> Fraction:
    leaves = tree.hierarchy.leaf_count
    held = int(tree.supports[:leaves].sum())
    return Fraction(cost, held * leaves) if held else Fraction(0)
