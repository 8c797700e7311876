"""Method `poka`: the search of paper 004 (Dewri et al. 2009), step by step as printed. Incomplete: see `frontier`.

From a base node, the fully generalized one at first, it goes down to the nodes at a fixed depth (*depth search*), from each of
these up again as long as k and loss stay below those of the base (*height search*), and takes the node with the largest k as
the next base. It is here to be compared with. It misses points and returns others that are dominated, as the paper does:

- 004-1 it looks at the immediate neighbours of the base only where k stays the same from node to node;
- 004-2 when no node lies at the depth it has nothing to go on with, and ends (the paper adds its NULL to the result);
- 004-3 the nodes at the depth it calls sufficient need not lead to the next point;
- 004-4 it takes the top for a point without asking;
- 004-5 at depth 1 it does not compare the neighbours with the base, and it ends at k = 2, so k = 1 may be left out;
- 004-6 with suppression, loss may fall on the way up, and the height search stops too early.

What is published is verified like every release; only the choice may be worse than it could be.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from shoal.errors import RecipeError
from shoal.methods.keys import key_problems
from shoal.methods.method import Decision, Listener, Progress
from shoal.methods.tables.frontier import ARRAY_NODES, looks_of, only_k, too_few
from shoal.methods.tables.problem import TableProblem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from shoal.data.schema import Kind
    from shoal.engines.engine import Engine
    from shoal.methods.tables.lattice.lattice import Lattice, Node
    from shoal.methods.tables.lattice.looks import Look, Looks

Depth = int | str | None


@dataclass(frozen=True)
class Steps:
    """The bases in the order in which they were found, the top first."""

    found: tuple[Look, ...]
    ended_early: bool  # no next base was found although k was still above the last one: the NULL of the paper


class Poka:
    """Depth and height searches from base to base, as printed."""

    name: ClassVar[str] = "poka"
    kind: ClassVar[Kind] = "tables"
    title: ClassVar[str] = "POkA, the frontier search of paper 004 (incomplete; for comparison)"
    keys: ClassVar[Mapping[str, str]] = {
        "depth": 'how far the depth search goes down: a number, "best" or "worst" (the levels that the paper\'s G_best and '
        "G_worst need, from base to base); without it the average height of a hierarchy, rounded up"
    }

    def problems(self, options: Mapping[str, Any]) -> list[str]:
        problems = key_problems(self.name, self.keys, options)
        depth = options.get("depth")
        whole = isinstance(depth, int) and not isinstance(depth, bool) and depth >= 1
        if depth is not None and not whole and depth not in ("best", "worst"):
            problems.append(f'`depth` must be an integer of at least 1, "best" or "worst"; got {depth!r}.')
        return problems

    def decide(self, engine: Engine, problem: TableProblem, listener: Listener, **options: Any) -> Decision:
        started = time.monotonic()
        k = only_k(problem, self.name)
        looks = looks_of(engine, problem, listener)
        size = looks.nodes.lattice.size
        if size > ARRAY_NODES:
            raise RecipeError(
                f"method.name: 'poka' walks from node to node, and there are {size:,} combinations of levels; it is made for "
                f"{ARRAY_NODES:,} at most. Use method 'frontier'."
            )

        def tell(base: Look) -> None:
            listener(Progress("search", f"k = {base.k:,}; {looks.nodes.evaluated:,} looked at"))

        able = [base for base in poka(looks, options.get("depth"), tell).found if base.k >= k]
        if not able:
            raise too_few(looks, k)
        best = min(able, key=lambda base: (base.loss, base.suppressed, sum(base.node), base.node))
        return looks.decision(problem, best, optimal=False, bound=0.0, started=started)


def poka(
    looks: Looks, depth: Depth = None, tell: Callable[[Look], None] = lambda base: None, *, last_k: int = 2
) -> Steps:
    """Function 3 of the paper, which goes on until a base has a k of `last_k` or less."""
    base = looks(looks.nodes.lattice.top)
    found = [base]
    while base.k > last_k:
        tell(base)
        following = _depth_search(looks, base, _depth(looks.nodes.lattice, base.node, depth))
        if following is None:
            return Steps(tuple(found), ended_early=True)
        found.append(base := following)
    return Steps(tuple(found), ended_early=False)


def _depth(lattice: Lattice, base: Node, depth: Depth) -> int:
    if depth is None:
        return max(1, math.ceil(sum(lattice.heights) / max(1, len(lattice.heights))))
    if depth == "best":
        return max(1, *base)
    if depth == "worst":
        return max(1, sum(base) - min(base))
    return int(depth)


def _depth_search(looks: Looks, base: Look, depth: int) -> Look | None:
    """Function 2: the best of the height searches from all nodes `depth` steps below the base.

    Functions 1 and 2 are written without recursion, which a deep hierarchy would not survive. A node is entered once, as with
    the lists HBest and DBest of section 5.3; and since the first of equals is kept, the order is that of the paper.
    """
    lattice = looks.nodes.lattice
    best: Look | None = None
    entered: set[Node] = set()
    for ground in _at_depth(lattice, base.node, depth):
        start = looks(ground) if depth == 1 else None
        for look in _height_search(looks, base, ground, start, entered):
            if best is None or (look.k, -look.loss) > (best.k, -best.loss):
                best = look
    return best


def _at_depth(lattice: Lattice, base: Node, depth: int) -> Iterator[Node]:
    entered: set[Node] = set()
    stack = [iter(lattice.children(base))]
    while stack:
        node = next(stack[-1], None)
        if node is None:
            stack.pop()
        elif node not in entered:
            entered.add(node)
            if sum(base) - sum(node) == depth:
                yield node
            else:
                stack.append(iter(lattice.children(node)))


def _height_search(looks: Looks, base: Look, ground: Node, start: Look | None, entered: set[Node]) -> Iterator[Look]:
    """Function 1: the nodes above a ground node that count, as they are met. `start`: the ground node, if it counts."""
    if ground in entered:
        return
    entered.add(ground)
    if start is not None:
        yield start
    lattice = looks.nodes.lattice
    stack = [iter(lattice.parents(ground))]
    while stack:
        node = next(stack[-1], None)
        if node is None:
            stack.pop()
            continue
        if node in entered:
            continue
        below_base = all(level <= top for level, top in zip(node, base.node, strict=True))
        if not (below_base and sum(base.node) - sum(node) > 1):
            look = looks(node)
            if not (look.k < base.k and look.loss < base.loss):
                continue
            yield look
        entered.add(node)
        stack.append(iter(lattice.parents(node)))
