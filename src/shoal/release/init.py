"""Look at a file and write a recipe with suggestions for a person to confirm."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from shoal.data.schema import Role
from shoal.errors import RecipeError
from shoal.io.csv import default_delimiter
from shoal.io.csv_detection import Detected, detect
from shoal.io.databases.selection import Selection
from shoal.io.databases.source import open_database
from shoal.io.databases.urls import database_of, is_database, scheme_of, url_problems
from shoal.io.reading import RowReading
from shoal.io.source import kind_of, open_source, set_columns
from shoal.io.stores.address import address_problems, is_remote
from shoal.io.stores.fetch import Fetched
from shoal.io.tally import Tally, column_tallies
from shoal.methods.method import Progress
from shoal.release.kinds.sets.suggest import beside_sets, mark_of, with_items
from shoal.release.kinds.trees.init import NestedInput, nested_input, propose_trees
from shoal.release.suggest.database import UNREAD, input_section, selected_rows
from shoal.release.suggest.files import office_section, written_suffix
from shoal.release.suggest.missing_codes import KNOWN, missing_codes
from shoal.release.suggest.patterns import stands_for_missing
from shoal.release.suggest.recipe_text import write_recipe
from shoal.release.suggest.roles import suggest
from shoal.release.suggest.schema import schema_of
from shoal.release.suggest.summary import ColumnSummary, Suggestion
from shoal.release.suggest.toml import inline
from shoal.release.suggest.written import canonical_counts, forms_of, with_forms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.io.source import Source
    from shoal.methods.method import Listener

_KEPT = 1 << 29  # bytes of counted values that a proposal keeps


@dataclass(frozen=True)
class Proposal:
    """The text of a recipe, and what it proposes for each column."""

    text: str
    suggestions: tuple[Suggestion, ...]
    notes: tuple[str, ...] = ()  # what else there is to know of the file, such as sheets that are not read
    tallies: Mapping[str, Tally] = field(
        default_factory=dict, repr=False, compare=False
    )  # of columns of rows, as counted


def given_input(
    data: str | None,
    *,
    tables: Sequence[str],
    url: str,
    record: str,
    keys: Sequence[str],
    mapping: str,
    query: str = "",
) -> Path | str | NestedInput | Selection:
    """What `shoal init` was called with: a file or a folder; or tables, each NAME=FILE, or NAME where there is a database.

    One table of a database, or a query, has rows; several make up records of trees.
    """
    if data is not None and is_database(data):
        url, data = data, None
    rows = selected_rows(url, tables, query, trees=bool(record or keys or mapping)) if data is None else None
    if rows is not None:
        return rows
    if query:
        raise RecipeError("--query: is asked of a database; give its address in the place of the data.")
    if data is None and url and not tables:
        from shoal.io.trees.postgresql import tables_around

        tables = tables_around(url, record)
    if data is not None:
        if tables or url or keys:
            raise RecipeError("DATA is one file or folder; records spread over tables are given by --table alone.")
        if is_remote(data):
            problems = address_problems("DATA", data)
            if record or mapping:
                problems.append("DATA: XML and FHIR are looked at in files of this machine; download it first.")
            if problems:
                raise RecipeError(*problems)
            return data
        return NestedInput(Path(data), record=record, mapping=mapping) if record or mapping else Path(data)
    if not tables:
        raise RecipeError("What is the data? Give a file or a folder, or each table with --table.")
    named = {name: place or name for name, _, place in (one.partition("=") for one in tables)}
    problems = url_problems(url) if url else []
    if not url and any("=" not in one for one in tables):
        problems.append("--table: write NAME=FILE.")
    if problems:
        raise RecipeError(*problems)
    listed = list(named) if all(name == place for name, place in named.items()) else named
    return NestedInput(tables=listed, url=url, record=record, keys=list(keys))


def propose(
    data: Path | str | NestedInput | Selection,
    recipe: Path,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    stated: Mapping[str, Any] = MappingProxyType({}),
    listener: Listener = lambda _: None,
) -> Proposal:
    """The text of a recipe that would lie at `recipe`, with a guess for every column of `data`.

    stated: what a person says of a file of rows, by the keys of `[input]`: quote, sheet, header, labels.
    """
    if isinstance(data, Selection):
        return _propose_selection(data, recipe, listener)
    if isinstance(data, str):
        return _propose_remote(data, recipe, delimiter, encoding, listener)
    nested = nested_input(data)
    if nested is not None:
        return Proposal(*propose_trees(nested, recipe, delimiter=delimiter, encoding=encoding, listener=listener))
    return _propose_rows(cast("Path", data), recipe, delimiter, encoding, stated, listener)


def _propose_rows(
    data: Path,
    recipe: Path,
    delimiter: str | None,
    encoding: str | None,
    stated: Mapping[str, Any],
    listener: Listener,
) -> Proposal:
    listener(Progress("load", "reading the data"))
    is_csv = data.is_file() and kind_of(data) == "csv"
    dialect = detect(data, delimiter=delimiter, encoding=encoding) if is_csv else Detected(delimiter=delimiter)
    if "quote" in stated:
        dialect = replace(dialect, quote=stated["quote"])
    office = {key: stated[key] for key in ("sheet", "header", "labels") if key in stated}
    source = open_source(data, replace(dialect.reading(look=True), **office))
    tallies: dict[str, Tally] = {}
    suggestions = guesses(source, listener, (dialect.delimiter or default_delimiter(data)) if is_csv else None, tallies)
    path = os.path.relpath(data.resolve(), recipe.resolve().parent)
    stem = data.name.split(".")[0]
    suffix = "parquet" if source.kind == "parquet" or schema_of(suggestions).sets else written_suffix(data)
    mark = next((one.mark for one in suggestions if one.mark is not None), None)
    section, notes = office_section(path, source.notes)
    text = write_recipe(suggestions, section | office | dialect.section(), f"release/{stem}.{suffix}", items=mark)
    return Proposal(text, suggestions, (*source.warnings, *notes), tallies)


def _propose_remote(
    uri: str, recipe: Path, delimiter: str | None, encoding: str | None, listener: Listener
) -> Proposal:
    """Of a copy in a private folder; the recipe names the place it came from."""
    listener(Progress("load", "fetching the data"))
    fetched = Fetched(uri)
    try:
        proposal = propose(fetched.path, recipe, delimiter=delimiter, encoding=encoding, listener=listener)
        copy = Path(os.path.relpath(fetched.path.resolve(), recipe.resolve().parent)).as_posix()
        return replace(proposal, text=proposal.text.replace(f"path = {inline(copy)}", f"path = {inline(uri)}", 1))
    finally:
        fetched.close()


def _propose_selection(rows: Selection, recipe: Path, listener: Listener) -> Proposal:
    listener(Progress("load", "reading the rows of the database"))
    source = open_database(rows, RowReading(sets=None))
    tallies: dict[str, Tally] = {}
    try:
        proposed = guesses(source, listener, "," if scheme_of(rows.url) == "sqlite" else None, tallies)
    finally:
        source.close()
    by_name = {one.name: one for one in proposed}
    suggestions = tuple(
        by_name.get(name) or Suggestion(name, Role.IDENTIFYING, None, UNREAD) for name in source.columns
    )
    mark = next((one.mark for one in suggestions if one.mark is not None), None)
    suffix = "parquet" if schema_of(suggestions).sets else "csv"
    stem = rows.table.split(".")[-1] if rows.table else database_of(rows.url).split(".")[0]
    name = re.sub(r"[^\w-]", "_", stem)
    text = write_recipe(suggestions, input_section(rows, recipe), f"release/{name}.{suffix}", items=mark)
    return Proposal(text, suggestions, tallies=tallies)


def guesses(
    source: Source, listener: Listener, delimiter: str | None, tallies: dict[str, Tally]
) -> tuple[Suggestion, ...]:
    """A guess for every column. tallies: are filled.

    delimiter: of texts, what cannot stand between items of a set; None of typed data.
    """
    forms: dict[str, tuple[str, ...]] = {}
    lists = set_columns(source)
    summaries, kept = [], 0
    there = source.columns if source.table is None else source.table.column_names
    for position, (name, tally) in enumerate(column_tallies(source, there)):
        listener(Progress("count", f"looking at column {position + 1} of {len(there)}", position / len(there)))
        kept += tally.values.nbytes
        if kept < _KEPT:
            tallies[name] = tally
        texts: Mapping[str, int] = tally.some(KNOWN)
        if delimiter is not None and not tally.complete and mark_of(texts, delimiter) is not None:
            texts = tally.all()  # items are counted, and not sampled
        if source.kind == "csv" and delimiter is not None and mark_of(texts, delimiter) is None:
            forms[name] = _forms(
                texts, tally, comma=delimiter == ";"
            )  # as spreadsheets write where a comma is in numbers
            texts = canonical_counts(texts, forms[name])
        codes = () if name in lists else missing_codes(texts)
        kind = "typed" if delimiter is None else "text"
        summary = ColumnSummary.of_counts(name, kind, texts, tally.missing, codes)
        if not tally.complete:
            records, distinct = tally.records + tally.missing, tally.distinct - len(codes)
            summary = replace(summary, records=records, distinct=distinct)
        if delimiter is not None:
            summary = with_items(summary, texts, delimiter)
        summaries.append(replace(summary, kind="set") if name in lists else summary)
    return tuple(with_forms(one, forms.get(one.name, ())) for one in beside_sets(suggest(summaries)))


def _forms(texts: Mapping[str, int], tally: Tally, *, comma: bool) -> tuple[str, ...]:
    """Of all values. A form that does not fit some of them does not fit all; whatever else is said, is said of all."""

    def of(counts: Mapping[str, int]) -> tuple[str, ...]:
        no_values = missing_codes(counts)
        return forms_of(
            [text for text in counts if text not in no_values and not stands_for_missing(text)], comma=comma
        )

    fitting = of(texts)
    return fitting if tally.complete or (not fitting and tally.numbers is None) else of(tally.all())


def write_proposal(proposal: Proposal, recipe: Path) -> None:
    """Where there is no recipe yet."""
    try:
        with recipe.open("x", encoding="utf-8") as file:  # never over a recipe that someone has confirmed
            file.write(proposal.text)
    except FileExistsError:
        raise RecipeError(f"{recipe.name} exists already. Choose another name with --output.") from None
    except OSError as reason:
        raise RecipeError(f"{recipe.name} cannot be written: {reason.strerror}.") from None
