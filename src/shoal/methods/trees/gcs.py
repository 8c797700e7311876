"""Method `gcs`: Greedy Cut Search of paper 000 (Gkountouna and Terrovitis), section 3.4, for k^(m,n)-anonymity of trees.

Values are blurred along their hierarchies by one cut for all records, and relations that few records hold are taken apart. The
search goes from everything left out towards detail, the most promising cut first; see `search.py`. What it finds is then made
finer value by value, see `refine.py`; with `siblings = "together"` it is left as the paper has it.
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

    from shoal.engines.engine import Engine
    from shoal.methods.method import Decision, Listener, Problem

G, PATIENCE = 2, 10
APART, TOGETHER = "apart", "together"
SEARCH_KEYS = {
    "g": f"how many of the cuts that come out of one are gone on with; {G} without it",
    "siblings": '"apart" (without it): values that are frequent enough are shown though others of their group are not; "together": '
    "a group is opened for all its values or none",
    "patience": f"how many cuts in a row may bring nothing better before the search ends; {PATIENCE} without it",
}


class Gcs:
    name: ClassVar[str] = "gcs"
    kind: ClassVar[str] = "trees"
    title: ClassVar[str] = "Greedy search for a cut, with relations taken apart"
    keys: ClassVar[Mapping[str, str]] = SEARCH_KEYS

    def problems(self, options: Mapping[str, Any]) -> list[str]:
        return key_problems(self.name, self.keys, options) + number_problems(options)

    def decide(self, engine: Engine, problem: Problem, listener: Listener, **options: Any) -> Decision:
        return decided(self.name, engine, problem, listener, options, may_part=True)


def decided(
    name: str, engine: Engine, problem: Problem, listener: Listener, options: Mapping[str, Any], *, may_part: bool
) -> Decision:
    """The greedy search, with or without taking relations apart."""
    started = time.monotonic()
    listener(Progress("count", "counting trees"))
    ground = ground_of(engine, problem)
    listener(Progress("search", f"{len(ground.forest):,} different trees"))
    steps = Steps(ground, may_part)
    found = search(steps, options.get("g", G), options.get("patience", PATIENCE), listener)
    if options.get("siblings", APART) == APART:
        cut, tried = refined(steps, found.cut, listener)
        found = replace(found, cut=cut, tried=found.tried + tried)
    listener(Progress("search", "counting every fragment once more"))
    return decision_of(ground, found, started, name)


def number_problems(options: Mapping[str, Any]) -> list[str]:
    siblings = options.get("siblings", APART)
    mistakes = [] if siblings in (APART, TOGETHER) else [f'`siblings` must be "apart" or "together"; got {siblings!r}.']
    return mistakes + [
        f"`{key}` must be a whole number of at least 1; got {options[key]!r}."
        for key in ("g", "patience")
        if key in options and (isinstance(options[key], bool) or not isinstance(options[key], int) or options[key] < 1)
    ]
