"""The data of a recipe that may not be sound yet, opened to be looked at: all columns, also those that will be removed."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from shoal.errors import RecipeError
from shoal.io.csv_detection import Detected
from shoal.io.databases.selection import Selection
from shoal.io.databases.source import open_database
from shoal.io.location import is_uri
from shoal.io.reading import RowReading
from shoal.io.sets.items import MARK
from shoal.io.source import open_source
from shoal.io.trees.fhir_mapping import MAPPINGS
from shoal.io.written import form_of
from shoal.release.editing.document import RecipeDocument
from shoal.release.kinds.trees.init import NestedInput
from shoal.release.recipe.mistakes import sentences
from shoal.release.recipe.sections import Input

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shoal.io.source import Source
    from shoal.io.trees.opened import Opened

_REMOVED = "identifying"


@dataclass(frozen=True)
class Looked:
    """What a recipe says of its input and of each column, sound or not."""

    folder: Path
    input: Input
    columns: Mapping[str, Mapping[str, Any]]

    @classmethod
    def of(cls, recipe: Path) -> Looked:
        """As the recipe lies on disk."""
        return cls.of_document(RecipeDocument.open(recipe))

    @classmethod
    def of_document(cls, document: RecipeDocument) -> Looked:
        """As a text says that may not be on disk yet."""
        recipe = document.path
        section = document.values.get("input")
        if not isinstance(section, dict):
            raise RecipeError(f"{recipe.name} does not say where the data is: it has no `[input]`.")
        try:
            spec = Input.model_validate(section)
        except ValidationError as mistakes:
            raise RecipeError(*sentences(mistakes.errors(include_url=False, include_input=False), Input)) from None
        return cls(recipe.resolve().parent, spec, document.columns)

    @property
    def nested(self) -> bool:
        """Whether records are trees: something of them lies at a path, or they are spread over tables."""
        spec = self.input
        return bool(spec.tables or spec.record or spec.mapping or any(one.get("path") for one in self.columns.values()))

    def words(self, name: str, key: str) -> tuple[str, ...]:
        """Texts that the recipe lists at a key of a column."""
        entry = self.columns.get(name, {}).get(key, ())
        return tuple(text for text in entry if isinstance(text, str)) if isinstance(entry, list) else ()

    def codes(self, name: str) -> tuple[str, ...]:
        """What stands for a missing value in a column, there or everywhere."""
        return (*self.input.missing, *self.words(name, "missing"))

    def reads_otherwise(self, name: str) -> bool:
        """Whether the values of a column are other than those that stand in its cells."""
        entry = self.columns.get(name, {})
        return bool(entry.get("written")) or entry.get("kind") == "set"

    def without_forms(self) -> Looked:
        """Values as they are written."""
        columns = {
            name: {key: value for key, value in entry.items() if key != "written"}
            for name, entry in self.columns.items()
        }
        return replace(self, columns=columns)

    @contextmanager
    def rows(self) -> Iterator[Source]:
        """Records that are rows."""
        spec = self.input
        if spec.url:
            rows = Selection(spec.url, spec.table, spec.query, self.folder)
            source = open_database(rows, self._reading())
        elif spec.path:
            source = open_source(spec.path if is_uri(spec.path) else self.folder / spec.path, self._reading())
        else:
            raise RecipeError("input.path: must be given.")
        try:
            yield source
        finally:
            source.close()

    @contextmanager
    def trees(self) -> Iterator[Opened]:
        """Nested records, with all of their values."""
        spec = self.input
        mapping = spec.mapping if not spec.mapping or spec.mapping in MAPPINGS else str(self.folder / spec.mapping)
        tables = spec.tables
        if isinstance(tables, dict) and not spec.url:
            tables = {name: str(self.folder / place) for name, place in tables.items()}
        nested = NestedInput(
            self.folder / spec.path if spec.path else None, tables, spec.url, spec.record, spec.keys, mapping
        )
        opened = nested.open(
            Detected(encoding=spec.encoding, delimiter=spec.delimiter, quote=spec.quote, multiline=spec.multiline)
        )
        try:
            yield opened
        finally:
            opened.batches.close()

    def _reading(self) -> RowReading:
        spec, columns = self.input, self.columns
        published = [name for name, entry in columns.items() if entry.get("role") != _REMOVED]
        return RowReading(
            delimiter=spec.delimiter,
            multiline=spec.multiline,
            missing=tuple(spec.missing),
            sets=tuple(name for name, entry in columns.items() if entry.get("kind") == "set") or None,
            items=MARK if spec.items is None else spec.items,
            sheet=spec.sheet,
            header=spec.header,
            labels=spec.labels,
            encoding=spec.encoding,
            quote=spec.quote,
            written={name: self._form(name) for name in published if columns[name].get("written")},
            codes={name: self.words(name, "missing") for name in published},
        )

    def _form(self, name: str) -> str:
        form = str(self.columns[name]["written"])
        try:
            form_of(form)
        except ValueError as reason:
            raise RecipeError(f"columns.{name}.written: {reason}") from None
        return form
