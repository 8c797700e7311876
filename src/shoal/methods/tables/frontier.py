"""Method `frontier`: every full-domain release that is best for its k, from the data as it is to everything hidden.

Paper 004 (POkA) asks for the Pareto-optimal nodes of the lattice, those for which no other has as large a k for less loss, or
a larger k for as much; its own search misses some and returns others (ERRATA 004-1 to 004-7; method `poka`). Here the set is
exact and holds all ties (`pareto.py`), for any loss that adds up over cells or over classes. A lattice too large to hold, or a
budget that runs out, gives points that are reached, each with a proved bound of what is possible.

As a method it publishes the point of least loss that reaches the promised k.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING, Any, ClassVar

from shoal.errors import Infeasible, RecipeError
from shoal.kernels.grouping import regroup
from shoal.loss.loss import normalized_weights
from shoal.methods.keys import key_problems, seconds_of
from shoal.methods.method import Decision, Listener, Progress
from shoal.methods.tables.lattice.bounds import bounds_of
from shoal.methods.tables.lattice.diverse import DiverseFront, diverse_front
from shoal.methods.tables.lattice.large_front import large_front
from shoal.methods.tables.lattice.looks import Look, Looks
from shoal.methods.tables.lattice.nodes import Nodes
from shoal.methods.tables.lattice.pareto import Pareto
from shoal.methods.tables.lattice.search import SLACK
from shoal.methods.tables.problem import TableProblem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from shoal.data.schema import Kind
    from shoal.engines.engine import Engine
    from shoal.methods.tables.lattice.lattice import Node

ARRAY_NODES = 2_000_000  # lattices up to this size are held as arrays
LARGE_BUDGET = 60.0  # seconds for a larger one when the recipe gives no budget


@dataclass(frozen=True)
class Tie:
    """One of the nodes of a point: they have the same k and loss."""

    levels: Node
    suppressed: int
    classes: int


@dataclass(frozen=True)
class Point:
    """A release that is best for its k."""

    k: int
    loss: Fraction
    ties: tuple[
        Tie, ...
    ]  # all nodes with this k and loss; first the one with fewest records suppressed, then the lowest
    bound: float  # no node that reaches this k loses less

    def __post_init__(self) -> None:
        if self.k < 1 or not self.ties:
            raise ValueError(f"A point of a frontier needs a k of at least 1 and a node; got k = {self.k!r}.")

    @property
    def levels(self) -> Node:
        return self.ties[0].levels

    @property
    def suppressed(self) -> int:
        return self.ties[0].suppressed

    @property
    def classes(self) -> int:
        return self.ties[0].classes

    @property
    def smallest_class(self) -> int:
        return self.k

    @property
    def proved(self) -> bool:
        """Whether it is known that no node which reaches this k loses less."""
        return self.bound >= float(self.loss) - SLACK * max(1.0, self.bound)


@dataclass(frozen=True)
class Frontier:
    """Every release that no other beats in both k and loss."""

    columns: tuple[str, ...]
    points: tuple[Point, ...]  # k and loss both rise
    rows: int
    limit: int  # records that may be suppressed
    today: tuple[int, float]  # k and loss of the data as it is
    loss_name: str
    evaluated: int  # lattice nodes looked at
    lattice: int  # lattice nodes there are
    complete: bool  # proved: these are all points, with all ties
    seconds: float

    def __post_init__(self) -> None:
        for left, right in zip(self.points, self.points[1:], strict=False):
            if left.k >= right.k or left.loss >= right.loss:
                raise ValueError("The points of a frontier must rise in k and in loss.")

    def reaching(self, k: int) -> Point | None:
        """The point of least loss whose k is at least this."""
        return next((point for point in self.points if point.k >= k), None)


class FrontierMethod:
    """The point of the front that reaches the k of the recipe."""

    name: ClassVar[str] = "frontier"
    kind: ClassVar[Kind] = "tables"
    title: ClassVar[str] = "Exact frontier of k and loss; publishes the cheapest point that reaches the promised k"
    keys: ClassVar[Mapping[str, str]] = {
        "budget": 'the longest time the search may take, for example "60s" or "5m"; without it the search ends when the '
        "frontier is complete"
    }

    def problems(self, options: Mapping[str, Any]) -> list[str]:
        return key_problems(self.name, self.keys, options)

    def decide(self, engine: Engine, problem: TableProblem, listener: Listener, **options: Any) -> Decision:
        started = time.monotonic()
        k = only_k(problem, self.name)
        looks = looks_of(engine, problem, listener)
        front = find_frontier(looks, problem, seconds_of(options.get("budget")), listener)
        point = front.reaching(k)
        if point is None:
            raise too_few(looks, k)
        # With a limit a point suppresses whatever buys a larger k; a release that only has to reach the promised k may
        # suppress less, so then the point is the best of its kind and not of all.
        exact = looks.limit == 0
        return looks.decision(
            problem,
            looks(point.levels),
            optimal=exact and point.proved,
            bound=point.bound if exact else 0.0,
            started=started,
        )


def only_k(problem: TableProblem, method: str) -> int:
    """The k of the only guarantee; others cannot be read off a frontier of k."""
    others = [g.technical() for g in problem.guarantees if g.name != "k-anonymity"]
    if others:
        raise RecipeError(
            f"method.name: '{method}' can promise k-anonymity and nothing else; the recipe also asks for "
            f"{' and '.join(others)}. Use method 'optimal'."
        )
    return max(g.k or 1 for g in problem.guarantees)


def looks_of(engine: Engine, problem: TableProblem, listener: Listener, diverse: str | None = None) -> Looks:
    """Counts the combinations, and prices the lattice. diverse: a sensitive column whose values are counted, too."""
    first = "" if regroup.signatures else " (preparing kernels, once)"
    listener(Progress("count", f"counting distinct combinations{first}"))
    counted = dict.fromkeys(
        column for column in (problem.loss.column, diverse) if column
    )  # the loss: classification error
    frequency = engine.frequency_set(problem.hierarchies, {column: problem.sensitive[column] for column in counted})
    weights = normalized_weights(list(problem.hierarchies), problem.weights)
    nodes = Nodes(frequency, list(problem.hierarchies.values()), (), problem.loss, weights)
    return Looks(nodes, frequency, floor(problem.suppression * frequency.rows))


def find_frontier(looks: Looks, problem: TableProblem, budget: float | None, listener: Listener) -> Frontier:
    """The whole front, or what of it was found when the time was up."""
    started, lattice = time.monotonic(), looks.nodes.lattice
    if lattice.size <= ARRAY_NODES:
        search = Pareto(looks, bounds_of(looks.nodes, looks.frequency, problem.loss, looks.limit))
        if budget is not None:
            search.descend()
        complete = search.run(_Teller(listener, started, budget))
        least = search.least_loss
    else:
        until = started + (budget or LARGE_BUDGET)
        teller = _Teller(listener, started, until - started)
        proved = large_front(looks, until, teller.ladder)
        complete, least = False, lambda k: max((b for step, b in proved.items() if step <= k), default=0.0)
    evaluated = looks.nodes.evaluated
    listener(Progress("search", f"{evaluated:,} of {lattice.size:,} combinations of levels looked at", 1.0))
    return Frontier(
        tuple(problem.hierarchies),
        points_of(looks.seen.values(), least),
        looks.nodes.rows,
        looks.limit,
        looks.today(),
        problem.loss.name,
        evaluated,
        lattice.size,
        complete,
        time.monotonic() - started,
    )


def find_diverse(
    looks: Looks, problem: TableProblem, column: str, budget: float | None, listener: Listener
) -> DiverseFront | None:
    """The front of k, l and loss; None of a lattice too large to hold. column: the sensitive one."""
    if looks.nodes.lattice.size > ARRAY_NODES:
        return None
    bounds = bounds_of(looks.nodes, looks.frequency, problem.loss, looks.limit)
    points, complete = diverse_front(looks, column, bounds, _Teller(listener, time.monotonic(), budget))
    return DiverseFront(column, points, complete)


def points_of(seen: Iterable[Look], least: Callable[[int], float]) -> tuple[Point, ...]:
    """What nothing looked at dominates. `least`: no node that was not looked at and reaches this k loses less."""
    points: list[Point] = []
    by_k: dict[int, list[Look]] = {}
    for look in seen:
        by_k.setdefault(look.k, []).append(look)
    for k in sorted(by_k, reverse=True):
        loss = min(look.loss for look in by_k[k])
        if points and points[-1].loss <= loss:
            continue
        best = sorted(
            (Tie(look.node, look.suppressed, look.classes) for look in by_k[k] if look.loss == loss),
            key=lambda tie: (tie.suppressed, sum(tie.levels), tie.levels),
        )
        points.append(Point(k, loss, tuple(best), min(float(loss), least(k))))
    return tuple(reversed(points))


def too_few(looks: Looks, k: int) -> Infeasible:
    """The refusal of a k that there are not enough records for."""
    return Infeasible(
        f"There are {looks.nodes.rows:,} records, fewer than the {k:,} that have to look alike. Ask for a smaller k.",
        best=looks(looks.nodes.lattice.top),
    )


class _Teller:
    """Ends the search when its time is up, and tells the listener how far it is now and then."""

    def __init__(self, listener: Listener, started: float, budget: float | None) -> None:
        self._listener, self._started, self._budget = listener, started, budget
        self._next = started + 0.2

    def __call__(self, search: Pareto) -> bool:
        self._tell(lambda: f"{len(search.front):,} points, {len(search.looks.seen):,} looked at", search.done)
        return self._budget is not None and time.monotonic() >= self._started + self._budget

    def ladder(self, k: int, looked: int) -> None:
        done = (time.monotonic() - self._started) / (self._budget or LARGE_BUDGET)
        self._tell(lambda: f"least loss with k = {k:,}; {looked:,} looked at", lambda: done)

    def _tell(self, message: Callable[[], str], done: Callable[[], float]) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + 0.2
            self._listener(Progress("search", message(), min(1.0, done())))
