"""What somebody gains who has a register of the population, against a release that is about to be published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.attacks.tables.linkage import journalist_with_register
from shoal.release.attacking.register import read_register
from shoal.report import digits
from shoal.report.masking import mask
from shoal.report.risk import register_words
from shoal.report.tables.figures import JournalistRisk

if TYPE_CHECKING:
    from shoal.attacks.attack import Todo
    from shoal.release.kinds.tables.view import View
    from shoal.release.recipe.recipe import Recipe


@dataclass(frozen=True)
class Journalist:
    """For the custodian: a register is no part of what is published. `facts` is None where nothing is known of the population."""

    facts: JournalistRisk | None = None
    todo: Todo = ()


def journalist_on(recipe: Recipe, view: View, threshold: str | None) -> Journalist:
    """view: of the release; threshold: of chances, as the recipe says it."""
    register, recoded = read_register(recipe), view.recoded
    held = recoded.class_sizes > 0
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
