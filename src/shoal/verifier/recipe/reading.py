"""What a recipe says to the verifier, read from its text. Parts that say nothing about a release (losses, methods, the engine,
attacks, the population, the ledger, the context of the report) are passed over; elsewhere whatever is not understood is refused.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from shoal.errors import RecipeError
from shoal.verifier.files.dialect import Dialect
from shoal.verifier.files.recoding import check_encoding
from shoal.verifier.files.written import check_form, refuse_ambiguous_codes
from shoal.verifier.hierarchies.build import Form
from shoal.verifier.hierarchies.numbers import number_in
from shoal.verifier.recipe.guarantees import Guarantee
from shoal.verifier.recipe.places import MARK, Input
from shoal.verifier.schema import Column, Role, Schema

_MOST = 2 << 20  # characters
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_TOP = {
    "shoal",
    "missing",
    "seed",
    "input",
    "output",
    "columns",
    "guarantee",
    "method",
    "loss",
    "suppression",
    "context",
    "attacks",
    "population",
    "ledger",
    "engine",
}
_TEXT = ("encoding", "quote")
_KINDS: dict[str, Literal["scalar", "set", "node"]] = {"value": "scalar", "set": "set", "node": "node"}


@dataclass(frozen=True)
class RecipeText:
    """A recipe as its author gave it: the text of a file, or nested dictionaries; and the folder that its paths start from, the
    current one if there is none."""

    content: str | Mapping[str, Any]
    folder: Path | None = None


@dataclass(frozen=True)
class Recipe:
    """What a release is held against, and where its original lies."""

    schema: Schema
    guarantees: tuple[Guarantee, ...]
    forms: Mapping[str, Form]  # by column: how its hierarchy is said
    suppression_limit: Fraction
    missing: str
    spreadsheet_safe: bool
    left_out: bool
    input: Input | None
    dialect: Dialect = field(default_factory=Dialect)  # of the release, where it is a CSV file
    seeded: bool = False  # records were dealt out by a number that anyone may guess

    @property
    def items(self) -> str:
        """What stands between the items of a set in a text."""
        return MARK if self.input is None else self.input.items


def read_recipe(given: RecipeText) -> Recipe:
    """Refuses what it does not understand."""
    values, folder = _values(given.content), given.folder or Path.cwd()
    part = _Part("", values)
    part.only(_TOP)
    if part.get("shoal", 1) != 1:
        raise RecipeError("shoal: the verifier knows version 1 of recipes.")
    columns = part.table("columns")
    output = part.table("output", needed=False)
    guarantees = values.get("guarantee")
    if not isinstance(guarantees, list | tuple):
        raise RecipeError("guarantee: nothing is promised.")
    schema = Schema(tuple(_column(name, columns.table(name)) for name in columns.values))
    place = _input(part.table("input"), folder) if "input" in values else None
    for column in schema:
        if column.written and place is not None:
            refuse_ambiguous_codes("input.missing", column.written, place.missing)
    return Recipe(
        schema,
        tuple(Guarantee.read(one, f"guarantee.{number}") for number, one in enumerate(guarantees)),
        MappingProxyType({name: _form(columns.table(name), folder) for name in columns.values}),
        _limit(part.table("suppression", needed=False)),
        part.text("missing", "value"),
        output.flag("spreadsheet_safe"),
        part.table("method", needed=False).flag("leave_out"),
        place,
        _dialect(output, place, schema),
        part.get("seed") is not None,
    )


def _values(content: str | Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(content, Mapping):
        return content
    if len(content) > _MOST:
        raise RecipeError("The recipe is too long for the verifier.")
    try:
        return tomllib.loads(content)
    except (ValueError, RecursionError):
        raise RecipeError("The recipe is not valid TOML.") from None


def _column(name: str, part: _Part) -> Column:
    part.only(
        {
            "role",
            "kind",
            "path",
            "parent",
            "negated",
            "missing",
            "hierarchy",
            "sensitive_items",
            "reason",
            "accept_unique",
        }
        | {"suggested", "written"}
    )
    form, codes = part.text("written", ""), part.texts("missing")
    if form:
        check_form(f"{part.name}.written", form)
        refuse_ambiguous_codes(f"{part.name}.missing", form, codes)
    role, kind = part.text("role"), part.text("kind", "value")
    if role not in set(Role) or kind not in _KINDS:
        raise RecipeError(f"{part.name}: the verifier does not know this role, or this kind of column.")
    if role == Role.IDENTIFYING:  # what is removed needs no kind
        return Column(name, Role.IDENTIFYING, path=part.text("path", ""))
    return Column(
        name,
        Role(role),
        _KINDS[kind],
        part.texts("sensitive_items"),
        part.text("path", ""),
        part.text("parent") if part.get("parent") is not None else None,
        part.texts("negated"),
        part.flag("accept_unique"),
        codes,
        form,
    )


def _dialect(output: _Part, place: Input | None, schema: Schema) -> Dialect:
    """How the release is written, if it is a CSV file: as the original, unless it is said otherwise."""
    place = place or Input()
    encoding = output.text("encoding", place.encoding)
    check_encoding("output.encoding", encoding)
    delimiter = output.text("delimiter", place.delimiter or "") or None
    forms = {name: schema.form(name) for name in schema.published if schema.form(name)}
    as_written = output.get("written", True)
    if not isinstance(as_written, bool):
        raise RecipeError("output.written: must be true or false.")
    return Dialect(encoding, delimiter, place.quote, MappingProxyType(forms if as_written else {}))


def _form(part: _Part, folder: Path) -> Form:
    spec = part.get("hierarchy")
    if (spec is not None and not isinstance(spec, str | Mapping)) or spec in ("", {}):
        raise RecipeError(f"{part.name}.hierarchy: must be the name of a file, or a table.")
    return Form(spec, folder)


def _limit(part: _Part) -> Fraction:
    part.only({"limit"})
    limit = number_in(str(part.get("limit", 0)))
    if limit is None or not 0 <= limit < 1:
        raise RecipeError("suppression.limit: must be a fraction of the records, at least 0 and below 1.")
    return limit


def _input(part: _Part, folder: Path) -> Input:
    known = {
        "path",
        "tables",
        "url",
        "table",
        "query",
        "record",
        "keys",
        "mapping",
        "delimiter",
        "missing",
        "multiline",
        "items",
    }
    part.only(known | {"sheet", "header", "labels"} | set(_TEXT))
    check_encoding("input.encoding", part.text("encoding", "utf-8"))
    path, url, mapping = part.text("path", ""), part.text("url", ""), part.text("mapping", "")
    tables = part.get("tables", {})
    if isinstance(tables, list | tuple):
        tables = {name: name for name in part.texts("tables")}
    if not isinstance(tables, Mapping) or not all(isinstance(place, str) for place in tables.values()):
        raise RecipeError("input.tables: must name a file, or a table of the database, for each table.")
    return Input(
        path=_place(path, folder) if path else None,
        tables=MappingProxyType({name: place if url else _place(place, folder) for name, place in tables.items()}),
        url=url,
        table=part.text("table", ""),
        query=part.text("query", ""),
        folder=folder if url else Path(),
        record=part.text("record", ""),
        keys=part.texts("keys"),
        mapping=mapping if mapping in ("", "fhir-r4") else folder / mapping,
        delimiter=part.text("delimiter") if part.get("delimiter") is not None else None,
        encoding=part.text("encoding", "utf-8"),
        quote=part.text("quote", '"'),
        missing=part.texts("missing"),
        multiline=part.flag("multiline"),
        items=part.text("items") if part.get("items") is not None else MARK,
        sheet=part.text("sheet", ""),
        header=_row(part),
        labels=part.flag("labels", default=True),
    )


def _row(part: _Part) -> int:
    row = 1 if part.get("header") is None else part.get("header")
    if not isinstance(row, int) or isinstance(row, bool) or row < 1:
        raise RecipeError("input.header: must be the number of a row, from 1.")
    return row


def _place(path: str, folder: Path) -> Path | str:
    return path if _URI.match(path) else folder / path


@dataclass(frozen=True)
class _Part:
    """One table of a recipe, by its name there."""

    name: str
    values: Mapping[str, Any]

    def only(self, keys: set[str]) -> None:
        """Refuse keys that nothing is known of."""
        unknown = sorted(map(str, self.values.keys() - keys))
        if unknown:
            raise RecipeError(f"{self._key(unknown[0])}: the verifier does not know this key.")

    def get(self, key: str, default: Any = None) -> Any:
        return self.values.get(key, default)

    def table(self, key: str, *, needed: bool = True) -> _Part:
        value = self.get(key, None if needed else {})
        if not isinstance(value, Mapping):
            raise RecipeError(f"{self._key(key)}: must be a table.")
        return _Part(self._key(key), value)

    def text(self, key: str, default: str | None = None) -> str:
        value = self.get(key, default)
        if not isinstance(value, str):
            raise RecipeError(f"{self._key(key)}: must be a text.")
        return str(value)

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.get(key, [])
        if not isinstance(value, list | tuple) or not all(isinstance(text, str) for text in value):
            raise RecipeError(f"{self._key(key)}: must be a list of texts.")
        return tuple(value)

    def flag(self, key: str, *, default: bool = False) -> bool:
        value = self.get(key, default)
        if not isinstance(value, bool):
            raise RecipeError(f"{self._key(key)}: must be true or false.")
        return value

    def _key(self, key: str) -> str:
        return f"{self.name}.{key}" if self.name else key
