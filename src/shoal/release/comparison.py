"""What comes back from a comparison: what each method would publish, measured."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from shoal.report.comparing.chart import compare as draw
from shoal.report.comparing.facts import table_html

if TYPE_CHECKING:
    from shoal.report.comparing.facts import CompareFacts, MethodFacts


@dataclass(frozen=True, eq=False)
class Comparison:
    """What each method would publish. Nothing was published, and the releases are gone.

    Examples
    --------
    >>> import shoal
    >>> shoal.compare("demo/recipe.toml", methods=["optimal"]).passed
    True
    """

    facts: CompareFacts
    warnings: tuple[str, ...]
    seconds: float

    @property
    def methods(self) -> tuple[MethodFacts, ...]:
        """One after the other, as they were asked for."""
        return self.facts.methods

    @property
    def floor(self) -> float | None:
        """Proved: no release along the hierarchies that keeps to k loses less, by the recipe's loss. None without a release."""
        return self.facts.floor

    @property
    def passed(self) -> bool:
        """Whether there was a release, and the verifier passed every one."""
        outcomes = {of.outcome for of in self.methods}
        return "pass" in outcomes and "fail" not in outcomes

    @cached_property
    def best(self) -> dict[str, tuple[str, ...]]:
        """Loss → the methods that lose least by it."""
        return {loss.name: self.facts.best(loss.name) for loss in self.facts.losses}

    @cached_property
    def pictures(self) -> dict[str, str]:
        """Loss → the methods by that loss, as SVG."""
        return {loss.name: draw(self.facts, loss) for loss in self.facts.losses}

    def to_json(self) -> dict[str, Any]:
        """As `shoal compare --json` prints it."""
        facts = self.facts
        losses = [value for of in facts.methods if of.outcome == "pass" and (value := facts.lost(of)) is not None]
        return {
            "verdict": "pass" if self.passed else "fail",
            "loss": min(losses, default=None),
            "loss_name": facts.chosen.name,
            "records_in": facts.records,
            "methods": [
                {
                    "method": of.method,
                    "verdict": None if of.outcome == "none" else of.outcome,
                    "reason": of.reason or None,
                    "loss": facts.lost(of),
                    "losses": dict(of.losses),
                    "records_out": of.records,
                    "suppressed": of.suppressed,
                    "classes": of.classes,
                    "smallest_class": of.smallest_class,
                    "average_class": of.average_class,
                    "optimal": of.optimal,
                    "at_most_above": facts.above_floor(of),
                    "seconds": round(of.seconds, 3),
                }
                for of in facts.methods
            ],
            "best": {loss: list(methods) for loss, methods in self.best.items()},
            "floor": facts.floor,
            "warnings": list(self.warnings),
            "seconds": round(self.seconds, 3),
        }

    def __repr__(self) -> str:
        loss = self.facts.chosen
        losses = [
            f"{of.method} {loss.figure(of.losses[loss.name]) if of.outcome != 'none' else 'no release'}"
            for of in self.methods
        ]
        return f"Comparison({self.facts.records:,} records, {loss.name} loss: {', '.join(losses)})"

    def _repr_html_(self) -> str:
        return f"{table_html(self.facts)}{self.pictures[self.facts.chosen.name]}"
