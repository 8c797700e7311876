"""What would run: the recipe held against the data, before anything is decided or written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from shoal.data.schema import Schema
from shoal.errors import RecipeError, did_you_mean
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.io.databases.selection import Selection
from shoal.io.databases.source import open_database
from shoal.io.reading import RowReading, TreeReading
from shoal.io.source import Source, open_source
from shoal.io.trees.fhir_mapping import MAPPINGS
from shoal.methods.method import Method
from shoal.methods.registry import method_from
from shoal.release.kinds.trees.input import hint_at_tables, open_tables

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from shoal.io.location import Location
    from shoal.release.recipe.recipe import Recipe


@dataclass(frozen=True, eq=False)
class Plan:
    """A recipe, the data it is about, and the method that will decide."""

    recipe: Recipe
    source: Source
    schema: Schema
    method: Method
    output: Location | None


@dataclass(frozen=True, eq=False)
class Hierarchies:
    """Of the columns that something is promised about."""

    quasi: Mapping[
        str, Hierarchy
    ]  # of a column of sets, or a class, without a hierarchy: one that groups nothing but all
    sensitive: Mapping[str, Hierarchy | None]  # of the columns a guarantee or the loss speaks of
    unstated: frozenset[str] = frozenset()  # columns of sets, and classes of nodes, without a hierarchy

    @property
    def stated(self) -> dict[str, Hierarchy]:
        """Of the quasi-identifiers, those that the recipe gives a hierarchy."""
        return {name: hierarchy for name, hierarchy in self.quasi.items() if name not in self.unstated}


def make_plan(
    recipe: Recipe, source: Source | None = None, *, session: Any = None, scratch: Path | None = None
) -> Plan:
    """Resolve a recipe against its input (or a source at hand). Every column must have a role.

    `session`: of Spark, for a URI. `scratch`: a private folder for what has to be read in another form first.
    """
    written = [name for name, spec in recipe.columns.items() if spec.written]
    if written and source is not None and source.user_frame is not None:
        raise RecipeError(
            f"columns.{written[0]}.written: is for CSV files; give the frame columns of numbers and dates instead."
        )
    if source is None:
        source = open_input(recipe, session=session, scratch=scratch)
    present, named = source.columns, list(recipe.columns)
    problems = [
        f"columns.{name}: not a column of {source.name}. Columns: {', '.join(present)}.{did_you_mean(name, present)}"
        for name in named
        if name not in present
    ]
    problems += [
        f"columns: '{name}' of {source.name} has no role. Give it one: identifying, quasi, sensitive or plain."
        for name in present
        if name not in recipe.columns
    ]
    if problems:
        raise RecipeError(*problems)
    output = recipe.place(recipe.output.path) if recipe.output else None
    return Plan(recipe, source, recipe.schema_, method_from(recipe.method_name), output)


def open_input(
    recipe: Recipe,
    path: Location | None = None,
    *,
    session: Any = None,
    scratch: Path | None = None,
    named: Recipe | None = None,
) -> Source:
    """The recipe's input, or another file that is written the same way. `named`: the recipe whose input is meant, if not this."""
    home = named or recipe
    spec, trees = home.input, tree_schema(recipe)
    reading = _row_reading(recipe, home) if trees is None else _tree_reading(recipe, home, scratch)
    if spec is None:
        if path is None:
            raise RecipeError("input.path: must be given.")
        return open_source(path, reading, session=session, scratch=scratch)
    if trees is not None and path is None and not spec.path:
        return open_tables(home, spec, trees, scratch)
    if isinstance(reading, RowReading) and path is None and spec.url:
        return open_database(
            Selection(spec.url, spec.table, spec.query, home.folder),
            reading,
            published=recipe.schema_.read,
            scratch=scratch,
            memory=recipe.engine.memory,
        )
    if path is not None and isinstance(reading, RowReading):
        reading = replace(reading, written={})  # it may be a release, with labels among the values
    with hint_at_tables(wanted=not spec.path):
        return open_source(
            path if path is not None else home.place(spec.path), reading, session=session, scratch=scratch
        )


def _row_reading(recipe: Recipe, home: Recipe) -> RowReading:
    if home.input is None:
        return RowReading(sets=recipe.schema_.sets)
    published = recipe.schema_.published
    return RowReading(
        delimiter=home.input.delimiter,
        multiline=home.input.multiline,
        missing=tuple(home.input.missing),
        sets=recipe.schema_.sets,
        items=home.item_mark,
        sheet=home.input.sheet,
        header=home.input.header,
        labels=home.input.labels,
        encoding=home.input.encoding,
        quote=home.input.quote,
        written={name: recipe.columns[name].written for name in published if recipe.columns[name].written},
        codes={name: tuple(recipe.columns[name].missing) for name in published},
    )


def _tree_reading(recipe: Recipe, home: Recipe, scratch: Path | None) -> TreeReading:
    if home.input is None:
        return TreeReading(schema=recipe.schema_, scratch=scratch)
    mapping = home.input.mapping
    return TreeReading(
        delimiter=home.input.delimiter,
        multiline=home.input.multiline,
        missing=tuple(home.input.missing),
        encoding=home.input.encoding,
        quote=home.input.quote,
        schema=recipe.schema_,
        scratch=scratch,
        record=home.input.record,
        mapping=mapping if mapping in MAPPINGS or not mapping else home.folder / mapping,
    )


def tree_schema(recipe: Recipe) -> Schema | None:
    """Where the values lie in nested records; None where records are rows."""
    return recipe.schema_ if recipe.schema_.nodes else None
