"""What is said of a frontier of single values against items: frozen values, and the sentences about them. For the custodian."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Literal

from shoal.report.words import listed, number, percent, plural

Outcome = Literal["pass", "fail", "none"]  # the verifier's answer; none: there was nothing to verify


@dataclass(frozen=True)
class ItemLoss:
    """One way to measure what the items lose."""

    name: str
    title: str


@dataclass(frozen=True)
class DeltaPoint:
    """The release for one delta."""

    delta: str  # as a recipe has it
    outcome: Outcome
    seconds: float
    reason: str = ""  # why there is no release, or what the verifier found
    table_loss: float = 0.0
    item_losses: Mapping[str, float] = field(default_factory=dict)  # by name
    classes: int = 0
    smallest_class: int = 0
    largest_class: int = 0
    dominated: bool = False  # another loses no more on either side, and less on one
    same_as: str | None = None  # a smaller delta that loses the same on both sides

    def __post_init__(self) -> None:
        if (self.outcome == "pass") == bool(self.reason):
            raise ValueError("A point either has a release that passed, or a reason why not.")
        if not 0 <= float(self.delta) <= 1:
            raise ValueError(f"delta lies between 0 and 1; got {self.delta}.")

    @property
    def line(self) -> str:
        """What a recipe says to get this release."""
        return f"delta = {self.delta}"


@dataclass(frozen=True)
class DeltaFacts:
    """All points, and the recipe that they are compared with."""

    points: tuple[DeltaPoint, ...]  # delta rises
    records: int
    method: str
    bounds: Literal["values", "items"]  # which side delta is the most of
    promises: tuple[str, ...]
    item_losses: tuple[ItemLoss, ...]  # that of the recipe first
    asked: str  # the delta of the recipe, or the one without it
    left_out: int = 0  # deltas that were not tried, for want of time

    def __post_init__(self) -> None:
        deltas = [float(point.delta) for point in self.points]
        if deltas != sorted(set(deltas)):
            raise ValueError("The deltas of a frontier must rise.")
        if not self.item_losses:
            raise ValueError("What the items lose must be measured in some way.")

    @property
    def chosen_loss(self) -> ItemLoss:
        """The one of the recipe."""
        return self.item_losses[0]

    @property
    def passed(self) -> tuple[DeltaPoint, ...]:
        """Points whose release the verifier passed."""
        return tuple(point for point in self.points if point.outcome == "pass")

    @property
    def front(self) -> tuple[DeltaPoint, ...]:
        """The releases to pick from: none of them loses less on both sides than another. Of equal ones the first."""
        return tuple(point for point in self.passed if not point.dominated and point.same_as is None)

    def item_loss(self, point: DeltaPoint) -> float:
        """By the loss of the recipe."""
        return point.item_losses[self.chosen_loss.name]


def heads(facts: DeltaFacts) -> tuple[str, ...]:
    """Over the columns of the table."""
    return ("line", "ncp", *(loss.name for loss in facts.item_losses), "classes", "smallest", "largest", "")


def cells(facts: DeltaFacts, point: DeltaPoint) -> tuple[str, ...]:
    """The row of a point below `heads`."""
    if point.outcome == "none":
        return (point.line, *("" for _ in heads(facts)[1:-1]), _note(facts, point))
    losses = (f"{point.item_losses[loss.name]:.4f}" for loss in facts.item_losses)
    sizes = (number(size) for size in (point.classes, point.smallest_class, point.largest_class))
    return (point.line, f"{point.table_loss:.4f}", *losses, *sizes, _note(facts, point))


def _note(facts: DeltaFacts, point: DeltaPoint) -> str:
    notes = ["the recipe"] if _same(point.delta, facts.asked) else []
    if point.outcome == "none":
        notes.append("no release")
    elif point.outcome == "fail":
        notes.append("did NOT pass")
    elif point.dominated:
        notes.append("another is better")
    elif point.same_as is not None:
        notes.append(f"as {point.same_as}")
    return ", ".join(notes)


def notes(facts: DeltaFacts) -> tuple[str, ...]:
    """What stands below the table, a sentence each."""
    bounded = "the single values" if facts.bounds == "values" else "the items"
    measures = listed([loss.name for loss in facts.item_losses])
    sentences = [
        f"Each line is a release by {facts.method}, made and verified ({listed(facts.promises)}), and let go: {bounded} lose at "
        "most delta.",
        f"ncp is what the single values lose, {measures} what the items do; less is better.",
    ]
    if facts.front:
        many = len(facts.front) > 1
        pick = f"Pick one of {len(facts.front)} releases that no other beats on both sides, and put" if many else "Put"
        sentences.append(f"{pick} its line into `[method]` of the recipe.")
    else:
        sentences.append("There is no release to pick from.")
    sentences += [f"{point.line}: {point.reason}" for point in facts.points if point.reason]
    if facts.left_out:
        sentences.append(f"Then the time was up: {plural(facts.left_out, 'more delta')} not tried.")
    return tuple(sentences)


def point_words(facts: DeltaFacts, point: DeltaPoint) -> str:
    """All about one point, for those who point at it."""
    items = (f"items lose {percent(point.item_losses[loss.name])} ({loss.name})" for loss in facts.item_losses)
    classes = f"{plural(point.classes, 'class', 'classes')} of {number(point.smallest_class)} to {number(point.largest_class)}"
    better = "; another loses no more on either side, and less on one" if point.dominated else ""
    return f"{point.line}: single values lose {percent(point.table_loss)} (ncp); {'; '.join(items)}; {classes}; verified{better}"


def table_html(facts: DeltaFacts) -> str:
    """The points as a notebook shows them."""
    head = "".join(f"<th>{escape(words)}</th>" for words in heads(facts))
    rows = []
    for point in facts.points:
        line, *rest = cells(facts, point)
        pale = ' style="opacity: 0.55"' if point not in facts.front else ""
        inside = f"<td><code>{escape(line)}</code></td>" + "".join(f"<td>{escape(cell)}</td>" for cell in rest)
        rows.append(f"<tr{pale}>{inside}</tr>")
    below = "".join(f"<p>{escape(note)}</p>" for note in notes(facts))
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>{below}"


def _same(one: str, other: str) -> bool:
    return float(one) == float(other)
