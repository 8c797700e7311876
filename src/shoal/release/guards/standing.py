"""Where the cells stand that a hierarchy cannot hold: lines or records, never the cells themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.compute as pc

from shoal.data.itemsets import is_list
from shoal.data.text import text_array
from shoal.hierarchies import dates, decimals
from shoal.io.parquet import read_batches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pyarrow as pa

    from shoal.io.source import Source
    from shoal.release.plan import Plan

_NAMED = 5  # places that are named
_FITS: dict[str, Callable[[str], bool]] = {
    "intervals": lambda text: decimals.parse(text) is not None,
    "borders": lambda text: decimals.parse(text) is not None,
    "dates": lambda text: dates.parse(text) is not None,
}


def standing(plan: Plan, column: str, values: Iterable[str | None]) -> str:
    """' The first of them stand in lines 8, 12 and 30 of people.csv.' Empty where nothing is known of places, as in Spark."""
    form = plan.recipe.columns[column].hierarchy
    fits = [fit for key, fit in _FITS.items() if isinstance(form, dict) and key in form]
    wrong = {text for text in values if text is not None and not all(fit(text) for fit in fits)} if fits else set()
    places = _records(plan.source, column, wrong) if wrong else []
    if not places:
        return ""
    single = plan.source.kind == "csv" and not (plan.recipe.input is not None and plan.recipe.input.multiline)
    what = "line" if single else "record"
    shown = [f"{place + 1 if single else place:,}" for place in places[:_NAMED]]  # the header is a line, and no record
    named = shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
    if len(places) > _NAMED:
        return f" The first of them stand in {what}s {named} of {plan.source.name}."
    return f" Look at {what}{'s' if len(shown) > 1 else ''} {named} of {plan.source.name}."


def _records(source: Source, column: str, wrong: set[str]) -> list[int]:
    """Numbers of the first records with such a cell, from 1; one more than are named, if there are so many."""
    places: list[int] = []
    start = 0
    for chunk in _chunks(source, column):
        if is_list(chunk.type):
            return []
        if len(places) <= _NAMED:
            texts = text_array(chunk)
            seen = {text for text in pc.unique(texts).to_pylist() if text in wrong}
            if seen:
                places += [start + at for at, text in enumerate(texts.to_pylist(), start=1) if text in seen][
                    : _NAMED + 1
                ]
        start += len(chunk)
    return places[: _NAMED + 1]


def _chunks(source: Source, column: str) -> Iterator[pa.Array]:
    if source.table is not None:
        yield from source.table.column(column).chunks
    elif source.kind == "parquet":
        yield from (batch.column(0) for file in source.files for batch in read_batches(file, (column,)))
