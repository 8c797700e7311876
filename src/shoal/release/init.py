"""Look at a file and write a recipe with suggestions for a person to confirm."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.errors import RecipeError
from shoal.io.csv import default_delimiter
from shoal.io.source import column_counts, open_source, set_columns
from shoal.io.trees.urls import is_database, url_problems
from shoal.methods.method import Progress
from shoal.release.init_trees import NestedInput, is_nested, propose_trees
from shoal.release.suggest import ColumnSummary, Suggestion, suggest, write_recipe
from shoal.release.suggest.sets import beside_sets, mark_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.methods.method import Listener


@dataclass(frozen=True)
class Proposal:
    text: str
    suggestions: tuple[Suggestion, ...]


def given_input(
    data: str | None, *, tables: Sequence[str], url: str, record: str, keys: Sequence[str], mapping: str
) -> Path | NestedInput:
    """What `shoal init` was called with: a file or a folder; or tables, each NAME=FILE, or NAME where there is a database."""
    if data is not None and is_database(data):
        url, data = data, None
    if data is None and url and not tables:
        from shoal.io.trees.postgresql import tables_around

        tables = tables_around(url, record)
    if data is not None:
        if tables or url or keys:
            raise RecipeError("DATA is one file or folder; records spread over tables are given by --table alone.")
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
    data: Path | NestedInput, recipe: Path, *, delimiter: str | None = None, listener: Listener = lambda _: None
) -> Proposal:
    """The text of a recipe that would lie at `recipe`, with a guess for every column of `data`."""
    if isinstance(data, NestedInput) or is_nested(data):
        given = data if isinstance(data, NestedInput) else NestedInput(data)
        return Proposal(*propose_trees(given, recipe, delimiter=delimiter, listener=listener))
    listener(Progress("load", "reading the data"))
    source = open_source(data, delimiter=delimiter, sets=None)
    marks: dict[str, str | None] = dict.fromkeys(set_columns(source))  # the mark between items, in CSV
    summaries = []
    for position, name in enumerate(source.columns):
        listener(
            Progress(
                "count", f"looking at column {position + 1} of {len(source.columns)}", position / len(source.columns)
            )
        )
        counts = column_counts(source, name)
        missing = counts.pop(None, 0)
        texts = {value: records for value, records in counts.items() if value is not None}
        mark = mark_of(texts, delimiter or default_delimiter(data)) if source.kind == "csv" else None
        if mark is not None and set(marks.values()) <= {mark}:  # a recipe has one mark for all columns
            marks[name] = mark
            texts = _items(texts, mark)
        made = ColumnSummary.of_counts(name, "text" if source.kind == "csv" else "typed", texts, missing)
        summaries.append(replace(made, kind="set") if name in marks else made)
    suggestions = beside_sets(suggest(summaries))
    path = os.path.relpath(data.resolve(), recipe.resolve().parent)
    stem = data.name.split(".")[0]
    kind = "parquet" if source.kind == "parquet" or marks else "csv"
    mark = next(iter(marks.values()), None)
    text = write_recipe(suggestions, path, f"release/{stem}.{kind}", items=mark)
    if delimiter is not None:
        text = text.replace("[input]\n", f"[input]\ndelimiter = {delimiter!r}\n".replace("'", '"'), 1)
    return Proposal(text, suggestions)


def _items(cells: Mapping[str, int], mark: str) -> dict[str, int]:
    """Records that hold each item, from records by cell."""
    held: Counter[str] = Counter()
    for cell, records in cells.items():
        for item in set(cell.split(mark)):
            held[item] += records
    return dict(held)


def write_proposal(proposal: Proposal, recipe: Path) -> None:
    try:
        with recipe.open("x", encoding="utf-8") as file:  # never over a recipe that someone has confirmed
            file.write(proposal.text)
    except FileExistsError:
        raise RecipeError(f"{recipe.name} exists already. Choose another name with --output.") from None
    except OSError as reason:
        raise RecipeError(f"{recipe.name} cannot be written: {reason.strerror}.") from None
