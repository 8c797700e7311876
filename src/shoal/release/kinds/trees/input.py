"""The input of a recipe of trees that is no single file: tables with keys, in files or in a database."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.errors import DataError, RecipeError
from shoal.io.databases.urls import database_of
from shoal.io.reading import TreeReading
from shoal.io.source import Source
from shoal.io.trees.keyed_files import WHERE, open_table_files
from shoal.io.trees.postgresql import open_postgresql

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shoal.data.schema import Schema
    from shoal.release.recipe.recipe import Recipe
    from shoal.release.recipe.sections import Input


def open_tables(recipe: Recipe, spec: Input, schema: Schema, scratch: Path | None) -> Source:
    """Tables with keys, folded into one tree for each record. scratch: a private folder for what does not fit in memory."""
    memory = recipe.engine.memory
    if spec.url:
        opened = open_postgresql(
            spec.url,
            spec.tables,
            spec.record,
            spec.keys,
            schema,
            scratch=scratch,
            memory=memory,
            missing=spec.missing,
        )
        where = f"the database {database_of(spec.url)}"
    else:
        assert isinstance(spec.tables, dict)
        places = {name: recipe.place(path) for name, path in spec.tables.items()}
        files = {name: place for name, place in places.items() if isinstance(place, Path)}
        if len(files) < len(places):
            raise RecipeError("input.tables: tables are read from files that this process sees, not from a URI.")
        opened = open_table_files(
            files,
            spec.record,
            spec.keys,
            TreeReading(
                schema=schema,
                delimiter=spec.delimiter,
                multiline=spec.multiline,
                encoding=spec.encoding,
                quote=spec.quote,
                missing=tuple(spec.missing),
                scratch=scratch,
            ),
            memory=memory,
        )
        where = WHERE
    return Source(
        "nested",
        schema.names(),
        missing=tuple(spec.missing),
        nested=opened.batches,
        label=where,
        warnings=opened.warnings,
    )


@contextmanager
def hint_at_tables(*, wanted: bool) -> Iterator[None]:
    """One of several tables is no record; what to give instead is added to what is wrong with it."""
    hint = "The recipe puts records together from tables: to have them read, give the recipe itself in the place of the data."
    try:
        yield
    except RecipeError as mistakes:
        if not wanted:
            raise
        raise RecipeError(*mistakes.problems, hint) from None
    except DataError as mistake:
        if not wanted:
            raise
        raise DataError(f"{mistake} {hint}") from None
