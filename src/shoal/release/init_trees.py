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
from shoal.io.parquet import open_parquet
from shoal.io.trees.fhir_mapping import MAPPINGS
from shoal.io.trees.nested import Nested
from shoal.io.trees.opening import NESTED, Reading, nested_files, open_nested
from shoal.io.trees.postgresql import open_postgresql
from shoal.io.trees.table_files import open_table_files
from shoal.io.trees.urls import database_of
from shoal.methods.method import Progress
from shoal.release.suggest import ColumnSummary, Suggestion, suggest, write_recipe
from shoal.release.suggest.trees import TIES, as_classes, names_of, not_read, words_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.data.paths import FieldPath
    from shoal.io.trees.opening import Opened
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

    def open(self, delimiter: str | None) -> Opened:
        if self.path is not None:
            mapping = self.mapping if self.mapping in MAPPINGS or not self.mapping else Path(self.mapping)
            return open_nested(self.path, None, reading=Reading(delimiter, record=self.record, mapping=mapping))
        if not self.record:
            raise RecipeError("input.record: must be given: the table that has one row for each person.")
        if self.url:
            return open_postgresql(self.url, self.tables, self.record, self.keys, None)
        files = {name: Path(place) for name, place in dict(self.tables).items()}  # type: ignore[arg-type]
        return open_table_files(files, self.record, self.keys, None, reading=Reading(delimiter))

    @property
    def stem(self) -> str:
        if self.path is not None:
            return self.path.name.split(".")[0]
        return database_of(self.url) if self.url else self.record

    def written(self, recipe: Path, delimiter: str | None) -> dict[str, Any]:
        """As in `[input]` of a recipe that lies there."""

        def place(path: Path | str) -> str:
            return Path(os.path.relpath(Path(path).resolve(), recipe.resolve().parent)).as_posix()

        made: dict[str, Any] = {}
        if self.path is not None:
            made["path"] = place(self.path)
        elif self.url:
            made |= {
                "url": self.url,
                "tables": dict(self.tables) if isinstance(self.tables, dict) else list(self.tables),
            }
        else:
            made["tables"] = {name: place(path) for name, path in dict(self.tables).items()}  # type: ignore[arg-type]
        made |= {"record": self.record, "keys": list(self.keys)}
        made["mapping"] = self.mapping if self.mapping in MAPPINGS or not self.mapping else place(self.mapping)
        made["delimiter"] = delimiter
        return {key: value for key, value in made.items() if value}


def is_nested(data: Path) -> bool:
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
    given: NestedInput, recipe: Path, *, delimiter: str | None = None, listener: Listener = lambda _: None
) -> tuple[str, tuple[Suggestion, ...]]:
    """The text of a recipe that would lie at `recipe`, and its proposals."""
    listener(Progress("load", "reading the data"))
    opened = given.open(delimiter)
    try:
        names = names_of((*opened.leaves, *opened.unread))
        summaries = _summaries(opened, listener)
    finally:
        opened.batches.close()
    guessed = zip(opened.leaves, suggest(summaries), strict=True)
    made = {path: replace(one, name=names[path]) for path, one in guessed}
    removed = {path: not_read(path) for path in opened.unread} | dict.fromkeys(opened.ties, TIES)
    made |= {path: Suggestion(names[path], Role.IDENTIFYING, None, reason) for path, reason in removed.items()}
    suggestions = as_classes(made)
    if not any(one.kind == "node" for one in suggestions):
        raise RecipeError(
            "Nothing in the records looks like something that others could recognise; write the recipe by hand."
        )
    text = write_recipe(suggestions, given.written(recipe, delimiter), f"release/{given.stem}.parquet")
    return text, suggestions


def _summaries(opened: Opened, listener: Listener) -> list[ColumnSummary]:
    """Of each leaf: how many records hold each value; in a list, twice in a record counts once."""
    counts: dict[FieldPath, Counter[str]] = {path: Counter() for path in opened.leaves}
    missing: Counter[FieldPath] = Counter()
    records = 0
    for batch in opened.batches.read():
        nested = Nested(batch)
        for path in opened.leaves:
            held = nested.elements(path.scope).records
            texts = text_array(nested.leaf(path)).cast(pa.large_string())
            pairs = pa.table({"record": held, "value": texts}).group_by(["record", "value"]).aggregate([])
            counted = pairs.group_by("value").aggregate([([], "count_all")]).to_pydict()
            for value, number in zip(counted["value"], counted["count_all"], strict=True):
                if value is None or value == "":
                    missing[path] += 0 if path.scope else number
                else:
                    counts[path][value] += number
        records += batch.num_rows
        listener(Progress("count", "looking at the values", records / max(opened.batches.records, 1)))
    return [ColumnSummary.of_counts(words_of(path), "text", counts[path], missing[path]) for path in opened.leaves]
