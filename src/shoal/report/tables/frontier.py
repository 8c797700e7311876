"""What is said of a frontier: frozen values, and the sentences about its steps. For the custodian, like the risk figures."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from itertools import pairwise

from shoal.report.words import listed, measure, named, number, percent, plural


@dataclass(frozen=True)
class FrontierPoint:
    """The best release for its k."""

    k: int
    loss: float
    levels: tuple[tuple[str, int, str], ...]  # column, level, how it is published in words
    suppressed: int
    classes: int
    ties: int  # how many combinations of levels have this k and loss
    bound: float  # nothing that reaches this k loses less
    proved: bool

    def __post_init__(self) -> None:
        if self.k < 1 or self.ties < 1:
            raise ValueError("A point of a frontier needs a k of at least 1 and one combination of levels or more.")


@dataclass(frozen=True)
class FrontierFacts:
    """All points, and what they are compared with: the data as it is, and the recipe."""

    points: tuple[FrontierPoint, ...]  # k and loss rise
    records: int
    limit: int  # records that may be suppressed
    today_k: int  # of the data as it is
    today_loss: float
    asked_k: int  # the k of the recipe
    loss_title: str
    share: bool  # the loss lies between 0 and 1
    complete: bool
    evaluated: int
    lattice: int

    def __post_init__(self) -> None:
        if not self.points or any(a.k >= b.k or a.loss >= b.loss for a, b in pairwise(self.points)):
            raise ValueError("A frontier has points, and they rise in k and in loss.")

    @property
    def chosen(self) -> FrontierPoint | None:
        """The point of least loss that reaches the recipe's k."""
        return next((point for point in self.points if point.k >= self.asked_k), None)

    def lost(self, loss: float) -> str:
        """A loss for a table: four decimals of a share, or a whole number."""
        return f"{loss:.4f}" if self.share else measure(loss)

    def lost_in_words(self, loss: float) -> str:
        """A loss inside a sentence."""
        return percent(loss) if self.share else measure(loss)


def next_steps(facts: FrontierFacts) -> tuple[str, ...]:
    """For every point what the next larger k costs, and which columns change for it."""
    return (*(_step(facts, *pair) for pair in pairwise(facts.points)), _last(facts))


def _step(facts: FrontierFacts, here: FrontierPoint, there: FrontierPoint) -> str:
    changes = [
        (after > before, f"{named(column)} {words}")
        for (column, before, _), (_, after, words) in zip(here.levels, there.levels, strict=True)
        if before != after
    ]
    coarser, finer = ([words for more, words in changes if more is kind] for kind in (True, False))
    hidden = there.suppressed - here.suppressed
    parts = [
        listed(coarser),
        f"in return {listed(finer)}" if finer else "",
        f"{plural(abs(hidden), 'record')} {'more' if hidden > 0 else 'fewer'} hidden" if hidden else "",
    ]
    return (
        f"From k = {number(here.k)} to k = {number(there.k)} costs {facts.lost(there.loss - here.loss)} more loss: "
        f"{'; '.join(part for part in parts if part)}."
    )


def _last(facts: FrontierFacts) -> str:
    last = facts.points[-1]
    most = "There is no larger k than" if facts.complete else "No larger k was found than"
    return f"{most} {number(last.k)}, for {facts.lost(last.loss)} in all."


def how_sure(facts: FrontierFacts) -> str:
    """How much was looked at, and whether the points are proved."""
    looked = f"{number(facts.evaluated)} of {number(facts.lattice)} combinations of levels were looked at"
    if facts.complete:
        return f"{looked}; these are proved to be all the points there are."
    proved = sum(point.proved for point in facts.points)
    return f"{looked}, then the time was up; {number(proved)} of the {plural(len(facts.points), 'point')} are proved."


def point_words(facts: FrontierFacts, point: FrontierPoint) -> str:
    """All about one point, for those who point at it."""
    parts = [
        f"k = {number(point.k)}: everyone looks like at least {number(point.k - 1)} others (smallest class {number(point.k)})",
        f"{facts.lost_in_words(point.loss)} lost ({facts.lost(point.loss)})",
        f"{plural(point.suppressed, 'record')} hidden of {number(facts.records)}",
        f"{plural(point.classes, 'class', 'classes')}",
        *(f"{column} {words}" for column, _, words in point.levels),
    ]
    if point.ties > 1:
        parts.append(f"{number(point.ties)} combinations of levels are as good")
    if not point.proved:
        parts.append(f"not proved the best: the least loss for this k is at least {facts.lost(point.bound)}")
    return "; ".join(parts)


def level_words(level: int, height: int, example: str) -> str:
    """'exact', 'hidden', 'in groups such as 20-39 (step 3 of 5)', or the number of the step where no example may be shown."""
    if level == 0:
        return "exact"
    if level == height:
        return "hidden"
    return (
        f"in groups such as {named(example)} (step {level} of {height})" if example else f"at step {level} of {height}"
    )


def table_html(facts: FrontierFacts) -> str:
    """The points as a notebook shows them."""
    heads = ("k", "loss", "hidden", "classes", "levels", "what the next step costs")
    head = "".join(f"<th>{escape(words)}</th>" for words in heads)
    rows = []
    for point, step in zip(facts.points, next_steps(facts), strict=True):
        blurred = ", ".join(f"{column} {words}" for column, level, words in point.levels if level) or "all exact"
        cells = (
            number(point.k),
            facts.lost(point.loss),
            number(point.suppressed),
            number(point.classes),
            blurred,
            step,
        )
        rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    return f"<table><tr>{head}</tr>{''.join(rows)}</table><p>{escape(how_sure(facts))}</p>"
