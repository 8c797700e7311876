"""What the report of a release of trees says in sentences: why it is so, what to look at, what stays open."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.report.limits import in_law, of_sets_and_trees
from shoal.report.signing.gaps import at_last, findable, judged, unprotected
from shoal.report.signing.grounds import Remains
from shoal.report.words import listed, named, number, percent, plural

if TYPE_CHECKING:
    from shoal.report.trees.facts import ClassFacts, TreeFacts

# what a published tree says and what it does not (ERRATA 000-10)
_PRESENCE = "Where a published record shows one value below another, the two belonged together in the original."
ABSENCE = f"{_PRESENCE} Where it does not, nothing is said: they may have belonged together all the same."
MOVED = (
    f"{_PRESENCE} Where it does not, they may have belonged together all the same. For labels that are kept apart it can be told "
    "in which records they did: only there is a node moved, and its place shows that it was."
)
IN_PLACE = (
    "Below some values others are shown for nobody, because too few had them there (the codebook lists them). That a record does "
    "not show one there says nothing about that person. Elsewhere it is shown as usual."
)
COUNTED = (
    "What is left out below others is counted so that whoever knows the rules finds as many records that may have it as are "
    "promised. That these records may have it does not say that they are equally likely to. Somebody who knows how many values "
    "of a class a person has is outside the promise."
)
BRANCHES = "Knowing that two values stand side by side below the very same third value is outside the promise."
PAIRWISE = (
    "The promise is pairwise: it counts what belongs together by pairs of values. Somebody who knows that three or more values "
    "stand on one path of a person, one below the other, may find fewer records than promised. The mode `strict` speaks of that "
    "as well."
)
_KEPT_APART = "kept-apart"  # the code of the verifier's warning of what `_moved` tells; it stands among the checks


def absence(apart: int, out: int = 0) -> str:
    """What a published tree says. apart: pairs of labels that are kept apart; out: of which one is left out below the other."""
    return MOVED if apart else f"{ABSENCE} {IN_PLACE}" if out else ABSENCE


def sentences(facts: TreeFacts) -> tuple[str, ...]:
    """What was done to the trees, and what made it necessary."""
    return (*_relations(facts), *_needed(facts), *(f"{named(one.name)}: {became(one)}." for one in facts.classes))


def became(one: ClassFacts) -> str:
    """What became of the values of a class."""
    if one.values is None:
        return _shown(one)
    if not one.values:
        return "no record has such a value"
    if one.gone:
        return "left out altogether; what hung below hangs below what stood above"
    if one.as_they_are == one.values:
        return "1 value shown as it is" if one.values == 1 else f"all {plural(one.values, 'value')} shown as they are"
    parts = (
        [f"{number(one.as_they_are)} shown as {'it is' if one.as_they_are == 1 else 'they are'}"]
        if one.as_they_are
        else []
    )
    if one.grouped:
        parts.append(f"{number(one.grouped)} under labels that stand for several")
    if one.varying:
        parts.append(f"{number(one.varying)} in several ways, group by group")
    if one.left_out:
        parts.append(f"{number(one.left_out)} left out")
    return f"of {plural(one.values, 'value')}, {listed(parts)}"


def _shown(one: ClassFacts) -> str:
    """The same of the release alone."""
    if not one.published:
        return "nothing of it is published"
    parts = [f"{plural(one.as_they_are, 'value')} shown as {'it is' if one.as_they_are == 1 else 'they are'}"]
    parts = parts if one.as_they_are else []
    if one.grouped:
        parts.append(f"{plural(one.grouped, 'label')} that {'stands' if one.grouped == 1 else 'stand'} for several")
    return listed(parts)


def _relations(facts: TreeFacts) -> tuple[str, ...]:
    if not any(one.parent for one in facts.classes):
        return ()
    kept = ""
    if facts.relations_kept is not None:
        kept = f" {percent(facts.relations_kept)} of the links between two values of a person are still shown."
    if facts.out:
        return (f"{_left_out(facts)}{kept}",)
    if not facts.apart:
        return (f"No two labels had to be kept apart.{kept}",)
    pairs = plural(len(facts.apart), "pair of labels", "pairs of labels")
    return (
        f"{pairs} {'is' if len(facts.apart) == 1 else 'are'} kept apart, because too few records (fewer than {facts.k}) would have "
        f"shown the two together with what else somebody may know.{kept}",
    )


def _left_out(facts: TreeFacts) -> str:
    """By an example, which only labels are part of that the release shows."""
    one, more = facts.out[0], len(facts.out) - 1
    others = f" So it is with {plural(more, 'other pair', 'other pairs')}." if more else ""
    return (
        f"Below {named(one.upper)} ({one.upper_class}), {named(one.lower)} ({one.lower_class}) is shown for nobody, because too "
        "few had it there. That a record does not show it there says nothing about that person. Elsewhere it is shown as usual."
        f"{others}"
    )


def _needed(facts: TreeFacts) -> tuple[str, ...]:
    """How few fit what somebody may know, before."""
    lines = [
        f"In the original, for somebody who knows of a person {one.words}, if these are the right ones, fewer than {facts.k} "
        f"records fit {'at most ' if one.before < 1 else ''}{percent(one.before)} of the people."
        for one in facts.attackers
        if one.promised and one.before
    ]
    return tuple(lines[-1:])


def _moved(facts: TreeFacts) -> tuple[str, ...]:
    """The promise counts what is shown. Where something was moved, what is missing elsewhere speaks as well."""
    if not facts.apart:
        return ()
    pairs = plural(len(facts.apart), "pair of labels", "pairs of labels")
    return (
        f"{pairs} {'is' if len(facts.apart) == 1 else 'are'} kept apart. The place of what was moved can tell which records had "
        f"the hidden relation: whoever knows the rules, which the codebook tells, may find fewer than {facts.k} records, even a "
        "single one. The promise does not speak of that. Use the method `inplace`, `ocs` or `tree-cluster` where it matters: they "
        "move nothing.",
    )


def remains(facts: TreeFacts) -> Remains:
    """What is promised: the verifier checked it, and nothing counts how far the release goes beyond."""
    values = "one value" if facts.m == 1 else f"up to {facts.m} values"
    pairs = (
        f", and how up to {plural(facts.n, 'pair')} of them belong{'s' if facts.n == 1 else ''} together"
        if facts.n
        else ""
    )
    return Remains(f"{values} of a person{pairs}", Fraction(1, facts.k), counted=False)


def attention(facts: TreeFacts) -> tuple[str, ...]:
    """What somebody who signs should look at first, most serious first."""
    points = [*judged(facts.verdict, but=_KEPT_APART if facts.apart else None), *findable(facts)]
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
    """What the release does not promise, whatever the recipe says."""
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
        absence(len(facts.apart), len(facts.out)),
        *_moved(facts),
        *((COUNTED,) if facts.out else ()),
        BRANCHES,
    ]
    if facts.mode == "pairwise":
        limits.append(PAIRWISE)
    if facts.apart:
        limits.append(
            f"The codebook lists the pairs of labels that are kept apart. That a pair is listed says that fewer than {facts.k} "
            "records would have shown the two together with what else somebody may know. A pair may be listed although no "
            "record shows it."
        )
    return (*limits, *of_sets_and_trees(facts))
