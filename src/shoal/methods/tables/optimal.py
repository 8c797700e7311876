"""Method `optimal`: the full-domain generalization with the least loss that keeps the promises.

One level per column, whole classes suppressed within a limit. Exact: the result is proved optimal unless a time budget ends
the search, and then it comes with a proved bound. Two searches give the same answer; which one runs is a matter of cost
(measured in `benchmarks/tables/lattice.py`): best-first over arrays when the loss adds up over columns and the lattice fits in
memory, branch and bound over intervals otherwise.

Pruning uses what the guarantees declare and nothing else: k-anonymity and distinct l-diversity with a suppression limit, all
guarantees without one. ERRATA 004-6: with suppression the loss is not monotone, so it is only ever bounded by the loss
without suppression, which is.
"""

from __future__ import annotations

import time
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from shoal.errors import Infeasible
from shoal.kernels.grouping import regroup
from shoal.loss.loss import normalized_weights
from shoal.methods.clock import WALL, Clock
from shoal.methods.keys import key_problems, seconds_of
from shoal.methods.method import ColumnReason, Decision, Listener, Progress, Tradeoff
from shoal.methods.tables.lattice.best_first import best_first
from shoal.methods.tables.lattice.branch_and_bound import branch_and_bound
from shoal.methods.tables.lattice.nodes import Nodes
from shoal.methods.tables.lattice.search import Search
from shoal.methods.tables.lattice.stated import level_problems, stated_node
from shoal.methods.tables.problem import TableProblem
from shoal.recoding.tables.levels import LevelRecoding

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.data.schema import Kind
    from shoal.engines.engine import Engine
    from shoal.methods.tables.lattice.lattice import Node
    from shoal.methods.tables.lattice.nodes import Evaluation

_SECONDS_EACH = 4e-8  # tuple at a node, measured on Adult
_ARRAY_NODES = 2_000_000  # lattices up to this size are held as arrays
_TRADEOFF_STEPS = tuple(Fraction(n, 1000) for n in range(1, 6))  # 0.1 % … 0.5 % more suppression


class Optimal:
    """The best full-domain release, proved."""

    name: ClassVar[str] = "optimal"
    kind: ClassVar[Kind] = "tables"
    title: ClassVar[str] = "Optimal full-domain generalization"
    keys: ClassVar[Mapping[str, str]] = {
        "budget": 'the longest time the search may take, for example "60s" or "5m"; without it the search ends when the '
        "optimum is proved",
        "levels": "the level of every quasi-identifying column, as an earlier release has it: nothing is searched, and the same "
        "values are blurred in the same way again",
    }

    def __init__(self, clock: Clock = WALL) -> None:
        """clock: what a budget is measured by."""
        self._clock = clock

    def problems(self, options: Mapping[str, Any]) -> list[str]:
        return key_problems(self.name, self.keys, options) + level_problems(options.get("levels"))

    def decide(self, engine: Engine, problem: TableProblem, listener: Listener, **options: Any) -> Decision:
        budget = seconds_of(options.get("budget"))
        started = time.monotonic()
        first = "" if regroup.signatures else " (preparing kernels, once)"
        listener(Progress("count", f"counting distinct combinations{first}"))
        frequency = engine.frequency_set(problem.hierarchies, problem.sensitive)
        rows = frequency.rows
        limit = floor(problem.suppression * rows)
        weights = normalized_weights(list(problem.hierarchies), problem.weights)
        hierarchies = list(problem.hierarchies.values())
        sensitive = {column: h for column, h in problem.sensitive.items() if h is not None}
        nodes = Nodes(frequency, hierarchies, problem.guarantees, problem.loss, weights, sensitive)
        search = Search(nodes, limit)
        if "levels" in options:
            return _frozen(search, stated_node(options["levels"], problem.hierarchies), problem, started)
        pause = _Pause(self._clock, len(frequency.counts), budget, listener)
        top = search.look(nodes.lattice.top)
        if not top.feasible and nodes.all_prune(limit):
            raise Infeasible(_why_infeasible(problem, rows), best=top)
        optimal = _strategy(nodes)(search, pause)
        if search.best is None:
            raise Infeasible(_why_infeasible(problem, rows), best=top)
        best = search.best
        listener(
            Progress("search", f"{nodes.evaluated:,} of {nodes.lattice.size:,} combinations of levels looked at", 1.0)
        )
        evaluated = nodes.evaluated
        recoding, classes = _recoding(nodes, best, problem)
        return Decision(
            recoding=recoding,
            loss=best.loss or Fraction(0),
            suppressed=best.suppressed,
            limit=limit,
            classes=classes,
            evaluated=evaluated,
            lattice=nodes.lattice.size,
            optimal=optimal,
            bound=search.bound,
            reasons=_reasons(nodes, best, tuple(problem.hierarchies)),
            tradeoffs=_tradeoffs(nodes, problem, search, rows, pause) if optimal else (),
            seconds=time.monotonic() - started,
        )


def _recoding(nodes: Nodes, best: Evaluation, problem: TableProblem) -> tuple[LevelRecoding, int]:
    """What a node publishes, and in how many classes."""
    classes = nodes.classes(best.node)
    failing, _ = nodes.failing(classes)
    groups = [nodes.layout.unpack(classes.keys[failing], c) for c in range(len(nodes.hierarchies))]
    suppressed = np.stack(groups, axis=1).astype(np.int32) if groups else np.empty((0, 0), np.int32)
    recoding = LevelRecoding(tuple(problem.hierarchies), tuple(nodes.hierarchies), best.node, suppressed)
    return recoding, best.classes - int(failing.sum())


