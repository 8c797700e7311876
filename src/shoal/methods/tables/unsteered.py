"""`[method] minimality = "safe"`: classes are decided by the quasi-identifiers alone, whatever the sensitive values are.

A method that looks for the least loss under l-diversity or t-closeness does no more than it has to, and that tells: whoever knows
the method and everyone's quasi-identifiers tries all ways to deal out the sensitive values, and keeps those that would have ended
in the same release (Wong, Fu, Wang, Pei: Minimality attack in privacy preserving data publishing, VLDB 2007). Here the method is
asked for k alone and never sees a sensitive value. Then the promises that speak of them are judged on what it decided; where one is
broken, the run refuses, and nothing is mended: a class that is merged because of its values would tell of them again.

Why nothing is learned from the choice: exchange the sensitive values of any two people of the same class. The classes stay as
they are, each holds the same values as often as before, and so the promises hold as before: the release is the same. So all ways to
deal out the values of a class among its people are equally possible, and what is believed of a person is the share of a value in
their class. Records with the same quasi-identifiers stay together, so that who is where depends on nothing else.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.errors import Infeasible, InternalError
from shoal.guarantees.guarantee import ClassCounts, Histogram, of_classes
from shoal.methods.tables.problem import table_recoding
from shoal.recoding.tables.recoded import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.engines.engine import Engine
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.methods.method import Decision, Listener, Method
    from shoal.methods.tables.problem import TableProblem
    from shoal.recoding.tables.recoded import Recoded

SAFE = "safe"


def decide_unsteered(
    method: Method, engine: Engine, problem: TableProblem, listener: Listener, options: Mapping[str, Any]
) -> Decision:
    """What the method decides without the sensitive values; `Infeasible` where that breaks a promise about them."""
    if problem.loss.column is not None:
        raise InternalError(
            "A loss that looks at sensitive values steers what is decided; the recipe should have been refused."
        )
    blind = tuple(guarantee for guarantee in problem.guarantees if guarantee.sensitive is None)
    seeing = tuple(guarantee for guarantee in problem.guarantees if guarantee.sensitive is not None)
    decision = method.decide(engine, replace(problem, guarantees=blind, sensitive={}, whole=True), listener, **options)
    if not seeing:
        return decision
    recoded = table_recoding(decision).over(engine.frequency_set(problem.hierarchies, problem.sensitive))
    if set(recoded.sensitive) != set(problem.sensitive):
        raise Infeasible(
            f"Method '{method.name}' divides records that have the same values among classes, so what each class holds is not "
            'known before it is published. Take another method with `minimality = "safe"`.'
        )
    counts = class_counts(recoded, problem.sensitive)
    for guarantee in of_classes(seeing):
        failing = guarantee.failing(counts)
        if failing.any():
            raise Infeasible(_why(guarantee.technical(), int(failing.sum()), len(failing)))
    return decision


def class_counts(recoded: Recoded, hierarchies: Mapping[str, Hierarchy | None]) -> ClassCounts:
    """Sizes and sensitive values of the classes that are published."""
    count = len(recoded.values)
    groups = np.where(recoded.classes == HIDDEN, count, recoded.classes).astype(np.int32)
    sizes = np.bincount(groups, weights=recoded.counts, minlength=count + 1).astype(np.int64)
    histograms = {
        column: Histogram(
            s.tuples, s.values, s.counts, s.value_count, hierarchies.get(column), s.missing, s.places
        ).regrouped(groups)
        for column, s in recoded.sensitive.items()
    }
    return ClassCounts(sizes, histograms).keep(np.arange(count + 1) < count)


def _why(promise: str, failing: int, classes: int) -> str:
    return (
        f"Decided by the quasi-identifiers alone, {failing:,} of {classes:,} classes break {promise}. With `[method] minimality = "
        '"safe"` nothing is mended by looking at the values, because that would tell of them. Ask for a larger k or coarser '
        "hierarchies (and settle them before you see what fails: each further try tells a little), promise less, or leave "
        "`minimality` out."
    )
