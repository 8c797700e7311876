"""What each k costs where there is no exact frontier: sets of items and trees. Every point is a release by the recipe's own method
that was made, verified and let go; between two of them nothing is known.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import RecipeError
from shoal.io.source import from_frame
from shoal.methods.keys import seconds_of
from shoal.release.editing.document import RecipeDocument
from shoal.release.guards.unconfirmed import unconfirmed_warnings
from shoal.release.plan import tree_schema
from shoal.release.searching.promised import number_of
from shoal.release.searching.sweep import SECONDS, sweep
from shoal.report.charts.choices import choices_plot
from shoal.report.steward.choices import choices_html

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.methods.method import Listener
    from shoal.release.recipe.recipe import Recipe
    from shoal.report.steward.choices import Choice, Choices


@dataclass(frozen=True, eq=False)
class SweptFrontierResult:
    """Releases for one k after the other. Nothing was published, and the releases are gone.

    Examples
    --------
    >>> import polars, shoal
    >>> baskets = polars.DataFrame({"items": [["a", "b"], ["a"], ["b"]] * 4})
    >>> front = shoal.frontier(baskets, quasi="items", k=2)
    >>> [point.k for point in front.points]
    [2, 3, 5, 10]
    """

    found: Choices
    method: str
    asked: int  # the number of the recipe's own promise
    loss_name: str
    warnings: tuple[str, ...]
    seconds: float

    @property
    def points(self) -> tuple[Choice, ...]:
        """Ascending by k. Those that another beats are left out, but for that of the recipe."""
        return self.found.points

    @property
    def passed(self) -> bool:
        """Whether there was a release that the verifier passed; others are no points."""
        return bool(self.points)

    @cached_property
    def picture(self) -> str:
        """The points as SVG."""
        return choices_plot(self.found, self.found.chosen(self.asked), title="What each promise costs")

    def to_json(self) -> dict[str, Any]:
        """As `shoal frontier --json` prints it."""
        found = self.found
        return {
            "verdict": "pass" if self.passed else "fail",
            "method": self.method,
            "number": found.letter,
            "points": [
                {found.letter: one.k, "loss": one.loss, "suppressed": one.suppressed, "records_out": one.records}
                for one in self.points
            ],
            "beaten": [{found.letter: number, "loss": loss} for number, loss in found.others],
            "refused": [{found.letter: number, "reason": reason} for number, reason in found.refused],
            "asked": self.asked,
            "loss_name": self.loss_name,
            "records_in": found.records,
            "complete": False,
            "warnings": [*self.warnings, *found.notes],
            "seconds": round(self.seconds, 3),
        }

    def __repr__(self) -> str:
        found = self.found
        points = ", ".join(f"{found.letter} = {one.k:,}: {found.lost(one.loss)}" for one in self.points)
        return f"SweptFrontierResult({self.method}, {self.loss_name} loss {points or 'no release'})"

    def _repr_html_(self) -> str:
        return f"{self.picture}{choices_html(self.found)}"


def swept_frontier(
    recipe: Recipe,
    frame: Any = None,
    *,
    budget: str | float | None,
    points: int | None,
    deltas: Sequence[float] | None,
    listener: Listener,
) -> SweptFrontierResult:
    """frame: a data frame; None: the recipe's input. budget: no other release is begun that would end later."""
    started = time.monotonic()
    if points is not None or deltas is not None:
        raise RecipeError("`points` and `deltas` are for mixed tables; here one k after the other is tried.")
    source = None if frame is None else from_frame(frame, recipe.schema_.sets, trees=tree_schema(recipe))
    document = RecipeDocument((recipe.home or Path.cwd()) / "recipe.toml", recipe.to_toml(), "")
    seconds = seconds_of(budget)
    found = sweep(document, listener, seconds=SECONDS if seconds is None else seconds, source=source)
    warnings = tuple(unconfirmed_warnings(recipe))
    return SweptFrontierResult(
        found,
        recipe.method_name,
        number_of(recipe.guarantees),
        recipe.loss_name,
        warnings,
        time.monotonic() - started,
    )
