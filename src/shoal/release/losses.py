"""How the report tells a loss, whatever was released. Which losses there are stands in `losses.py` of each slice of `kinds`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from shoal.report import digits
from shoal.report.comparing.facts import ComparedLoss
from shoal.report.facts import LossFacts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Measure(Protocol):
    """What every loss says of itself."""

    @property
    def title(self) -> str:
        """As the field calls it."""

    @property
    def plain(self) -> str:
        """The same in plain words."""

    @property
    def share(self) -> bool:
        """Whether it lies between 0 and 1."""

    @property
    def formula(self) -> str:
        """One sentence."""


def loss_fact(
    loss: Measure, value: float, *, minimised: bool, plain: str = "", counts_suppressed: bool = True
) -> LossFacts:
    """In few digits: the report is public. plain: in place of the words of the loss."""
    return LossFacts(
        loss.title,
        plain or loss.plain,
        digits.lost(value),
        loss.share,
        loss.formula,
        counts_suppressed,
        minimised=minimised,
    )


def compared(values: Mapping[str, float], measures: Mapping[str, Measure]) -> dict[ComparedLoss, float]:
    """For a comparison of methods, which tells all digits."""
    return {ComparedLoss(name, measures[name].title, measures[name].share): value for name, value in values.items()}


def minimised_first(facts: Iterable[LossFacts]) -> tuple[LossFacts, ...]:
    """The loss that was to be small stands before all others."""
    return tuple(sorted(facts, key=lambda loss: not loss.minimised))
