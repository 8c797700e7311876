"""Method `gcs`: Greedy Cut Search of paper 000 (Gkountouna and Terrovitis), section 3.4, for k^(m,n)-anonymity of trees.

Values are blurred along their hierarchies by one cut for all records, and relations that few records hold are taken apart. The
search goes from everything left out towards detail, the most promising cut first; see `search.py`. What it finds is then made
finer value by value, see `refine.py`; with `siblings = "together"` it is left as the paper has it. Where relations were taken
apart, the final cut is repaired once more from nothing, and the search of `ocs` is made too; the release that loses least is taken.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from shoal.methods.keys import key_problems
from shoal.methods.method import Progress
from shoal.methods.trees.cuts import Steps
from shoal.methods.trees.decision import decision_of, ground_of
from shoal.methods.trees.refine import refined
from shoal.methods.trees.search import search

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.data.schema import Kind
    from shoal.engines.engine import Engine
    from shoal.methods.method import Decision, Listener
    from shoal.methods.trees.ground import Ground
    from shoal.methods.trees.problem import TreeProblem
    from shoal.methods.trees.search import Found

G, PATIENCE = 2, 10
APART, TOGETHER = "apart", "together"
SEARCH_KEYS = {
    "g": f"how many of the cuts that come out of one are gone on with; {G} without it",
    "siblings": '"apart" (without it): values that are frequent enough are shown though others of their group are not; "together": '
    "a group is opened for all its values or none",
    "patience": f"how many cuts in a row may bring nothing better before the search ends; {PATIENCE} without it",
}


class Gcs:
    """From everything left out towards detail, the most promising cut first."""

    name: ClassVar[str] = "gcs"
    kind: ClassVar[Kind] = "trees"
    title: ClassVar[str] = "Greedy search for a cut, with relations taken apart"
    keys: ClassVar[Mapping[str, str]] = SEARCH_KEYS

    def problems(self, options: Mapping[str, Any]) -> list[str]:
        return key_problems(self.name, self.keys, options) + number_problems(options)

    def decide(self, engine: Engine, problem: TreeProblem, listener: Listener, **options: Any) -> Decision:
        started = time.monotonic()
        ground = _ground(engine, problem, listener)
        steps = Steps(ground)
        found = _found(steps, listener, options)
        listener(Progress("search", "counting every fragment once more"))
        best = decision_of(ground, found, started, self.name)
        # what was parted at a coarse cut need not be at a finer one (ERRATA 000-12), and nothing has to be parted at all
        ways = [replace(found, cut=replace(found.cut, apart=frozenset()))] if found.cut.apart else []
        if steps.parted:  # else the search is the same without
            ways.append(_found(Steps(ground, may_part=False), listener, options))
        others = [decision_of(ground, way, started, self.name) for way in ways]
        return min([best, *others], key=lambda one: one.loss)


def decided(
    name: str, engine: Engine, problem: TreeProblem, listener: Listener, options: Mapping[str, Any], *, may_part: bool
) -> Decision:
    """The greedy search, with or without taking relations apart."""
    started = time.monotonic()
    ground = _ground(engine, problem, listener)
    found = _found(Steps(ground, may_part), listener, options)
    listener(Progress("search", "counting every fragment once more"))
    return decision_of(ground, found, started, name, may_part=may_part)


def _ground(engine: Engine, problem: TreeProblem, listener: Listener) -> Ground:
    listener(Progress("count", "counting trees"))
    ground = ground_of(engine, problem)
    listener(Progress("search", f"{len(ground.forest):,} different trees"))
    return ground


def _found(steps: Steps, listener: Listener, options: Mapping[str, Any]) -> Found:
    found = search(steps, options.get("g", G), options.get("patience", PATIENCE), listener)
    if options.get("siblings", APART) != APART:
        return found
    cut, tried = refined(steps, found.cut, listener)
    return replace(found, cut=cut, tried=found.tried + tried)


def number_problems(options: Mapping[str, Any]) -> list[str]:
    """What is wrong with the numbers and words of a recipe."""
    siblings = options.get("siblings", APART)
    mistakes = [] if siblings in (APART, TOGETHER) else [f'`siblings` must be "apart" or "together"; got {siblings!r}.']
    return mistakes + [
        f"`{key}` must be a whole number of at least 1; got {options[key]!r}."
        for key in ("g", "patience")
        if key in options and (isinstance(options[key], bool) or not isinstance(options[key], int) or options[key] < 1)
    ]
