"""A release held against a recipe. The verifier is told what its author wrote and where files lie, and reads both by itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from shoal.errors import RecipeError
from shoal.verifier.audit import verify_release
from shoal.verifier.recipe.places import Frame, Input
from shoal.verifier.recipe.promise import promise_of
from shoal.verifier.recipe.reading import RecipeText, read_recipe
from shoal.verifier.terms import Terms
from shoal.verifier.verdict import SEEDED, Caution

if TYPE_CHECKING:
    from shoal.verifier.recipe.reading import Recipe
    from shoal.verifier.verdict import Verdict

NOT_PUBLISHABLE = (
    "Made with a `seed`, for tests: do not publish it. Which of the records that are alike went to which class follows from "
    "that number, and whoever guesses it may conclude what others hold. Take `seed` out of the recipe and run it again."
)


def verify_by_recipe(
    release: Any,
    recipe: RecipeText,
    *,
    original: Path | str | Frame | RecipeText | None = None,
    exempt_suppressed: bool = False,
    any_order: bool = False,
    encoding: str | None = None,
    **more: Any,
) -> Verdict:
    """The verdict, with the promise that was checked. `more`: as in `verify_release`.

    `encoding`: of the release, if it is a CSV file in another one than the recipe says.

    `original`: a place, written as `[input]` says; a data frame; or a recipe, for what its `[input]` names.
    """
    understood = read_recipe(recipe)
    terms = terms_of(understood, exempt_suppressed=exempt_suppressed, any_order=any_order)
    if encoding is not None:
        terms = replace(terms, dialect=replace(terms.dialect, encoding=encoding))
    verdict = verify_release(release, terms, original=_original(understood, original), **more)
    if understood.seeded:
        verdict = replace(verdict, warnings=(Caution(SEEDED, NOT_PUBLISHABLE), *verdict.warnings))
    return replace(verdict, promise=promise_of(understood))


def terms_of(recipe: Recipe, *, exempt_suppressed: bool = False, any_order: bool = False) -> Terms:
    """What a release is held against, but for the hierarchies: those are built over the original."""
    return Terms(
        recipe.schema,
        recipe.guarantees,
        suppression_limit=recipe.suppression_limit,
        missing=recipe.missing,
        exempt_suppressed=exempt_suppressed,
        spreadsheet_safe=recipe.spreadsheet_safe,
        items=recipe.items,
        dialect=recipe.dialect,
        any_order=any_order,
        left_out=recipe.left_out,
        forms=recipe.forms,
        labels=recipe.input is None or recipe.input.labels,
    )


def _original(recipe: Recipe, original: Path | str | Frame | RecipeText | None) -> Input | Frame | None:
    if original is None or isinstance(original, Frame):
        return original
    if isinstance(original, RecipeText):
        place = read_recipe(original).input
        if place is None:
            raise RecipeError("input: is not in the recipe, so it names no data.")
        return place
    written = recipe.input or Input()
    return replace(written, path=original, tables=MappingProxyType({}), url="", table="", query="", keys=())
