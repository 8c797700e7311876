"""What the report of a release of trees says in sentences: why it is so, what to look at, what stays open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.before_signing import at_last, judged, unprotected
from shoal.report.every_limit import in_law, of_sets_and_trees
from shoal.report.words import listed, named, number, percent, plural

if TYPE_CHECKING:
    from shoal.report.tree_facts import ClassFacts, TreeFacts

# what a published tree says and what it does not (ERRATA 000-10)
_PRESENCE = "Where a published record shows one value below another, the two belonged together in the original."
ABSENCE = f"{_PRESENCE} Where it does not, nothing is said: they may have belonged together all the same."
MOVED = (
    f"{_PRESENCE} Where it does not, they may have belonged together all the same. Of labels that are kept apart it can be told in "
    "which records they did: a node is moved there only, and where it stands then shows that it was."
)
BRANCHES = "Knowing that two values stand side by side below one third value, and that it is the same one, is outside the promise."
PAIRWISE = (
    "The promise is pairwise: it counts what belongs together by pairs of values. Somebody who knows that three or more values "
    "stand on one path of a person, one below the other, may find fewer records than promised. The mode `strict` speaks of that "
    "as well."
)
_WARNED = "Labels are kept apart"  # the verifier's warning of what `_moved` tells begins so; it stands among the checks


def absence(apart: int) -> str:
    """What a published tree says. apart: pairs of labels that are kept apart."""
    return MOVED if apart else ABSENCE


def sentences(facts: TreeFacts) -> tuple[str, ...]:
    """What was done to the trees, and what made it necessary."""
    return (*_relations(facts), *_needed(facts), *(f"{named(one.name)}: {became(one)}." for one in facts.classes))


def became(one: ClassFacts) -> str:
    """What became of the values of a class."""
    if not one.values:
        return "no record has such a value"
    if one.gone:
        return "left out altogether; what hung below hangs below what stood above"
    if one.as_they_are == one.values:
        return "1 value shown as it is" if one.values == 1 else f"all {plural(one.values, 'value')} shown as they are"
    parts = [f"{number(one.as_they_are)} shown as they are"] if one.as_they_are else []
    if one.grouped:
        parts.append(f"{number(one.grouped)} under labels that stand for several")
    if one.varying:
        parts.append(f"{number(one.varying)} in several ways, group by group")
    if one.left_out:
        parts.append(f"{number(one.left_out)} left out")
    return f"of {plural(one.values, 'value')}, {listed(parts)}"


def _relations(facts: TreeFacts) -> tuple[str, ...]:
    if not any(one.parent for one in facts.classes):
        return ()
    kept = f"{percent(facts.relations_kept)} of the links between two values of a person are still shown."
    if not facts.apart:
        return (f"No two labels had to be kept apart. {kept}",)
    pairs = plural(len(facts.apart), "pair of labels", "pairs of labels")
    return (
        f"{pairs} {'is' if len(facts.apart) == 1 else 'are'} kept apart, because too few records (fewer than {facts.k}) would have "
        f"shown the two together with what else somebody may know. {kept}",
    )


def _needed(facts: TreeFacts) -> tuple[str, ...]:
    """How few fit what somebody may know, before."""
    said = [
        f"In the original, for somebody who knows of a person {one.words}, if these are the right ones, fewer than {facts.k} "
        f"records fit {percent(one.before)} of the people{' or fewer' if one.before < 1 else ''}."
        for one in facts.attackers
        if one.promised and one.before
    ]
    return tuple(said[-1:])


def _moved(facts: TreeFacts) -> tuple[str, ...]:
    """The promise counts what is shown. Where something was moved, what is missing elsewhere speaks as well."""
    if not facts.apart:
        return ()
    pairs = plural(len(facts.apart), "pair of labels", "pairs of labels")
    return (
        f"{pairs} {'is' if len(facts.apart) == 1 else 'are'} kept apart. The place of what was moved can tell which records had "
        f"the hidden relation: whoever knows the rules, which the codebook tells, may find fewer than {facts.k} records, even a "
        "single one. The promise does not speak of that. Use the method `ocs` or `tree-cluster` where it matters: they move "
        "nothing.",
    )


def attention(facts: TreeFacts) -> tuple[str, ...]:
    points = [point for point in judged(facts.verdict) if not facts.apart or not point.startswith(_WARNED)]
    points += _moved(facts)
    if facts.mode == "pairwise" and facts.m > 2:
        points.append(PAIRWISE)
    gone = [named(one.name) for one in facts.classes if one.gone]
    if gone:
        points.append(f"{listed(gone)} {'is' if len(gone) == 1 else 'are'} left out altogether.")
    beyond = next((one for one in facts.attackers if not one.promised and one.after), None)
    if beyond is not None and beyond.after is not None:
        points.append(
            f"The promise does not speak of somebody who knows of a person {beyond.words}: if these are the right ones, fewer than "
            f"{facts.k} published records fit {percent(beyond.after)} of the people then."
        )
    points += unprotected(facts, facts.private_facts, "everyone who shows the same tree has the same value.")
    return (*points, *at_last(facts))


def known_limits(facts: TreeFacts) -> tuple[str, ...]:
    values = "one value" if facts.m == 1 else f"{facts.m} values"
    absent = [f"{named(one.name)} ({plural(one.negated, 'value')})" for one in facts.classes if one.negated]
    lacking = f"some value other than those that the recipe names of {listed(absent)}" if absent else "some value"
    limits = [
        in_law(facts.verdict),
        f"The promise speaks of {listed([named(one.name) for one in facts.classes])}. It holds as far as this is all that others "
        "could know.",
        f"Somebody who knows more than {values} of a person, or how more than {plural(facts.n, 'pair')} of them "
        f"{'belongs' if facts.n == 1 else 'belong'} together, or that a person does not have {lacking}, is outside "
        "the promise, and may find a single record.",
        absence(len(facts.apart)),
        *_moved(facts),
        BRANCHES,
    ]
    if facts.mode == "pairwise":
        limits.append(PAIRWISE)
    if facts.apart:
        limits.append(
            f"The codebook lists the pairs of labels that are kept apart. That a pair is listed says that fewer than {facts.k} "
            "records would have shown the two together with what else somebody may know. A pair may stand here although no "
            "record shows it."
        )
    return (*limits, *of_sets_and_trees(facts))
