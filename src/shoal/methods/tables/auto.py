"""Method `auto`: try what can keep the promise within a time budget, improve the best grouping, keep what loses least.

Tried, in this order: `optimal` (one level per column), a grouping by peeling the lattice, `mondrian`, and, on small tables,
`cluster` and `mstk`; then a grouping that opens boxes where nobody pays much above the floor. The best grouping is improved
by a local search for the rest of the time, unless a promise speaks of sensitive values: the search moves records one by one
and counts them, but does not look at what they hold. What was tried, and why this one was kept, is part of the decision and
stands in the report. Tables with very many different tuples are cut into blocks first, and this is done in each (`blocks.py`).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from shoal.errors import Infeasible, RecipeError, ShoalError
from shoal.kernels import neighbourhood, opening, peeling
from shoal.loss.loss import CellLoss
from shoal.methods.keys import BLOCKS, key_problems, seconds_of
from shoal.methods.method import Attempt, Decision, Listener, Problem, Progress
from shoal.methods.tables.blocks import Blocks, in_blocks
from shoal.methods.tables.cluster import Cluster
from shoal.methods.tables.cutting import cut_up
from shoal.methods.tables.floor import Floor, floor_of, floor_seconds
from shoal.methods.tables.ground import Ground
from shoal.methods.tables.local_search import local_search
from shoal.methods.tables.merging import merge_failing
from shoal.methods.tables.mondrian import Mondrian
from shoal.methods.tables.mstk import Mstk
from shoal.methods.tables.optimal import Optimal
from shoal.methods.tables.starts import opened, peeled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from shoal.engines.engine import Engine

_BLOCKS = Blocks(above=200_000, most=20_000)
_BUDGET = 10.0  # seconds, when the recipe names none
_SMALL = 3_000  # distinct tuples up to which the slower methods are always tried …
_PER_SECOND = 500  # … and so many more for every second that is left
_FEW = 2_000  # tuples that are merged into groups one by one
_MERGES = 1_000_000_000  # pairs of groups that are compared at most
_NOT_MUCH = 1.03  # times the loss of the best start: then the one that opens boxes is improved
_VALUES = ("hierarchy", "free")


class Auto:
    name: ClassVar[str] = "auto"
    title: ClassVar[str] = "The best of several methods, improved"
    keys: ClassVar[Mapping[str, str]] = {
        "budget": 'how long it may take, for example "60s" or "5m"; 10 seconds when it is not given',
        "values": '"hierarchy" (the default): classes show labels of the hierarchies; "free": ranges on the grid of the '
        "hierarchy's first level, and sets of values, which keep more detail",
        "blocks": BLOCKS,
    }

    def __init__(self, *, full_domain: bool = True) -> None:
        """Without `full_domain` it does not try `optimal`: in a block one level per column is never the best."""
        self._full_domain = full_domain

    def problems(self, options: Mapping[str, Any]) -> list[str]:
        problems = key_problems(self.name, self.keys, options)
        if options.get("values", "hierarchy") not in _VALUES:
            problems.append(f'`values` must be "hierarchy" or "free"; got {options["values"]!r}.')
        return problems

    def decide(self, engine: Engine, problem: Problem, listener: Listener, **options: Any) -> Decision:
        ground = Ground.of(engine, problem, listener)
        budget = seconds_of(options.get("budget")) or _BUDGET
        size = _BLOCKS.size(ground, options)
        if size is not None:
            made = in_blocks(Auto(full_domain=False), engine, ground, listener, options, size, budget=budget)
            if made is not None:
                return made
        trial = _Trial(ground, listener, ground.started + budget, free=options.get("values") == "free")
        if self._full_domain:
            trial.whole(Optimal(), engine, budget / 5)
        nodes = trial.grouping(
            "peel",
            "lattice nodes from cheap to dear; classes large enough leave",
            peeling.peel,
            lambda: peeled(ground, 0.4 * budget),
        )
        trial.whole(Mondrian(), engine, None)
        for method in (Cluster(), Mstk()):
            many = max(_SMALL, int(_PER_SECOND * trial.left()))
            if len(ground.frequency.counts) <= many:
                trial.whole(method, engine, None)
            else:
                trial.tried.append(
                    Attempt(method.name, None, 0.0, f"not tried: more than {many:,} different combinations")
                )
        floor = None
        if isinstance(problem.loss, CellLoss) and floor_seconds(ground) < 0.7 * trial.left():
            floor = floor_of(ground, listener)
            trial.grouping(
                "open",
                "boxes opened where nobody pays much above the least possible",
                opening.open_boxes,
                lambda: (opened(ground, floor, nodes), nodes),
            )
        trial.improve(floor)
        return replace(trial.best(), floor=floor.loss if floor is not None and not trial.free else None)


@dataclass(frozen=True, eq=False)
class _Start:
    name: str
    groups: NDArray[np.int32]  # (tuples,)
    loss: float  # by the price of its labels


class _Trial:
    """What was tried so far."""

    def __init__(self, ground: Ground, listener: Listener, end: float, *, free: bool) -> None:
        self.ground, self.listener, self.end, self.free = ground, listener, end, free
        self.tried: list[Attempt] = []
        self._found: list[Decision] = []
        self._starts: list[_Start] = []
        self._why_not: ShoalError | None = None

    def left(self) -> float:
        return self.end - time.monotonic()

    def whole(self, method: Any, engine: Engine, budget: float | None) -> None:
        """Try a method as it is."""
        self.listener(Progress("search", f"trying {method.name}"))
        started = time.monotonic()
        options = {"budget": budget} if budget is not None else {"blocks": 0}
        try:
            made = method.decide(engine, self.ground.problem, self.listener, **options)
        except (Infeasible, RecipeError) as reason:
            self._why_not = self._why_not or reason
            self.tried.append(Attempt(method.name, None, time.monotonic() - started, _first_sentence(str(reason))))
            return
        self.tried.append(Attempt(method.name, float(made.loss), time.monotonic() - started, method.title))
        self._found.append(made)

    def grouping(
        self, name: str, note: str, kernel: Any, make: Callable[[], tuple[NDArray[np.int32], NDArray[np.int64]]]
    ) -> NDArray[np.int64]:
        """Try a grouping of tuples, made with a kernel; those it leaves out (-1) are merged in."""
        self.listener(Progress("search", f"trying {name}{_first_time(kernel)}"))
        started = time.monotonic()
        groups, nodes = make()
        alone = np.flatnonzero(groups < 0)
        groups[alone] = groups.max() + 1 + self._left_over(alone)
        try:
            if self._merges(groups) > _MERGES:
                raise Infeasible("Not tried to the end: too many groups break a promise to merge them one by one.")
            groups = merge_failing(self.ground, groups)
        except Infeasible as reason:
            self._why_not = self._why_not or reason
            self.tried.append(Attempt(name, None, time.monotonic() - started, _first_sentence(str(reason))))
            return nodes
        made = self.ground.decide(self.ground.recoding(groups, free=self.free))
        self.tried.append(Attempt(name, float(made.loss), time.monotonic() - started, note))
        self._found.append(made)
        self._starts.append(_Start(name, groups, float(made.loss)))
        return nodes

    def _left_over(self, tuples: NDArray[np.int64]) -> NDArray[np.int32]:
        """Groups of tuples that a grouping left out: each by itself, unless they are too many to be merged one by one."""
        if len(tuples) <= _FEW:
            return np.arange(len(tuples), dtype=np.int32)
        along = np.ones(len(self.ground.columns), np.bool_)
        return cut_up(self.ground, tuples, along, False, self.listener, sizes_only=True)

    def _merges(self, groups: NDArray[np.int32]) -> int:
        """How many pairs of groups would be compared to merge those that break a promise."""
        count = int(groups.max()) + 1
        return count * int(self.ground.failing(groups, count).sum())

    def improve(self, floor: Floor | None) -> None:
        """The local search, from the grouping that opens boxes when it is not much dearer than the best: it gets further."""
        seconds = self.left()
        if not self._starts or seconds <= 0:
            return
        if self.ground.speaks_of_sensitive or getattr(self.ground.problem.loss, "column", None) is not None:
            self.tried.append(
                Attempt("local search", None, 0.0, "not tried: a promise or the loss speaks of sensitive values")
            )
            return
        start = min(self._starts, key=lambda one: one.loss)
        if self._starts[-1].loss <= _NOT_MUCH * start.loss:
            start = self._starts[-1]
        self.listener(Progress("improve", f"improving {start.name}{_first_time(neighbourhood.improve)}"))
        started = time.monotonic()
        prices = floor.prices if floor is not None else np.zeros(len(self.ground.frequency.counts))
        made = local_search(self.ground, start.groups, prices, seconds, self.listener)
        decision = self.ground.decide(self.ground.recoding_of_parts(made.tuples, made.groups, free=self.free))
        note = f"from {start.name}: records moved, classes dissolved, neighbourhoods divided anew"
        self.tried.append(Attempt("local search", float(decision.loss), time.monotonic() - started, note))
        self._found.append(decision)

    def best(self) -> Decision:
        if not self._found:
            raise self._why_not or Infeasible("No method found a release that keeps the promise. Ask for less.")
        chosen = min(self._found, key=lambda made: made.loss)  # the first of equals
        return replace(chosen, tried=tuple(self.tried), seconds=time.monotonic() - self.ground.started)


def _first_time(kernel: Any) -> str:
    return "" if kernel.signatures else " (preparing kernels, once)"


def _first_sentence(text: str) -> str:
    return text.split(". ", maxsplit=1)[0].rstrip(".") + "."
