"""What is said of methods side by side: frozen values, and the figures in words. For the custodian, like the risk figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Literal

from shoal.report import digits
from shoal.report.words import floor_words, loss_figure, number

Outcome = Literal["pass", "fail", "none"]  # the verifier's answer; none: there was nothing to verify


@dataclass(frozen=True)
class ComparedLoss:
    """One way to measure the detail lost; less is better in all of them."""

    name: str
    title: str
    share: bool  # it lies between 0 and 1

    def figure(self, value: float) -> str:
        """Four decimals of a share; other figures as they are measured."""
        return loss_figure(value, share=self.share)


@dataclass(frozen=True)
class MethodFacts:
    """One method, and the release it would make."""

    method: str
    outcome: Outcome
    seconds: float  # to decide; applying and verifying a release takes as long for every method
    reason: str = ""  # why there is no release, or what the verifier found
    losses: Mapping[str, float] = field(default_factory=dict)  # by name
    records: int = 0  # published
    suppressed: int = 0
    classes: int = 0
    smallest_class: int = 0
    optimal: bool = False  # proved the best of all full-domain releases
    has_floor: bool = True  # the floor of the comparison holds for releases of this kind

    def __post_init__(self) -> None:
        if (self.outcome == "pass") == bool(self.reason):
            raise ValueError("A method either has a release that passed, or a reason why not.")

    @property
    def average_class(self) -> float:
        """Records of a class, on average."""
        return self.records / self.classes if self.classes else 0.0


@dataclass(frozen=True)
class CompareFacts:
    """All methods, and the losses they are compared by."""

    methods: tuple[MethodFacts, ...]
    losses: tuple[ComparedLoss, ...]  # the recipe's first
    records: int  # before anything is suppressed
    promises: tuple[str, ...]
    floor: float | None = (
        None  # proved: no recoding along the hierarchies that keeps to k loses less, by the recipe's loss
    )
    in_classes: bool = (
        True  # records lie in classes that look the same; else the smallest group is all there is to tell
    )

    def __post_init__(self) -> None:
        if not self.methods or not self.losses:
            raise ValueError("A comparison needs at least one method and one loss.")
        if any(self.lost(facts) is None for facts in self.methods if facts.outcome == "pass"):
            raise ValueError("A release was not measured by the loss of the recipe.")

    @property
    def chosen(self) -> ComparedLoss:
        """The loss of the recipe."""
        return self.losses[0]

    def lost(self, facts: MethodFacts) -> float | None:
        """By the loss of the recipe; None where there is no release."""
        return facts.losses.get(self.chosen.name)

    def best(self, loss: str) -> tuple[str, ...]:
        """The methods whose verified releases lose least by this measure."""
        values = {facts.method: facts.losses[loss] for facts in self.methods if _counts(facts, loss)}
        return tuple(method for method, value in values.items() if value == min(values.values()))

    def above_floor(self, facts: MethodFacts) -> float | None:
        """By which share the loss may be above the best possible: 0.34 is 34 %. None when nothing is proved."""
        lost = self.lost(facts)
        if lost is None or self.floor is None or not facts.has_floor or (self.floor <= 0 < lost):
            return None
        return digits.above(lost, self.floor) if self.floor else 0.0  # as the report of the release tells it


def _counts(facts: MethodFacts, loss: str) -> bool:
    return facts.outcome == "pass" and loss in facts.losses


def heads(facts: CompareFacts) -> tuple[str, ...]:
    """Over the columns of the table."""
    return (
        "method",
        "verdict",
        *(loss.name for loss in facts.losses),
        "hidden",
        *(("classes", "smallest", "average") if facts.in_classes else ("smallest",)),
        "seconds",
    )


def cells(facts: CompareFacts, of: MethodFacts) -> tuple[str, ...]:
    """The row of a method below `heads`. A star marks the least of a loss."""
    if of.outcome == "none":
        return (of.method, "no release", *("" for _ in heads(facts)[3:]), f"{of.seconds:.1f}")
    losses = []
    for loss in facts.losses:
        star = "*" if of.method in facts.best(loss.name) else ""
        losses.append(f"{loss.figure(of.losses[loss.name])}{star}" if loss.name in of.losses else "")
    return (
        of.method,
        of.outcome,
        *losses,
        number(of.suppressed),
        *([number(of.classes)] if facts.in_classes else []),
        number(of.smallest_class),
        *([f"{of.average_class:.1f}"] if facts.in_classes else []),
        f"{of.seconds:.1f}",
    )


def notes(facts: CompareFacts) -> tuple[str, ...]:
    """What stands below the table, a sentence each."""
    lines = []
    if any(of.outcome == "pass" for of in facts.methods):
        lines.append("* the least of its column. Every measure says how much detail is lost: less is better.")
    lines += [f"{of.method}: {of.reason}" for of in facts.methods if of.reason]
    for of in facts.methods:
        above = facts.above_floor(of)
        if above is not None and of.outcome == "pass" and floor_words(above):
            lines.append(f"{of.method}: {floor_words(above)} ({facts.chosen.name}).")
    return tuple(lines)


def table_html(facts: CompareFacts) -> str:
    """The table as a notebook shows it."""
    head = "".join(f"<th>{escape(words)}</th>" for words in heads(facts))
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells(facts, of)) + "</tr>" for of in facts.methods
    )
    below = "".join(f"<p>{escape(note)}</p>" for note in notes(facts))
    return f"<table><tr>{head}</tr>{rows}</table>{below}"
