"""Method `incognito`: every full-domain generalization that keeps the promises, found column subset by column subset.

LeFevre, DeWitt, Ramakrishnan: Incognito, efficient full-domain k-anonymity (SIGMOD 2005); the baseline of paper 002. Three facts
carry it, and all follow from a guarantee being monotone:

- generalization: above a node that keeps the promise every node does;
- roll-up: the classes of a node are unions of the classes of any node below it;
- subset: a node that keeps the promise keeps it when a column is left out, which is the same as moving it to its top.

So the subsets of columns are taken by size. The candidates of a subset are the nodes whose parts are all known to keep the promise
on the subsets with one column less: what the paper's join and prune leave. They are checked from the bottom up, and what lies
above a node that passes is not checked. With all columns the passing nodes are all the full-domain generalizations there are.
Neither this paper nor 002 says which of them to publish; we take the one with the least loss, ties as in `optimal`, so the two
methods must agree.

With a suppression limit a node passes when the records in its failing classes are within the limit. This is monotone for the
guarantees that declare it, and the others are refused. Each node is checked once, however many subsets it is a candidate of.
"""

from __future__ import annotations

import time
from fractions import Fraction
from itertools import combinations
from math import floor
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from shoal.errors import Infeasible, RecipeError
from shoal.guarantees.guarantee import of_classes
from shoal.loss.loss import normalized_weights
from shoal.methods.keys import key_problems
from shoal.methods.method import Decision, Listener, Progress
from shoal.methods.tables.lattice.lattice import Node, above, outer_sum
from shoal.methods.tables.lattice.nodes import Nodes
from shoal.methods.tables.lattice.search import Search
from shoal.methods.tables.problem import TableProblem
from shoal.recoding.tables.levels import LevelRecoding

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from shoal.data.schema import Kind
    from shoal.engines.engine import Engine
    from shoal.methods.tables.lattice.nodes import Evaluation

_MOST_NODES = 20_000_000  # candidates of all subsets of one size, a byte each


class Incognito:
    """Searches ever larger sets of columns, as in the paper."""

    name: ClassVar[str] = "incognito"
    kind: ClassVar[Kind] = "tables"
    title: ClassVar[str] = "Incognito, all full-domain generalizations by subsets of columns"
    keys: ClassVar[Mapping[str, str]] = {}

    def problems(self, options: Mapping[str, Any]) -> list[str]:
        return key_problems(self.name, self.keys, options)

    def decide(self, engine: Engine, problem: TableProblem, listener: Listener, **options: Any) -> Decision:
        started = time.monotonic()
        listener(Progress("count", "counting distinct combinations"))
        frequency = engine.frequency_set(problem.hierarchies, problem.sensitive)
        limit = floor(problem.suppression * frequency.rows)
        refuse_what_cannot_prune(problem, limit)
        refuse_too_large([h.height for h in problem.hierarchies.values()])
        weights = normalized_weights(list(problem.hierarchies), problem.weights)
        sensitive = {column: h for column, h in problem.sensitive.items() if h is not None}
        nodes = Nodes(
            frequency, list(problem.hierarchies.values()), problem.guarantees, problem.loss, weights, sensitive
        )
        passing = incognito(nodes, limit, listener)
        if not passing.any():
            promised = " and ".join(g.technical() for g in problem.guarantees)
            raise Infeasible(
                f"Even with every column at its top level, more than the allowed share of the {frequency.rows:,} records breaks "
                f"{promised}. Ask for less: lower k or l, or raise `[suppression] limit`."
            )
        best = least_loss(nodes, passing, limit)
        classes = nodes.classes(best.node)
        failing, _ = nodes.failing(classes)
        hidden = [nodes.layout.unpack(classes.keys[failing], c) for c in range(len(best.node))]
        loss = best.loss if best.loss is not None else Fraction(0)
        return Decision(
            recoding=LevelRecoding(
                tuple(problem.hierarchies), nodes.hierarchies, best.node, np.stack(hidden, axis=1).astype(np.int32)
            ),
            loss=loss,
            suppressed=best.suppressed,
            limit=limit,
            classes=best.classes - int(failing.sum()),
            optimal=True,
            bound=float(loss),
            seconds=time.monotonic() - started,
            evaluated=nodes.evaluated,
            lattice=nodes.lattice.size,
        )


