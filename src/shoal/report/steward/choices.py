"""Releases to choose from: what each would show and lose, with a few records of it. For the custodian; nothing is published."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from html import escape
from typing import Any

from shoal.report.words import measure, number, percent, plural

_LONG = 26  # characters


@dataclass(frozen=True)
class Cell:
    """What a published record shows in one place. Parts: texts, each with whether it was blurred."""

    parts: tuple[tuple[str, bool], ...]

    @property
    def blurred(self) -> bool:
        """Whether any of it was."""
        return any(blurred for _, blurred in self.parts)

    @property
    def long(self) -> bool:
        """Whether it should break into lines."""
        return sum(len(text) for text, _ in self.parts) > _LONG


@dataclass(frozen=True)
class Preview:
    """A few records as the release would show them; `same`: how many look the same as each, where that can be told."""

    heads: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    same: tuple[int, ...] = ()
    first: bool = True  # of the data; else spread over the release


@dataclass(frozen=True)
class Choice:
    """One release that keeps the promise."""

    k: int
    loss: float
    suppressed: int
    records: int  # published
    smallest: int | None  # group of people who look the same, where the release has such groups
    classes: int | None
    levels: tuple[tuple[str, str], ...] = ()  # column, how it is shown in words
    preview: Preview = Preview()
    method: str = ""  # that makes it again; empty: the recipe's
    proved: bool = True

    @property
    def average(self) -> Fraction | None:
        """The chance of picking out the right person, over all people."""
        return Fraction(self.classes, self.records) if self.classes and self.records else None


@dataclass(frozen=True)
class Reason:
    """Why a column is blurred as far as it is."""

    column: str
    shown: str
    words: str


@dataclass(frozen=True)
class Price:
    """The least loss when so many people may be left out."""

    limit: float
    loss: float
    suppressed: int


@dataclass(frozen=True)
class Choices:
    """All of them, k rising; and what they are compared with."""

    points: tuple[Choice, ...]
    records: int
    today: float | None  # chance of picking out the right person in the data as it is, over all people
    loss_title: str
    share: bool  # the loss lies between 0 and 1
    letter: str = "k"  # the number of the promise that is varied
    others: tuple[tuple[int, float], ...] = ()  # k and loss of releases that are no better than some point
    notes: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()
    prices: tuple[Price, ...] = ()
    refused: tuple[tuple[int, str], ...] = ()  # k without a release, and why
    basis: str = ""

    def to_json(self) -> dict[str, Any]:
        """Plain dictionaries, lists, strings and numbers."""
        return asdict(self)

    @classmethod
    def from_json(cls, facts: dict[str, Any]) -> Choices:
        """What `to_json` gave, after it was stored."""
        return cls(
            **{
                **facts,
                "points": tuple(_choice(one) for one in facts["points"]),
                "others": tuple((k, loss) for k, loss in facts["others"]),
                "notes": tuple(facts["notes"]),
                "reasons": tuple(Reason(**one) for one in facts["reasons"]),
                "prices": tuple(Price(**one) for one in facts["prices"]),
                "refused": tuple((k, why) for k, why in facts["refused"]),
            }
        )

    def chosen(self, k: int) -> int | None:
        """The place of the release that a promise of k people makes: the first that reaches it."""
        return next((place for place, point in enumerate(self.points) if point.k >= k), None)

    def trimmed(self, own: int) -> Choices:
        """Without releases that are beaten by another, which become faint; that of the recipe's own promise stays."""
        kept = tuple(point for point in self.points if self.is_best(point) or point.k == own)
        beaten = tuple((point.k, point.loss) for point in self.points if point not in kept)
        return replace(self, points=kept, others=(*self.others, *beaten))

    def is_best(self, point: Choice) -> bool:
        """Whether no other is as safe and loses less, or loses no more and is safer."""
        return not any(
            other.k >= point.k and other.loss <= point.loss and (other.k, other.loss) != (point.k, point.loss)
            for other in self.points
        )

    def lost(self, loss: float) -> str:
        """A loss inside a sentence."""
        return percent(loss) if self.share else measure(round(loss, 4))


def _choice(facts: dict[str, Any]) -> Choice:
    preview = facts["preview"]
    rows = tuple(
        tuple(Cell(tuple((text, blurred) for text, blurred in cell["parts"])) for cell in row)
        for row in preview["rows"]
    )
    shown = Preview(tuple(preview["heads"]), rows, tuple(preview["same"]), preview["first"])
    return replace(
        Choice(**{**facts, "preview": shown}), levels=tuple((name, words) for name, words in facts["levels"])
    )


def chance_words(chance: float | Fraction | None) -> str:
    """'78 in 100', '1 in 6,667'; nothing where it is not known."""
    if chance is None or not chance:
        return ""
    share = Fraction(chance)
    if share == 1:
        return "certain"
    if share > Fraction(1, 10):
        return f"{min(99, round(share * 100))} in 100"
    return f"1 in {number(round(1 / share))}"


def point_words(choices: Choices, point: Choice) -> str:
    """All about one point, for those who point at it or do not see it."""
    parts = [
        f"at least {number(point.k)} look the same"
        if choices.letter == "k"
        else f"at least {number(point.k)} different values",
        f"{choices.lost(point.loss)} of the detail lost" if choices.share else f"loss {choices.lost(point.loss)}",
        f"{plural(point.suppressed, 'person', 'people')} left out" if point.suppressed else "nobody left out",
    ]
    return ", ".join(parts)


def choices_html(choices: Choices) -> str:
    """The releases as a notebook shows them."""
    rows = [
        f"<tr><td>{number(point.k)}</td><td>{choices.lost(point.loss)}</td><td>{number(point.suppressed)}</td></tr>"
        for point in choices.points
    ]
    rows += [f"<tr><td>{number(k)}</td><td colspan=2>{escape(why)}</td></tr>" for k, why in choices.refused]
    below = "".join(f"<p>{escape(note)}</p>" for note in choices.notes)
    return f"<table><tr><th>{choices.letter}</th><th>lost</th><th>left out</th></tr>{''.join(rows)}</table>{below}"


def reason_words(failing: int, records: int) -> str:
    """What one step finer would do."""
    share = f" ({percent(Fraction(failing, records))})" if records else ""
    return f"One step finer, {plural(failing, 'person', 'people')}{share} would stand in groups that break the promise."
