"""Method `auto`: try what can keep the promise within a time budget, improve the best grouping, keep what loses least.

Tried, in this order: `optimal` (one level per column), a grouping by peeling the lattice (two, when a promise speaks of sensitive
values), `mondrian`, and, on small tables, `cluster` and `mstk`; then a grouping that opens boxes where nobody pays much above the
floor. The best grouping is improved by a local search for the rest of the time: record by record when only k is promised, and tuple
by tuple, with a histogram of each class, when a promise speaks of sensitive values (`guarded_search.py`). At last records that cost
more than they are worth are hidden, if the recipe allows any. What was tried, and why this one was kept, is part of the decision
and stands in the report. Tables with very many different tuples are cut into blocks first, and this is done in each (`blocks.py`).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from shoal.errors import Infeasible, RecipeError, ShoalError
from shoal.kernels.tables import neighbourhood, opening, peeling
from shoal.kernels.tables.guarded import peeling as kept_peeling
from shoal.kernels.tables.guarded import ruining
from shoal.loss.loss import CellLoss
from shoal.methods.clock import EFFORTS, WorkClock
from shoal.methods.keys import BLOCKS, key_problems, seconds_of
from shoal.methods.method import Attempt, Decision, Listener, Progress
from shoal.methods.tables.blocks import Blocks, in_blocks
from shoal.methods.tables.cluster import Cluster
from shoal.methods.tables.cutting import cut_up
from shoal.methods.tables.floor import Floor, floor_of, floor_seconds
from shoal.methods.tables.ground import Ground
from shoal.methods.tables.guarded_search import Guard, guarded_search, merge_until_kept, peeled_with_promises
from shoal.methods.tables.hiding import hide, may_hide
from shoal.methods.tables.local_search import local_search
from shoal.methods.tables.mates import floor_with_mates
from shoal.methods.tables.merging import merge_failing
from shoal.methods.tables.mondrian import Mondrian
from shoal.methods.tables.mstk import Mstk
from shoal.methods.tables.optimal import Optimal
from shoal.methods.tables.problem import TableProblem
from shoal.methods.tables.promises import k_alone
from shoal.methods.tables.starts import opened, peeled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from shoal.data.schema import Kind
    from shoal.engines.engine import Engine

_BLOCKS = Blocks(above=200_000, most=20_000)
_BUDGET = 10.0  # seconds, when the recipe names none
_SMALL = 3_000  # distinct tuples up to which the slower methods are always tried …
_PER_SECOND = 500  # … and so many more for every second that is left
_KEPT = "peel, promises kept"
_FEW = 2_000  # tuples that are merged into groups one by one
_MERGES = 1_000_000_000  # pairs of groups that are compared at most
_NOT_MUCH = 1.03  # times the loss of the best start: then the one that opens boxes is improved
_CUTTING = 5e-6  # seconds that mondrian takes for each tuple, …
_PAIR = 2e-9  # … cluster and mstk for each two, …
_MERGED = 1.8e-7  # … and a merge for each two groups, measured on Adult
_LITTLE = 0.2  # of the time that is left may go to merging groups once there is a start
_NO_NODES = np.empty((0, 0), np.int64)
_VALUES = ("hierarchy", "free")


class Auto:
    """Tries several methods in the time there is, and keeps the best release."""

    name: ClassVar[str] = "auto"
    kind: ClassVar[Kind] = "tables"
    title: ClassVar[str] = "The best of several methods, improved"
    keys: ClassVar[Mapping[str, str]] = {
        "budget": 'how long it may take, for example "60s" or "5m"; 10 seconds when it is not given',
        "effort": "a whole number from 1 to 5, instead of a budget: how many steps it may take. The same recipe then gives the "
        "same classes on every machine",
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
        effort = options.get("effort")
        if effort is not None and (isinstance(effort, bool) or effort not in EFFORTS):
            problems.append(f"`effort` must be a whole number from {min(EFFORTS)} to {max(EFFORTS)}; got {effort!r}.")
        if effort is not None and "budget" in options:
            problems.append("`effort` and `budget` cannot both be given: one counts steps, the other seconds.")
        return problems

    def decide(self, engine: Engine, problem: TableProblem, listener: Listener, **options: Any) -> Decision:
        ground = Ground.of(engine, problem, listener)
        effort = options.get("effort")
        usual = _BUDGET if effort is None else EFFORTS[effort]
        budget = seconds_of(options.get("budget")) or usual  # a block is given both
        if effort is not None:
            ground = replace(ground, clock=WorkClock(ground.started))
        size = _BLOCKS.size(ground, options)
        if size is not None:
            decision = in_blocks(Auto(full_domain=False), engine, ground, listener, options, size, budget=budget)
            if decision is not None:
                return decision
        trial = _Trial(ground, listener, ground.started + budget, free=options.get("values") == "free")
        if self._full_domain:
            # under promises about sensitive values one level per column is far behind what a search finds in the same time
            trial.whole(Optimal(ground.clock), engine, budget / (5 if trial.held is None else 20))
        closeness = trial.held is not None and trial.held.speaks_of_closeness
        if closeness:  # of what is only large enough hardly anything keeps it
            trial.peel_with_promises(0.2 * budget)
        nodes = trial.grouping(
            "peel",
            "lattice nodes from cheap to expensive; classes large enough leave",
            peeling.peel,
            lambda: peeled(ground, 0.4 * budget),
        )
        if not closeness:
            trial.peel_with_promises(0.2 * budget)
        trial.whole(Mondrian(), engine, None)
        ground.clock.spend(len(ground.frequency.counts) * _CUTTING)
        for method in (Cluster(), Mstk()):
            many = max(_SMALL, int(_PER_SECOND * trial.left()))
            if len(ground.frequency.counts) <= many:
                trial.whole(method, engine, None)
                ground.clock.spend(len(ground.frequency.counts) ** 2 * _PAIR)
            else:
                trial.tried.append(
                    Attempt(method.name, None, 0.0, f"not tried: more than {many:,} different combinations")
                )
        floor = None
        if isinstance(problem.loss, CellLoss) and floor_seconds(ground) < 0.7 * trial.left():
            floor = floor_of(ground, listener)
            ground.clock.spend(floor_seconds(ground))
            if trial.held is None:
                ground.clock.spend(floor_seconds(ground))  # to open boxes takes about as long
                trial.grouping(
                    "open",
                    "boxes opened where nobody pays much above the least possible",
                    opening.open_boxes,
                    lambda: (opened(ground, floor, nodes), nodes),
                )
        trial.improve(floor)
        proved = floor_with_mates(ground, floor) if floor is not None and not trial.free else None
        return replace(trial.best(), floor=proved)


@dataclass(frozen=True, eq=False)
class _Start:
    name: str
    groups: NDArray[np.int32]  # (tuples,)
    loss: float  # by the price of its labels


class _Trial:
    """What was tried so far."""

    def __init__(self, ground: Ground, listener: Listener, end: float, *, free: bool) -> None:
        self.ground, self.listener, self.end, self.free = ground, listener, end, free
        self.held = Guard.of(ground) if ground.problem.loss.column is None else None
        self.tried: list[Attempt] = []
        self._found: list[Decision] = []
        self._starts: list[_Start] = []
        self._why_not: ShoalError | None = None

    def left(self) -> float:
        return self.end - self.ground.clock.now()

    def whole(self, method: Any, engine: Engine, budget: float | None) -> None:
        """Try a method as it is."""
        self.listener(Progress("search", f"trying {method.name}"))
        started = time.monotonic()
        options = {"budget": budget} if budget is not None else {"blocks": 0}
        try:
            decision = method.decide(engine, self.ground.problem, self.listener, **options)
        except (Infeasible, RecipeError) as reason:
            self._why_not = self._why_not or reason
            self.tried.append(Attempt(method.name, None, time.monotonic() - started, _first_sentence(str(reason))))
            return
        self.tried.append(Attempt(method.name, float(decision.loss), time.monotonic() - started, method.title))
        self._found.append(decision)

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
            merges = self._merges(groups)
            most = self.left() * _LITTLE / _MERGED if self._starts else _MERGES
            if merges > min(most, _MERGES):
                raise Infeasible("Not tried to the end: too many groups break a promise to merge them one by one.")
            groups = self._merged(groups, merges * _MERGED)
        except Infeasible as reason:
            self._why_not = self._why_not or reason
            self.tried.append(Attempt(name, None, time.monotonic() - started, _first_sentence(str(reason))))
            return nodes
        decision = self.ground.decide(self.ground.recoding(groups, free=self.free))
        self.tried.append(Attempt(name, float(decision.loss), time.monotonic() - started, note))
        self._found.append(decision)
        self._starts.append(_Start(name, groups, float(decision.loss)))
        return nodes

    def peel_with_promises(self, seconds: float) -> None:
        """A grouping of what keeps every promise, where one speaks of sensitive values."""
        held = self.held
        if held is None:
            return
        self.grouping(
            _KEPT,
            "lattice nodes from cheap to expensive; what keeps every promise leaves",
            kept_peeling.peel_kept,
            lambda: (peeled_with_promises(self.ground, held, seconds), _NO_NODES),
        )

    def _left_over(self, tuples: NDArray[np.int64]) -> NDArray[np.int32]:
        """Groups of tuples that a grouping left out: each by itself, unless they are too many to be merged one by one."""
        if len(tuples) <= _FEW:
            return np.arange(len(tuples), dtype=np.int32)
        along = np.ones(len(self.ground.columns), np.bool_)
        return cut_up(self.ground, tuples, along, False, self.listener, sizes_only=True)

    def _merged(self, groups: NDArray[np.int32], seconds: float) -> NDArray[np.int32]:
        """Groups that keep every promise. Under l-diversity now the one way of merging costs less, now the other; under t-closeness
        the one that asks what is wanting always does. seconds: that one of them takes."""
        self.ground.clock.spend(seconds)
        if self.held is None:
            return merge_failing(self.ground, groups)
        if self.held.speaks_of_closeness:
            return merge_until_kept(self.ground, self.held, groups)
        found = merge_failing(self.ground, groups)
        if seconds > _LITTLE * self.left():
            return found
        self.ground.clock.spend(seconds)
        return min(merge_until_kept(self.ground, self.held, groups), found, key=self.ground.price)

    def _merges(self, groups: NDArray[np.int32]) -> int:
        """How many pairs of groups would be compared to merge those that break a promise."""
        count = int(groups.max()) + 1
        return count * int(self.ground.failing(groups, count).sum())

    def improve(self, floor: Floor | None) -> None:
        """The local search, from the grouping that opens boxes when it costs little more than the best: it gets further."""
        seconds = self.left()
        if not self._starts or seconds <= 0:
            return
        prices = floor.prices if floor is not None else np.zeros(len(self.ground.frequency.counts))
        started = time.monotonic()
        if self.held is not None:
            start = min(self._starts, key=lambda one: one.loss)
            self.listener(Progress("improve", f"improving {start.name}{_first_time(ruining.ruin)}"))
            groups = guarded_search(self.ground, self.held, start.groups, prices, seconds, self.listener)
            promises, units = self.held.promises, self.held.units
            tuples = np.arange(len(groups))
            if self.ground.breaks(groups, int(groups.max()) + 1):  # the start is still there
                note = "not kept: a promise was broken on the way"
                self.tried.append(Attempt("local search", None, time.monotonic() - started, note))
                return
            note = (
                f"from {start.name}: records moved, classes opened, neighbourhoods put together anew; all promises kept"
            )
        elif self.ground.problem.whole:
            self.tried.append(Attempt("local search", None, 0.0, "not tried: it divides records with the same values"))
            return
        elif self.ground.speaks_of_sensitive or self.ground.problem.loss.column is not None:
            why = "not tried: a promise or the loss speaks of sensitive values"
            self.tried.append(Attempt("local search", None, 0.0, why))
            return
        else:
            start = min(self._starts, key=lambda one: one.loss)
            if self._starts[-1].loss <= _NOT_MUCH * start.loss:
                start = self._starts[-1]
            self.listener(Progress("improve", f"improving {start.name}{_first_time(neighbourhood.improve)}"))
            placing = local_search(self.ground, start.groups, prices, seconds, self.listener)
            tuples, groups = placing.tuples, placing.groups
            promises, units = k_alone(self.ground, len(tuples))
            note = f"from {start.name}: records moved, classes dissolved, neighbourhoods divided anew"
        self._keep("local search", note, tuples, groups, started)
        if may_hide(self.ground):
            started = time.monotonic()
            groups = hide(self.ground, promises, units, tuples, groups)
            hidden = int(units.weights[groups < 0].sum())
            note = f"{hidden:,} {'record' if hidden == 1 else 'records'} that cost more than hiding"
            if self.held is not None and self.ground.breaks(groups, int(groups.max()) + 1):
                note = "not done: without the hidden records the others would be compared with other shares"
                self.tried.append(Attempt("hide", None, time.monotonic() - started, note))
            else:
                self._keep("hide", note, tuples, groups, started)

    def _keep(self, name: str, note: str, tuples: NDArray[np.int64], groups: NDArray[np.int32], started: float) -> None:
        """groups: of units, each all records of a tuple, or one of them; -1: hidden."""
        if self.held is not None:
            recoding = self.ground.recoding(groups, free=self.free)
        else:
            recoding = self.ground.recoding_of_parts(tuples, groups, free=self.free)
        decision = self.ground.decide(recoding)
        self.tried.append(Attempt(name, float(decision.loss), time.monotonic() - started, note))
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
