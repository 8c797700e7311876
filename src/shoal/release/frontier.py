"""The frontier of a recipe: what each k costs, of a table exactly; of a mixed table what each delta costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from shoal.engines.driver.stages import logged
from shoal.io.lazy_frames import takes_lazy_frames
from shoal.kernels.announcing import compiling_announced
from shoal.methods.method import Progress
from shoal.release.kinds.mixed.frontier import MixedFrontierResult, mixed_frontier
from shoal.release.kinds.tables.frontier import FrontierResult, table_frontier
from shoal.release.recipe.recipe import Recipe
from shoal.release.searching.frontier import SweptFrontierResult, swept_frontier
from shoal.release.short.roles import Names, Promises, Short, said_shortly, source_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from shoal.methods.method import Listener


class _Search(Protocol):
    def __call__(
        self,
        recipe: Recipe,
        frame: Any,
        *,
        budget: str | float | None,
        points: int | None,
        deltas: Sequence[float] | None,
        listener: Listener,
    ) -> FrontierResult | MixedFrontierResult | SweptFrontierResult: ...


FRONTIERS: Mapping[str, _Search] = {
    "tables": table_frontier,
    "sets": swept_frontier,
    "mixed": mixed_frontier,
    "trees": swept_frontier,
}


@takes_lazy_frames
def frontier(
    data: Any,
    recipe: Recipe | dict[str, Any] | Path | str | None = None,
    *,
    quasi: Names = None,
    sensitive: Names = None,
    drop: Names = None,
    plain: Names = None,
    k: int | None = None,
    l: float | None = None,  # noqa: E741  # the name of the parameter in the literature and in every recipe
    t: float | None = None,
    m: int | None = None,
    guarantees: Promises = None,
    suppression: float | None = None,
    budget: str | float | None = None,
    points: int | None = None,
    deltas: Sequence[float] | None = None,
    listener: Listener = lambda _: None,
) -> FrontierResult | MixedFrontierResult | SweptFrontierResult:
    """Every release that is best for its k, whatever k the recipe asks for.

    Of a mixed table (single values and sets of items): what each delta of `rum-bound` or `tum-bound` loses on both sides, each a
    release that was verified and let go.

    Of sets of items and of trees: what one k after the other costs by the recipe's own method, each release verified.

    Parameters
    ----------
    data : frame, path or Recipe
        With the recipe or the roles of its columns beside it, as in `anonymize`; or the recipe alone, which names its input.
    recipe : Recipe, dict or path, optional
        Beside a frame.
    quasi, sensitive, drop, plain, k, l, t, m, guarantees, suppression
        As in `anonymize`.
    budget : str or float, optional
        A time such as "60s"; what is found by then comes with bounds.
    points, deltas : optional
        Of a mixed table: how many deltas are tried, 9 without it; or which.
    listener : callable
        Called with a `Progress` at each step.

    Returns
    -------
    FrontierResult, MixedFrontierResult or SweptFrontierResult
        By the kind of the data.

    Examples
    --------
    >>> import shoal
    >>> front = shoal.frontier("demo/recipe.toml")
    >>> front.found.complete, front.points[0].k
    (True, 1)
    """
    listener = logged(listener)
    short = Short(quasi, sensitive, drop, plain, k, l, t, m, suppression, guarantees=guarantees)
    if short.given() and said_shortly(recipe, short):
        source, section = source_of(data)
        recipe = short.recipe(source, section=section)
        frame = None if section else data
    else:
        frame = None if recipe is None else data
        recipe = data if recipe is None else recipe
    recipe = Recipe.of(recipe) if isinstance(recipe, Recipe | dict) else Recipe.load(str(recipe))
    with compiling_announced(lambda: listener(Progress("compile", "once per machine"))):
        return FRONTIERS[recipe.schema_.kind](
            recipe, frame, budget=budget, points=points, deltas=deltas, listener=listener
        )
