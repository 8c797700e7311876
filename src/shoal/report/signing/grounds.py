"""What helps to decide whether to sign: what speaks for it, what against, what nobody checked. All of it follows from the facts.

What speaks against is said by each kind (`attention` in its `words.py`), the most serious first. What nobody checked is never
empty: no program knows whether the roles of the columns are right.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.report.words import listed, named, number, one_in, percent, plural
from shoal.report.worth import MOST_LOST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.report.facts import ReleaseFacts
    from shoal.report.worth import Notice

_LITTLE = 0.2  # a loss up to here speaks for signing,
_MUCH = 0.5  # and one above this against it


@dataclass(frozen=True)
class Remains:
    """The risk that remains, as the figures on top of the page tell it.

    `after`, `before`: the highest chance of picking the right record, None where it is not told. `known`: what the attacker knows
    of a person. `counted`: `after` was counted in the release; else it is what the promise says. `register`: a population figure
    was given.
    """

    known: str
    after: Fraction | None
    before: Fraction | None = None
    counted: bool = True
    register: bool = False


@dataclass(frozen=True)
class Grounds:
    """Sentences for somebody who signs. `line`: all of it in short, the first line of the page."""

    line: str
    speaks_for: tuple[str, ...]
    against: tuple[str, ...]
    unchecked: tuple[str, ...]


def grounds(facts: ReleaseFacts, remains: Remains, attention: Sequence[str], notices: Sequence[Notice] = ()) -> Grounds:
    """attention: what each kind of release says against signing. notices: that little is left, and what to drop."""
    little = [notice.sentence for notice in notices]
    attention = [*little, *attention] if facts.verdict.passed else [*attention, *little]
    speaks_for = _speaks_for(facts, remains) if facts.verdict.passed else ()
    against = (*attention, *_against(facts, remains))
    unchecked = _unchecked(facts, remains)
    return Grounds(_line(facts, remains, against, unchecked), speaks_for, against, unchecked)


def _line(facts: ReleaseFacts, remains: Remains, against: Sequence[str], unchecked: Sequence[str]) -> str:
    if facts.verdict.passed:
        start = "For signing: the promise was verified."
        if remains.after is not None and not facts.accepted:
            chance = one_in(remains.after)
            start = f"{start[:-1]}; whoever knows {remains.known} picks somebody out with a chance of {chance} at most."
    else:
        start = "Do not sign: the promise is not kept."
    most = (
        f"Against: {_first(against[0])}{_and_more(against)}."
        if against
        else "Nothing was found that speaks against it."
    )
    return f"{start} {most} Nobody checked {_as_a_name(_first(unchecked[0]))}{_and_more(unchecked)}."


def _speaks_for(facts: ReleaseFacts, remains: Remains) -> tuple[str, ...]:
    """Only of a release that passed."""
    points = [
        f"All {plural(len(facts.verdict.checks), 'check')} of the verifier passed, on the file as it is published."
    ]
    if remains.after is not None:
        before = "" if remains.before is None else f" In the original it is {one_in(remains.before)}."
        points.append(
            f"Whoever knows {remains.known} picks the right record with a chance of {one_in(remains.after)} at most.{before}"
        )
    if facts.attacks and all(attack.kept for attack in facts.attacks):
        promised = sum(attack.bound is not None for attack in facts.attacks)
        points.append(
            f"{plural(len(facts.attacks), 'kind')} of attack {'was' if len(facts.attacks) == 1 else 'were'} simulated; in all "
            f"{promised} of which a promise speaks it is kept."
        )
    if facts.protected:
        points.append(
            f"{listed([named(name) for name in sorted(facts.protected)])}: a promise protects what is private."
        )
    if facts.records.suppressed == 0:
        points.append(f"Nobody is left out: all {plural(facts.records.published, 'record')} are published.")
    loss = facts.main_loss
    if loss is not None and loss.share and loss.value <= _LITTLE:
        points.append(f"Little is lost ({_as_a_name(loss.title)}: {percent(loss.value)}).")
    if facts.search.gap == 0:
        points.append("It is proved that no release with one level for each column loses less.")
    if facts.context.access == "restricted":
        points.append(
            f"Only those receive it whom the recipe names{f': {facts.context.recipients}' if facts.context.recipients else ''}."
        )
    return tuple(points)


def _against(facts: ReleaseFacts, remains: Remains) -> tuple[str, ...]:
    """What every kind may have to say behind its own points."""
    points = [
        f"A simulated attack succeeds more often than is promised ({attack.name}: {percent(attack.rate, 2)})."
        for attack in facts.attacks
        if not attack.kept
    ]
    points += [f"Together with {one.file} of {one.day}: {one.note}." for one in facts.earlier.open]
    loss = facts.main_loss
    if loss is not None and loss.share and _MUCH < loss.value <= MOST_LOST:  # beyond it a notice speaks
        points.append(
            f"Much is lost ({_as_a_name(loss.title)}: {percent(loss.value)}). Is the rest of use to those who receive it?"
        )
    if remains.counted and remains.after == Fraction(1, facts.k):
        points.append(f"There is no margin: for some people just {number(facts.k)} records fit, as many as promised.")
    if facts.context.access == "public":
        points.append("Anybody may obtain the release, and it cannot be taken back.")
    return tuple(points)


def _unchecked(facts: ReleaseFacts, remains: Remains) -> tuple[str, ...]:
    points = [
        "Whether the roles are right: what others could know of a person is what the recipe says.",
        f"What else somebody may know: more than {remains.known}, other data about the same people, or who is who in part of the "
        "records.",
    ]
    if not facts.earlier.checked:
        points.append("Earlier releases of the same people: two can tell together what neither tells alone.")
    if not remains.register:
        points.append("The risk against a register of the population.")
    if not facts.attacks:
        points.append("How far simulated attacks get.")
    points.append("Whether the release counts as anonymous in law: the controller decides that.")
    return tuple(points)


def _first(point: str) -> str:
    """The first sentence, or what stands before its colon."""
    sentence = point.partition(". ")[0].removesuffix(".")
    return sentence.partition(": ")[0]


def _and_more(points: Sequence[str]) -> str:
    return f" (and {plural(len(points) - 1, 'more point')})" if len(points) > 1 else ""


def _as_a_name(title: str) -> str:
    """Inside a sentence. Never used on what begins with the name of a column."""
    return title[:1].lower() + title[1:]