def incognito(nodes: Nodes, limit: int, listener: Listener = lambda _: None) -> NDArray[np.bool_]:
    """Over the lattice: which nodes keep every promise, with at most `limit` records suppressed."""
    heights = nodes.lattice.heights
    checked: dict[Node, bool] = {}

    def passes(node: Node) -> bool:
        if node not in checked:
            checked[node] = nodes.failing(nodes.classes(node))[1] <= limit
        return checked[node]

    everywhere = tuple(range(len(heights)))
    survivors: dict[tuple[int, ...], NDArray[np.bool_]] = {(): np.array(passes(heights))}
    for size in range(1, len(heights) + 1):
        evaluations = {}
        for columns in combinations(everywhere, size):
            candidates = _candidates(columns, survivors, heights)
            evaluations[columns] = _check(columns, candidates, heights, passes)
        survivors = evaluations
        listener(Progress("search", f"{size} of {len(heights)} columns; {len(checked):,} nodes checked"))
    return survivors[everywhere]


def _candidates(
    columns: tuple[int, ...], survivors: Mapping[tuple[int, ...], NDArray[np.bool_]], heights: Node
) -> NDArray[np.bool_]:
    """The nodes over some columns all of whose parts with one column less have survived: the paper's join and prune."""
    candidates = np.ones([heights[c] + 1 for c in columns], np.bool_)
    for axis in range(len(columns)):
        candidates &= np.expand_dims(survivors[columns[:axis] + columns[axis + 1 :]], axis)
    return candidates


def _check(
    columns: tuple[int, ...], candidates: NDArray[np.bool_], heights: Node, passes: Callable[[Node], bool]
) -> NDArray[np.bool_]:
    """Which candidates pass, looking from the bottom up only at those above no node that passes."""
    passing = np.zeros_like(candidates)
    by_height = np.argsort(
        outer_sum([list(range(n)) for n in candidates.shape]).ravel()[candidates.ravel()], kind="stable"
    )
    for at in np.argwhere(candidates)[by_height].tolist():
        part = tuple(at)
        if passing[part]:
            continue
        node = list(heights)  # a column that is left out is one at its top
        for column, level in zip(columns, part, strict=True):
            node[column] = level
        if passes(tuple(node)):
            passing[above(part)] = True
    return passing


def least_loss(nodes: Nodes, passing: NDArray[np.bool_], limit: int) -> Evaluation:
    """The best of the nodes that pass. Without suppression, loss never falls on the way up, and the minimal ones suffice."""
    search = Search(nodes, limit)
    shares = nodes.bound_per_level()
    bounds = outer_sum(shares) if shares is not None else np.zeros(passing.shape)
    asked = np.argwhere(passing if limit else minimal(passing))
    for at in np.argsort(bounds[tuple(asked.T)], kind="stable").tolist():
        node: Node = tuple(asked[at].tolist())
        if search.beaten(float(bounds[node])):
            break
        search.look(node)
    assert search.best is not None  # the caller has seen that one passes
    return search.best


def minimal(passing: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The nodes that pass and have none that passes below them: the answer of the paper."""
    least = passing.copy()
    for axis in range(passing.ndim):
        lower = np.moveaxis(passing, axis, 0)
        np.moveaxis(least, axis, 0)[1:] &= ~lower[:-1]
    return least


def refuse_what_cannot_prune(problem: TableProblem, limit: int) -> None:
    """A guarantee that a merge may break makes the search unsound."""
    asked = of_classes(problem.guarantees)
    unfit = [g.technical() for g in asked if not (g.monotone_with_suppression if limit else g.monotone)]
    if unfit:
        raise RecipeError(
            f"method.name: 'incognito' needs promises that stay kept when classes are merged; {' and '.join(unfit)} with "
            f"{limit:,} records to suppress may be broken by it. Set suppression.limit = 0, or use method 'optimal'."
        )


def refuse_too_large(heights: list[int]) -> None:
    """Before anything is held in memory: the largest number of nodes over all subsets of one size."""
    by_size = [1]  # the elementary symmetric polynomials of the numbers of levels
    for height in heights:
        by_size = [a + b * (height + 1) for a, b in zip([*by_size, 0], [0, *by_size], strict=True)]
    most = max(by_size)
    if most > _MOST_NODES:
        raise RecipeError(
            f"method.name: 'incognito' goes through all subsets of the {len(heights)} quasi-identifiers, up to {most:,} "
            f"combinations of levels at once; it is made for {_MOST_NODES:,} at most. Use method 'optimal', or fewer columns."
        )
