"""Hold a release that was just made against its recipe and the data it came from.

The verifier is handed the recipe as its author wrote it, and the places of files or the user's own frame: nothing that was read,
parsed or built on the way to the release.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.engines.driver.memory import shares
from shoal.methods.method import Progress
from shoal.release.promise import refuse_other_promise
from shoal.verifier import verify_by_recipe
from shoal.verifier.recipe.places import Frame
from shoal.verifier.recipe.reading import RecipeText

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from shoal.methods.method import Listener
    from shoal.release.plan import Plan
    from shoal.release.recipe.recipe import Recipe
    from shoal.verifier.verdict import Verdict


def judge(
    plan: Plan,
    release: Any,
    assignment: Any,
    records: int,
    *,
    session: Any = None,
    rules: Mapping[str, Any] | None = None,
    scratch: Path | None = None,
    listener: Listener = lambda _: None,
) -> Verdict:
    """`release`, `assignment`: where they were written, or frames of the engine. `session`: of Spark, when it does the counting.

    `rules`: of trees, what the release says it did. `scratch`: a private folder for what the verifier reads and nobody keeps.
    """

    def watch(done: float | None) -> None:
        listener(Progress("verify", "checking what was written, as a stranger would", done))

    watch(None)
    recipe = text_of(plan.recipe)
    verdict = verify_by_recipe(
        release,
        recipe,
        original=recipe if plan.source.user_frame is None else Frame(plan.source.user_frame),
        assignment=assignment,
        records_in=records,
        spark=session,
        memory=shares(plan.recipe.engine.memory).verifier,
        scratch=scratch,
        watch=watch,
        rules=rules,
    )
    refuse_other_promise(plan, verdict)
    return verdict


def text_of(recipe: Recipe) -> RecipeText:
    """The recipe as its author wrote it."""
    return RecipeText(recipe.as_written, recipe.home)
