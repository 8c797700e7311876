"""What somebody gains who has a register of the population, against a release that is about to be published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.attacks.risk import risk_of
from shoal.attacks.tables.linkage import journalist_with_register
from shoal.attacks.uniqueness.estimate import estimate
from shoal.errors import InternalError
from shoal.release.attacking.register import read_register
from shoal.report import digits
from shoal.report.masking import mask
from shoal.report.risk import register_words, uniqueness_words
from shoal.report.tables.figures import JournalistRisk

if TYPE_CHECKING:
    from shoal.attacks.attack import Todo
    from shoal.attacks.uniqueness.estimate import Uniqueness
    from shoal.release.kinds.tables.view import View
    from shoal.release.recipe.recipe import Recipe


@dataclass(frozen=True)
class Journalist:
    """For the custodian: a register is no part of what is published. `facts` is None where nothing is known of the population."""

    facts: JournalistRisk | None = None
    todo: Todo = ()


def journalist_on(recipe: Recipe, view: View, threshold: str | None) -> Journalist:
    """view: of the release; threshold: of chances, as the recipe says it."""
    register, recoded, size = read_register(recipe), view.recoded, recipe.population.size
    held = recoded.class_sizes > 0
    if register is None and size is not None and size >= recoded.rows and held.any():
        return Journalist(_estimated(view, size, threshold))
    if register is None or not held.any():
        return Journalist()
    labels = [shown.labels for shown in recoded.shown]
    matched = register.against(view.columns, labels, recoded.values[held], recoded.class_sizes[held])
    risk = register.risk(matched, None if threshold is None else float(threshold))
    facts = JournalistRisk(
        register_words(risk),
        min(1.0, digits.up(risk.highest)),
        min(1.0, digits.up(risk.average)),
        mask(risk.records_at_risk, view.k),
    )
    named, k = journalist_with_register, view.k
    attack = ("journalist with a register", lambda: (named(matched.records, matched.matches, k, register.people),))
    return Journalist(facts, (attack,))


def _estimated(view: View, size: int, threshold: str | None) -> JournalistRisk:
    """Of a population of which nothing but the size is known; beside it, who was unique there before."""
    recoded = view.recoded
    limit = 1 / view.k if threshold is None else float(threshold)
    after = risk_of(recoded.class_sizes[recoded.class_sizes > 0], threshold=limit, population=size).journalist
    if after is None or after.records_at_risk is None:
        raise InternalError("With a population figure and a threshold the journalist's risk is known.")
    _, tuples = np.unique(recoded.codes, axis=0, return_inverse=True)
    before = estimate(np.bincount(tuples.reshape(-1), recoded.counts).astype(np.int64), size)
    return JournalistRisk(
        f"{size:,} people, of whom nothing else is known: estimated. Before the release, {_unique(before, view.k)}",
        min(1.0, digits.up(after.highest)),
        min(1.0, digits.up(after.average)),
        mask(after.records_at_risk, view.k),
    )


def _unique(before: Uniqueness, k: int) -> str:
    """Few are not counted out."""
    if before.model != "none" and round(before.records) < k:
        return f"fewer than {k:,} records were unique in the population (estimated)."
    return f"{uniqueness_words(before)}."
