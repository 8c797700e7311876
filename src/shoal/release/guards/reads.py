"""What a run reads, and that no release is written over it: `--replace` would delete what cannot be had again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from shoal.errors import RecipeError
from shoal.io.databases.urls import file_of
from shoal.io.location import beside, name_of
from shoal.io.publishing.names import family
from shoal.io.publishing.overlap import Place
from shoal.io.trees.fhir_mapping import MAPPINGS

if TYPE_CHECKING:
    from shoal.io.location import Location
    from shoal.io.publishing.overlap import Relation
    from shoal.release.recipe.recipe import Recipe


def reads(recipe: Recipe, without: Path | None = None) -> dict[str, Location]:
    """Every file and folder that a run of the recipe opens, by what names it. without: the list of people who are left out."""
    places: dict[str, Location] = {} if without is None else {"the list of people who are left out": without}
    if recipe.file is not None:
        places["the recipe itself"] = recipe.file
    if recipe.input is not None:
        if recipe.input.path:
            places["the data (`input.path`)"] = recipe.place(recipe.input.path)
        database = file_of(recipe.input.url, recipe.folder) if recipe.input.url else None
        if database is not None:
            places["the database (`input.url`)"] = database
        if isinstance(recipe.input.tables, dict) and not recipe.input.url:
            places |= {
                f"a table (`input.tables.{name}`)": recipe.place(path) for name, path in recipe.input.tables.items()
            }
        if recipe.input.mapping and recipe.input.mapping not in MAPPINGS:
            places["the mapping (`input.mapping`)"] = recipe.folder / recipe.input.mapping
    if recipe.population.file is not None:
        places["the register (`population.file`)"] = recipe.place(recipe.population.file)
    for name, spec in recipe.columns.items():
        if isinstance(spec.hierarchy, str):
            places[f"a hierarchy (`columns.{name}.hierarchy`)"] = recipe.folder / spec.hierarchy
    if recipe.ledger is not None:
        places["the ledger (`ledger.path`)"] = recipe.folder / recipe.ledger.path
    return places


def refuse_overwriting(recipe: Recipe, without: Path | None = None) -> None:
    """Refuse an output that is, holds or lies in something the run reads, in any spelling. So with the files beside it."""
    if recipe.output is None:
        return
    destination = recipe.place(recipe.output.path)
    targets = {name: Place.of(_beside(destination, name)) for name in family(name_of(destination))}
    problems = []
    for what, place in reads(recipe, without).items():
        source = Place.of(place)
        relations = ((name, target.to(source)) for name, target in targets.items())
        hit = next(((name, relation) for name, relation in relations if relation is not None), None)
        if hit is not None:
            problems.append(_problem(*hit, what, same_name=hit[0] == name_of(place)))
    if problems:
        raise RecipeError(*problems)


def _beside(destination: Location, name: str) -> Location:
    return destination.with_name(name) if isinstance(destination, Path) else beside(destination, name)


def _problem(name: str, relation: Relation, what: str, *, same_name: bool) -> str:
    if relation == "lies in":
        return f"output.path: {name} would lie in {what}, which this run reads. Choose another folder."
    if relation == "holds":
        return f"output.path: {name} would take the place of a folder that holds {what}. Choose another path."
    why = "" if same_name else " They are one through a link, or on file systems that ignore letter case."
    return f"output.path: {name} would be written over {what}, which this run reads. Choose another path.{why}"