def _frozen(search: Search, node: Node, problem: TableProblem, started: float) -> Decision:
    """The levels as they are stated. Which classes are suppressed is decided anew; that the promise holds, the verifier proves."""
    nodes, best = search.nodes, search.look(node)
    if not best.feasible:
        raise Infeasible(
            f"At the levels of `[method] levels`, {best.suppressed:,} records stand in classes that break "
            f"{' and '.join(g.technical() for g in problem.guarantees)}; {search.limit:,} may be suppressed. Raise a level or "
            "`[suppression] limit`; or leave `levels` out, and new ones are chosen: hold that release against the earlier ones.",
            best=best,
        )
    recoding, classes = _recoding(nodes, best, problem)
    return Decision(
        recoding=recoding,
        loss=best.loss or Fraction(0),
        suppressed=best.suppressed,
        limit=search.limit,
        classes=classes,
        optimal=False,
        bound=0.0,
        reasons=_reasons(nodes, best, tuple(problem.hierarchies)),
        seconds=time.monotonic() - started,
    )


def _strategy(nodes: Nodes) -> Any:
    return best_first if nodes.cells is not None and nodes.lattice.size <= _ARRAY_NODES else branch_and_bound


class _Pause:
    """Ends a search when its time is up, and tells the listener how far it is now and then."""

    def __init__(self, clock: Clock, tuples: int, budget: float | None, listener: Listener) -> None:
        self.clock, self._tuples = clock, tuples
        self.started = clock.now()
        self._end = self.started + budget if budget is not None else float("inf")
        self._budget = budget
        self._listener = listener
        self._next = time.monotonic() + 0.2
        self._evaluated = 0

    def spend(self, search: Search) -> None:
        """What was looked at since the last time."""
        self.clock.spend((search.nodes.evaluated - self._evaluated) * self._tuples * _SECONDS_EACH)
        self._evaluated = search.nodes.evaluated

    def __call__(self, search: Search) -> bool:
        self.spend(search)
        now = self.clock.now()
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + 0.2
            best = "none yet" if search.best is None else f"{float(search.best.loss or 0):.4f}"
            self._listener(
                Progress(
                    "search",
                    f"best loss {best}, at least {search.bound:.4f}; {search.nodes.evaluated:,} looked at",
                    (now - self.started) / self._budget if self._budget else None,
                )
            )
        return now >= self._end and search.best is not None


def _reasons(nodes: Nodes, best: Evaluation, columns: tuple[str, ...]) -> tuple[ColumnReason, ...]:
    """For each blurred column: how many records would break the promise one level lower, and how many hold rare values."""
    smallest = max([g.k or 1 for g in nodes.guarantees], default=1)
    reasons = []
    for c, level in enumerate(best.node):
        if not level:
            continue
        lower = (*best.node[:c], level - 1, *best.node[c + 1 :])
        classes = nodes.classes(lower)
        fails, failing = nodes.failing(classes)
        by_group = nodes.records_by_group(classes, fails, c, level)
        records = np.bincount(nodes.hierarchies[c].groups[level - 1], weights=nodes.marginals[c])
        rare = (records > 0) & (records < smallest)
        reasons.append(ColumnReason(columns[c], level, failing, by_group, int(rare.sum()), int(records[rare].sum())))
    return tuple(sorted(reasons, key=lambda r: -r.failing))


def _tradeoffs(nodes: Nodes, problem: TableProblem, search: Search, rows: int, pause: _Pause) -> tuple[Tradeoff, ...]:
    """The optimum at a little more suppression. Nodes already grouped are not grouped again, so this is cheap."""
    if search.nodes.lattice.size > _ARRAY_NODES:
        return ()
    tradeoffs: list[Tradeoff] = []
    now = pause.clock.now()
    end = now + max(1.0, now - pause.started)  # never longer than the search itself took

    def up(search: Search) -> bool:
        pause.spend(search)
        return pause.clock.now() > end

    for step in _TRADEOFF_STEPS:
        limit = floor((problem.suppression + step) * rows)
        wider = Search(nodes, limit)
        if not _strategy(nodes)(wider, up):
            break
        if wider.best is not None and wider.best.loss is not None:
            tradeoffs.append(
                Tradeoff(
                    float(problem.suppression + step), wider.best.suppressed, float(wider.best.loss), wider.best.node
                )
            )
    return tuple(tradeoffs)


def _why_infeasible(problem: TableProblem, rows: int) -> str:
    promised = " and ".join(g.technical() for g in problem.guarantees)
    smallest = max([g.k or 1 for g in problem.guarantees], default=1)
    if rows < smallest:
        return f"There are {rows:,} records, fewer than the {smallest:,} that have to look alike. Ask for a smaller k."
    if all(g.sensitive is None for g in problem.guarantees):
        return f"Even with every column at its top level, the {rows:,} records break {promised}. Ask for less."
    return (
        f"Even with every column at its top level, more than the allowed share of the {rows:,} records breaks {promised}. "
        f"Ask for less, or check the sensitive columns: a value that is too common makes diversity impossible."
    )
