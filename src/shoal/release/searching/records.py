"""A few records of a release, in words: what each cell shows, and which of it was blurred."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal.data.text import text_of
from shoal.report.steward.choices import Cell, Preview

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

RECORDS = 12
_LONGEST = 30  # items or nodes of one cell
Shown = list[tuple[str, bool]]


def spread(table: pa.Table, domains: Mapping[str, Collection[str]], grouped: Sequence[str]) -> Preview:
    """Records spread evenly over a release: it is sorted, and its first ones would be alike.

    domains: by column or class, what the data hold; another text was blurred. grouped: columns by which records look the same.
    """
    step = max(1, table.num_rows // RECORDS)
    places = list(range(0, table.num_rows, step))[:RECORDS]
    few = table.take(pa.array(places, pa.int64())).to_pylist()
    rows = tuple(tuple(Cell(tuple(_parts(row[name], name, domains))) for name in table.column_names) for row in few)
    said = [
        at for at in range(len(table.column_names)) if any(row[at].parts for row in rows)
    ]  # a class may stand inside another
    heads = tuple(table.column_names[at] for at in said)
    return Preview(heads, tuple(tuple(row[at] for at in said) for row in rows), _same(table, grouped, few), first=False)


def _same(table: pa.Table, grouped: Sequence[str], few: list[dict[str, Any]]) -> tuple[int, ...]:
    names = [name for name in grouped if name in table.column_names]
    if not names or any(pa.types.is_nested(table.schema.field(name).type) for name in names):
        return ()
    counts = table.group_by(names).aggregate([([], "count_all")]).to_pylist()
    sizes = {tuple(one[name] for name in names): one["count_all"] for one in counts}
    return tuple(sizes[tuple(row[name] for name in names)] for row in few)


def _parts(value: Any, name: str, domains: Mapping[str, Collection[str]]) -> Shown:
    """Texts of a cell; nested ones are named by their class."""
    if isinstance(value, dict):
        return _joined([(key, inner) for key, inner in value.items() if inner not in (None, [])], ", ", domains, name)
    if isinstance(value, list):
        return _joined(
            [("", inner) for inner in value], "; " if any(isinstance(v, dict) for v in value) else ", ", domains, name
        )
    shown = text_of(value)
    if shown is None:
        return [("(missing)", False)]
    return [(shown, name in domains and shown not in domains[name])]


def _joined(entries: list[tuple[str, Any]], mark: str, domains: Mapping[str, Collection[str]], name: str) -> Shown:
    parts: Shown = []
    for at, (key, value) in enumerate(entries):
        if len(parts) > 2 * _LONGEST:
            return [*parts, (" …", False)]
        if at:
            parts.append((mark, False))
        inner = _parts(value, name if key in ("", "value") else key, domains)
        nested = isinstance(value, list)
        if key and key != "value":
            parts.append((f"{key} " + ("[" if nested else ""), False))
        parts += [*inner, *([("]", False)] if key and nested else [])]
    return parts


def cell_of(text: str | None, *, blurred: bool) -> Cell:
    """Of a single value."""
    return Cell((("(missing)" if text is None else text, blurred),))
