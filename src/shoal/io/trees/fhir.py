"""FHIR resources as nested records: bundles (`.json`, NDJSON) or a bulk export (a folder of NDJSON files, a resource in each line).

Each type of resource that the mapping names becomes a table, with the fields that are taken, its id and the id of the resource it
belongs to; the tables are folded like any others, out of core. A resource that names no place of its own but the record hangs below
the record, through a resource without values. Only the mapped fields are read; nothing else of a resource is kept or looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal.errors import DataError, RecipeError
from shoal.io.trees.batches import Held
from shoal.io.trees.fhir_mapping import FhirMapping
from shoal.io.trees.json_records import at
from shoal.io.trees.keys import Key, hang
from shoal.io.trees.leaves import arrow_leaves
from shoal.io.trees.table_fold import fold_tables
from shoal.io.trees.tables import Table, record_schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from shoal.data.paths import FieldPath
    from shoal.io.trees.fhir_mapping import Resource
    from shoal.io.trees.json_records import Line, Record
    from shoal.io.trees.opening import Opened

_ID, _UP = "shoal:id", "shoal:up"
_ROWS = 10_000


class _Rows:
    """The rows of one type of resource, on their way into a table."""

    def __init__(self, resource: Resource, scratch: Path | None) -> None:
        self.resource = resource
        kinds = {name: pa.list_(pa.string()) if one.is_list else pa.string() for name, one in resource.fields.items()}
        self.fields = pa.schema(list(kinds.items()))
        self.held = Held(pa.schema([(_ID, pa.string()), (_UP, pa.string()), *kinds.items()]), scratch)
        self._waiting: list[list[Any]] = []

    def add(self, number: str | None, up: str | None, resource: Record) -> None:
        values = [one.all(resource) if one.is_list else one.first(resource) for one in self.resource.fields.values()]
        self._waiting.append([number, up, *values])
        if len(self._waiting) == _ROWS:
            self.flush()

    def flush(self) -> None:
        if self._waiting:
            columns = zip(*self._waiting, strict=True)
            arrays = [pa.array(column, field.type) for column, field in zip(columns, self.held.schema, strict=True)]
            self.held.add(pa.RecordBatch.from_arrays(arrays, schema=self.held.schema))
            self._waiting.clear()

    def table(self) -> Table:
        self.flush()
        self.held.done()
        rows = None if self.held.files else pa.Table.from_batches(self.held.read(), self.held.schema)
        return Table(self.held.schema, self.held.files, rows)


def read_fhir(records: Iterable[tuple[Line, Record]], mapping: FhirMapping, scratch: Path | None) -> dict[str, _Rows]:
    """By type, the rows of all resources that the mapping names."""
    rows = {one.type: _Rows(one, scratch) for one in mapping.resources}
    without: set[tuple[str, str]] = set()  # resources without values that were made
    for line, record in records:
        known = _known(record)
        for resource, number in _resources(record, line):
            kind = resource.get("resourceType")
            spec = mapping.by_type.get(kind) if isinstance(kind, str) else None
            if spec is None:
                continue
            up = None if spec.by is None else _target(spec.by.first(resource), known)
            if up is None and spec.or_by is not None and spec.below is not None:
                up = _below_record(
                    _target(spec.or_by.first(resource), known), mapping.by_type[spec.below], mapping, rows, without
                )
            rows[spec.type].add(number, up, resource)
    return rows


def _below_record(
    record: str | None, above: Resource, mapping: FhirMapping, rows: dict[str, _Rows], without: set[tuple[str, str]]
) -> str | None:
    """The id of a resource without values that hangs below the record; made once for each record and type."""
    if record is None or above.below is None:
        return record
    number = f"none:{record}"
    if (above.type, number) not in without:
        without.add((above.type, number))
        rows[above.type].add(number, _below_record(record, mapping.by_type[above.below], mapping, rows, without), {})
    return number


def _resources(record: Record, line: Line) -> Iterator[tuple[Record, str | None]]:
    """The resources of a bundle, or the one that stands alone; each with its id."""
    if record.get("resourceType") != "Bundle":
        if not isinstance(record.get("resourceType"), str):
            raise DataError(f"{at(line)}: no FHIR resource: there is no resourceType.")
        yield record, _last(record.get("id"))
        return
    entries = record.get("entry", [])
    for entry in entries if isinstance(entries, list) else []:
        resource = entry.get("resource") if isinstance(entry, dict) else None
        if isinstance(resource, dict):
            yield resource, _last(entry.get("fullUrl")) or _last(resource.get("id"))


def _known(record: Record) -> dict[str, str]:
    """In a bundle: the ids of resources that are called by another address."""
    if record.get("resourceType") != "Bundle":
        return {}
    named = ((_last(resource.get("id")), number) for resource, number in _resources(record, ("", 0)))
    return {own: number for own, number in named if own and number and own != number}


def _target(reference: str | None, known: dict[str, str]) -> str | None:
    number = _last(reference)
    return None if number is None else known.get(number, number)


def _last(reference: Any) -> str | None:
    """The id in `Patient/7`, `http://host/Patient/7/_history/2` or `urn:uuid:7`."""
    if not isinstance(reference, str) or not reference or reference.startswith("#"):
        return None
    return reference.split("/_history/")[0].rpartition("/")[2].rpartition(":")[2] or None


def fold_fhir(
    rows: dict[str, _Rows],
    mapping: FhirMapping,
    choose: Any,
    where: str,
    scratch: Path | None,
) -> Opened:
    """choose: from the leaves there are to those that are kept."""
    root, *others = mapping.resources
    name = {one.type: one.name for one in others} | {root.type: root.type}
    try:
        tables = {name[kind]: one.table() for kind, one in rows.items()}
        if not rows[root.type].held.records:
            raise DataError(f"{where}: there is no resource {root.type}.")
        keys = [Key(one.name, (_UP,), name[one.below], (_ID,)) for one in others if one.below is not None]
        try:
            hung = hang(list(tables), root.type, keys)
            leaves = arrow_leaves(record_schema(hung, {name[kind]: one.fields for kind, one in rows.items()}), where)
        except RecipeError:
            raise RecipeError("input.mapping: a resource and a field of the one above it have the same name.") from None
        kept: tuple[FieldPath, ...] = choose(leaves)
        return fold_tables(tables, hung, kept, scratch=scratch)
    finally:
        for one in rows.values():
            one.held.close()
