"""Method `inplace`: the search of `ocs`, and below certain labels others are left out, in every record alike.

Paper 000 takes a rare relation apart by moving the lower node, and its place then tells who had the relation (ERRATA 000-11). Here
what a node shows follows from its own value and the labels shown above it: below a, b is shown for nobody, and elsewhere as usual.
That a record does not show it says nothing about the person. Whoever knows the rules, and that a person had b below a, is left with
all records that show a and may hide b: `candidates.py` counts them, `certifying.py` repairs what it finds.

Labels of classes without children are left out so, and for promises about no more than one relation. The best of this and of `ocs`
is taken, so it never loses more.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from shoal.errors import RecipeError
from shoal.methods.keys import key_problems
from shoal.methods.method import Attempt, Progress
from shoal.methods.trees.bare import always_there, telling
from shoal.methods.trees.certifying import certified
from shoal.methods.trees.counting import TooMany
from shoal.methods.trees.cuts import Steps
from shoal.methods.trees.decision import decision_from, decision_of, ground_of
from shoal.methods.trees.gcs import PATIENCE, SEARCH_KEYS, G, number_problems
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


class Inplace:
    """Some labels are shown for nobody below some others."""

    name: ClassVar[str] = "inplace"
    kind: ClassVar[Kind] = "trees"
    title: ClassVar[str] = "Greedy search for a cut, with labels left out in place"
    keys: ClassVar[Mapping[str, str]] = {key: text for key, text in SEARCH_KEYS.items() if key != "siblings"}

    def problems(self, options: Mapping[str, Any]) -> list[str]:
        return key_problems(self.name, self.keys, options) + number_problems(options)

    def decide(self, engine: Engine, problem: TreeProblem, listener: Listener, **options: Any) -> Decision:
        started = time.monotonic()
        listener(Progress("count", "counting trees"))
        ground = ground_of(engine, problem)
        _refuse(ground)
        listener(Progress("search", f"{len(ground.forest):,} different trees"))
        everywhere = Steps(ground, may_part=False)
        coarse = search(everywhere, options.get("g", G), options.get("patience", PATIENCE), listener)
        cut, tried = refined(everywhere, coarse.cut, listener)
        plain = decision_of(
            ground, replace(coarse, cut=cut, tried=coarse.tried + tried), started, "ocs", may_part=False
        )
        if ground.everyone is not None:  # what may stand behind a record is counted of all trees, or not at all
            note = "nothing is left out in place where there are more different trees than are looked at at once"
            return replace(plain, tried=(*plain.tried, Attempt(self.name, None, 0.0, note)))
        if (
            problem.negated
        ):  # whether a record lacks a value is counted by what it shows; in place it may hide the value
            note = "nothing is left out in place where values may be known to be absent"
            return replace(plain, tried=(*plain.tried, Attempt(self.name, None, 0.0, note)))
        blurred = in_place(ground, coarse, listener)
        if blurred is None:
            note = "leaving labels out in place brings nothing here"
            return replace(plain, tried=(*plain.tried, Attempt(self.name, None, time.monotonic() - started, note)))
        attempts = (*plain.tried, *blurred.tried)
        best = blurred if blurred.loss < plain.loss else plain
        evaluated = plain.evaluated + blurred.evaluated
        return replace(best, tried=attempts, evaluated=evaluated, seconds=time.monotonic() - started)


def in_place(ground: Ground, coarse: Found, listener: Listener) -> Decision | None:
    """The best cut with rules in place that comes out of a coarse one that needs none; None where none keeps the promise."""
    started = time.monotonic()
    always = always_there(ground)
    while True:
        steps = Steps(replace(ground, in_place=True, always=always))
        if not steps.ground.hideable.any():
            return None
        cut, tried = refined(steps, coarse.cut, listener)
        if not cut.apart:
            return None
        listener(Progress("search", "counting what may stand behind every record"))
        try:
            # from nothing: rules that a coarser label needed may not be needed by finer ones (ERRATA 000-12)
            way = certified(steps, cut.shown_as, frozenset()) or certified(steps, cut.shown_as, cut.apart)
        except TooMany:
            return None
        told = frozenset() if way is None else telling(steps.ground, *way)
        if not told:
            found = replace(coarse, cut=cut, tried=tried)
            return None if way is None else decision_from(steps.ground, way, found, started, Inplace.name)
        always |= told


def _refuse(ground: Ground) -> None:
    if ground.promise.n > 1:
        raise RecipeError(
            "method: 'inplace' keeps promises about one relation (n = 0 or 1). With more, records that may hide a value in one of "
            "several places would have to be counted by place. Use the method 'ocs', or promise n = 1."
        )
    if ground.promise.bounds.different:
        raise RecipeError(
            "method: 'inplace' keeps kmn-anonymity only: which sensitive values the records have that may hide something is not "
            "counted. Use the method 'ocs'."
        )
