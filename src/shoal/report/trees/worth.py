"""Whether enough of trees is left, and which classes to leave out otherwise.

The loss that searches make small counts a node that shows `*` as half lost at most: that it is there is still told, and what it
stood below. Whoever wants values has nothing of that, so here a value counts as lost as far as it climbed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.words import named, percent
from shoal.report.worth import HIDDEN, LITTLE_LEFT, MOST_LOST, Notice, mostly_hidden, records_hidden

if TYPE_CHECKING:
    from shoal.report.trees.facts import ClassFacts, ClassLevel, TreeFacts

CURE = 'Leave out classes that nobody needs (`role = "identifying"`), give those without a hierarchy one, or lower m, n or k.'


def notices(facts: TreeFacts) -> tuple[Notice, ...]:
    """The most serious first."""
    shown = [one for one in facts.classes if one.levels or one.gone]
    hidden = [one.name for one in shown if _hidden(one) > HIDDEN]
    return (
        *_little_left(shown),
        *mostly_hidden(hidden, len(shown), "class", CURE),
        *records_hidden(facts.records),
    )


def _little_left(classes: list[ClassFacts]) -> tuple[Notice, ...]:
    lost = [_lost(one) for one in classes]
    mean = sum(lost) / len(lost) if lost else 0.0
    if mean <= MOST_LOST:
        return ()
    most = classes[lost.index(max(lost))]
    bare = ", which has no hierarchy: a value of it is shown as it is or not at all" if not most.height else ""
    return (
        Notice(
            LITTLE_LEFT,
            f"Nearly everything is lost: {percent(mean)} of the detail of values, on average over the classes. Most is lost of "
            f"{named(most.name)}{bare}. {CURE}",
        ),
    )


def _hidden(one: ClassFacts) -> float:
    """The share of its values that are left out or show `*`."""
    return sum(level.share for level in one.levels if _climbed(one, level) == 1) or float(one.gone)


def _lost(one: ClassFacts) -> float:
    """The mean share of the way to `*` that its values climbed."""
    return min(1.0, sum(level.share * _climbed(one, level) for level in one.levels)) or float(one.gone)


def _climbed(one: ClassFacts, level: ClassLevel) -> float:
    return 1.0 if level.level is None else min(1.0, level.level / max(one.height, 1))
