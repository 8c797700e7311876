"""`shoal init` of nested records: look at every value there is, and propose classes, their places and their parents."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal.data.itemsets import is_list
from shoal.data.schema import Role
from shoal.data.text import text_array
from shoal.errors import RecipeError
from shoal.io.csv_detection import Detected, detect_all
from shoal.io.databases.urls import database_of
from shoal.io.parquet import open_parquet
from shoal.io.reading import TreeReading
from shoal.io.trees.fhir_mapping import MAPPINGS
from shoal.io.trees.keyed_files import open_table_files
from shoal.io.trees.nested import Nested
from shoal.io.trees.opening import FLAT, NESTED, nested_files, open_nested
from shoal.io.trees.postgresql import open_postgresql
from shoal.methods.method import Progress
from shoal.release.kinds.trees.suggest import TIES, as_classes, names_of, not_read, words_of
from shoal.release.suggest.recipe_text import write_recipe
from shoal.release.suggest.roles import suggest
from shoal.release.suggest.summary import ColumnSummary, Suggestion

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.data.paths import FieldPath
    from shoal.io.trees.opened import Opened
    from shoal.methods.method import Listener


@dataclass(frozen=True)
class NestedInput:
    """Where nested records come from: a path, tables with keys, or a database."""

    path: Path | None = None
    tables: Mapping[str, str] | Sequence[str] = ()
    url: str = ""
    record: str = ""
    keys: Sequence[str] = ()
    mapping: str = ""

    def dialect(self, delimiter: str | None, encoding: str | None) -> Detected:
        """How its CSV files are written, as far as it is not said: all in the same way."""
        places = [self.path] if self.path is not None else [] if self.url else [*dict(self.tables).values()]  # type: ignore[arg-type]
        files = [path for path in map(Path, places) if path.name.lower().endswith(FLAT) and path.is_file()]
        return detect_all(files, delimiter=delimiter, encoding=encoding)

    def open(self, dialect: Detected) -> Opened:
        """All values there are, each with its path."""
        reading = TreeReading(
            delimiter=dialect.delimiter,
            encoding=dialect.encoding,
            quote=dialect.quote,
            multiline=dialect.multiline,
        )
        if self.path is not None:
            mapping = self.mapping if self.mapping in MAPPINGS or not self.mapping else Path(self.mapping)
            return open_nested(self.path, replace(reading, record=self.record, mapping=mapping))
        if not self.record:
            raise RecipeError("input.record: must be given: the table that has one row for each person.")
        if self.url:
            return open_postgresql(self.url, self.tables, self.record, self.keys, None)
        files = {name: Path(place) for name, place in dict(self.tables).items()}  # type: ignore[arg-type]
        return open_table_files(files, self.record, self.keys, reading)

    @property
    def stem(self) -> str:
        """What the release is called after."""
        if self.path is not None:
            return self.path.name.split(".")[0]
        return database_of(self.url) if self.url else self.record

    def written(self, recipe: Path, dialect: Detected) -> dict[str, Any]:
        """As in `[input]` of a recipe that lies there."""

        def place(path: Path | str) -> str:
            return Path(os.path.relpath(Path(path).resolve(), recipe.resolve().parent)).as_posix()

        section: dict[str, Any] = {}
        if self.path is not None:
            section["path"] = place(self.path)
        elif self.url:
            section |= {
                "url": self.url,
                "tables": dict(self.tables) if isinstance(self.tables, dict) else list(self.tables),
            }
        else:
            section["tables"] = {name: place(path) for name, path in dict(self.tables).items()}  # type: ignore[arg-type]
        section |= {"record": self.record, "keys": list(self.keys)}
        section["mapping"] = self.mapping if self.mapping in MAPPINGS or not self.mapping else place(self.mapping)
        section |= dialect.section()
        return {key: value for key, value in section.items() if value}


def nested_input(data: Path | NestedInput) -> NestedInput | None:
    """Where nested records come from; None of a file that holds rows."""
    if isinstance(data, NestedInput):
        return data
    return NestedInput(data) if _is_nested(data) else None


def _is_nested(data: Path) -> bool:
    """Whether what lies there can only be read as nested records."""
    if data.is_dir():
        return bool(nested_files(data))
    if data.name.lower().endswith(NESTED):
        return True
    return data.name.lower().endswith(".parquet") and any(
        _is_deep(field.type) for field in open_parquet(data, nested=True).schema
    )


def _is_deep(kind: pa.DataType) -> bool:
    return bool(pa.types.is_struct(kind) or (is_list(kind) and pa.types.is_nested(kind.value_type)))


def propose_trees(
    source: NestedInput,
    recipe: Path,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    listener: Listener = lambda _: None,
) -> tuple[str, tuple[Suggestion, ...]]:
    """The text of a recipe that would lie at `recipe`, and its proposals."""
    listener(Progress("load", "reading the data"))
    dialect = source.dialect(delimiter, encoding)
    opened = source.open(dialect)
    try:
        names = names_of((*opened.leaves, *opened.unread))
        summaries = _summaries(opened, listener)
    finally:
        opened.batches.close()
    guessed = zip(opened.leaves, suggest(summaries), strict=True)
    proposals = {path: replace(one, name=names[path]) for path, one in guessed}
    removed = {path: not_read(path) for path in opened.unread} | dict.fromkeys(opened.ties, TIES)
    proposals |= {path: Suggestion(names[path], Role.IDENTIFYING, None, reason) for path, reason in removed.items()}
    suggestions = as_classes(proposals)
    if not any(one.kind == "node" for one in suggestions):
        raise RecipeError(
            "Nothing in the records looks like something that others could recognise; write the recipe by hand."
        )
    text = write_recipe(suggestions, source.written(recipe, dialect), f"release/{source.stem}.parquet")
    return text, suggestions


def _summaries(opened: Opened, listener: Listener) -> list[ColumnSummary]:
    counts, missing, _ = count_leaves(opened, listener)
    return [ColumnSummary.of_counts(words_of(path), "text", counts[path], missing[path]) for path in opened.leaves]


def count_leaves(opened: Opened, listener: Listener) -> tuple[dict[FieldPath, Counter[str]], Counter[FieldPath], int]:
    """Of each leaf: how many records hold each value (in a list, twice in a record counts once), and how many none; and of all."""
    counts: dict[FieldPath, Counter[str]] = {path: Counter() for path in opened.leaves}
    missing: Counter[FieldPath] = Counter()
    records = 0
    for batch in opened.batches.read():
        nested = Nested(batch)
        for path in opened.leaves:
            records_of = nested.elements(path.scope).records
            texts = text_array(nested.leaf(path)).cast(pa.large_string())
            pairs = pa.table({"record": records_of, "value": texts}).group_by(["record", "value"]).aggregate([])
            counted = pairs.group_by("value").aggregate([([], "count_all")]).to_pydict()
            for value, number in zip(counted["value"], counted["count_all"], strict=True):
                if value is None or value == "":
                    missing[path] += 0 if path.scope else number
                else:
                    counts[path][value] += number
        records += batch.num_rows
        listener(Progress("count", "looking at the values", records / max(opened.batches.records, 1)))
    return counts, missing, records
