"""FHIR resources as nested records: bundles (`.json`, NDJSON) or a bulk export (a folder of NDJSON files, a resource in each line).

Each type of resource that the mapping names becomes a table, with the fields that are taken, its id and the id of the resource it
belongs to; the tables are folded like any others, out of core. A resource that names no place of its own but the record hangs below
the record, through a resource without values. Only the mapped fields are read; nothing else of a resource is kept or looked at.

A resource is known by its address: the `fullUrl` of a bundle, or its type and id. A reference leads to a resource of the type that
is looked for, on the server it names, or to none; so nothing of a group, or of another server's patient 1, goes to patient 1.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal.errors import DataError, RecipeError
from shoal.io.trees.batches import Held
from shoal.io.trees.fhir_mapping import FhirMapping
from shoal.io.trees.json_records import at
from shoal.io.trees.keyed import Table, record_schema
from shoal.io.trees.keyed_fold import fold_tables
from shoal.io.trees.keys import Key, hang
from shoal.io.trees.leaves import arrow_leaves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from shoal.data.paths import FieldPath
    from shoal.io.trees.fhir_mapping import Resource
    from shoal.io.trees.json_records import Line, Record
    from shoal.io.trees.opened import Opened

_ID, _UP, _SAID = "shoal:id", "shoal:up", "shoal:said"
_ROWS = 10_000
_ADDRESS = re.compile(r"(?P<server>[A-Za-z][A-Za-z0-9+.-]*://.*/)?(?P<type>[A-Za-z]+)/[^/]+")


class _Rows:
    """The rows of one type of resource, on their way into a table."""

    def __init__(self, resource: Resource, scratch: Path | None) -> None:
        self.resource = resource
        kinds = {name: pa.list_(pa.string()) if one.is_list else pa.string() for name, one in resource.fields.items()}
        self.fields = pa.schema(list(kinds.items()))
        self.held = Held(
            pa.schema([(_ID, pa.string()), (_UP, pa.string()), (_SAID, pa.string()), *kinds.items()]), scratch
        )
        self._waiting: list[list[Any]] = []

    def add(self, number: str | None, up: str | None, said: str | None, resource: Record) -> None:
        """said: the record that the resource itself names, beside the resource it hangs below."""
        values = [one.all(resource) if one.is_list else one.first(resource) for one in self.resource.fields.values()]
        self._waiting.append([number, up, said, *values])
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
        entries = list(_resources(record, line))
        known = _Known.of(entries)
        for resource, address in entries:
            kind = resource.get("resourceType")
            spec = mapping.by_type.get(kind) if isinstance(kind, str) else None
            if spec is None:
                continue
            up = said = None
            if spec.by is not None and spec.below is not None:
                up = known.target(spec.by.first(resource), spec.below, address)
            if spec.or_by is not None and spec.below is not None:
                reference = spec.or_by.first(resource)
                said = known.target(reference, mapping.resources[0].type, address)
                if up is None:
                    up, said = _below_record(said, mapping.by_type[spec.below], mapping, rows, without), None
                else:
                    said = said or reference  # what is no record is not the one that it hangs below either
            rows[spec.type].add(address, up, said, resource)
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
        up = _below_record(record, mapping.by_type[above.below], mapping, rows, without)
        rows[above.type].add(number, up, None, {})
    return number


def _resources(record: Record, line: Line) -> Iterator[tuple[Record, str | None]]:
    """The resources of a bundle, or the one that stands alone; each with its address."""
    if record.get("resourceType") != "Bundle":
        if not isinstance(record.get("resourceType"), str):
            raise DataError(f"{at(line)}: no FHIR resource: there is no resourceType.")
        yield record, _own(record)
        return
    entries = record.get("entry", [])
    for entry in entries if isinstance(entries, list) else []:
        resource = entry.get("resource") if isinstance(entry, dict) else None
        if isinstance(resource, dict):
            yield resource, _address(entry.get("fullUrl")) or _own(resource)


def _own(resource: Record) -> str | None:
    """`Patient/7`: where no address is given."""
    kind, number = resource.get("resourceType"), resource.get("id")
    return f"{kind}/{number}" if isinstance(kind, str) and isinstance(number, str) and number else None


def _address(reference: Any) -> str | None:
    """Without the version; None for what lies inside of the resource, or is not there."""
    if not isinstance(reference, str) or reference.startswith("#"):
        return None
    return reference.split("/_history/")[0] or None


def _server(address: str | None) -> str:
    match = _ADDRESS.fullmatch(address or "")
    return (match["server"] or "") if match else ""


@dataclass
class _Known:
    """The resources that came together, in a bundle or alone."""

    types: dict[str, Any] = field(default_factory=dict)  # by address
    named: dict[str, set[str]] = field(default_factory=dict)  # by type and id, the addresses

    @classmethod
    def of(cls, entries: Iterable[tuple[Record, str | None]]) -> _Known:
        known = cls()
        for resource, address in entries:
            if address is not None:
                known.types[address] = resource.get("resourceType")
                own = _own(resource)
                if own is not None:
                    known.named.setdefault(own, set()).add(address)
        return known

    def target(self, reference: str | None, kind: str, by: str | None) -> str | None:
        """The address that a reference in the resource `by` leads to; None where it does not lead to one of this type."""
        address = _address(reference)
        if address is None:
            return None
        form = _ADDRESS.fullmatch(address)
        if form is not None and form["server"] is None:
            address = self._beside(address, _server(by))
        if address in self.types:
            return address if self.types[address] == kind else None
        # not among these: perhaps in another bundle, by the same address. An address that is nowhere is refused later
        return None if form is not None and form["type"] != kind else address

    def _beside(self, relative: str, server: str) -> str:
        """`Patient/7` is on the server of the resource that says so; one without a server names those it came with."""
        if server and server + relative in self.types:
            return server + relative
        named = {one for one in self.named.get(relative, ()) if not server or not _server(one)}
        if len(named) == 1:
            return named.pop()
        return f"{len(named)} times: {relative}" if named else server + relative  # of several, none is meant for sure


def fold_fhir(
    rows: dict[str, _Rows],
    mapping: FhirMapping,
    choose: Any,
    where: str,
    scratch: Path | None,
    warn: Callable[[Table], tuple[str, ...]] = lambda _: (),
) -> Opened:
    """choose: from the leaves there are to those that are kept. warn: what is said of the table of the records."""
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
        said = {one.name: _SAID for one in others if one.or_by is not None}
        opened = fold_tables(tables, hung, kept, scratch=scratch, said=said)
        return replace(opened, warnings=(*warn(tables[root.type]), *opened.warnings))
    finally:
        for one in rows.values():
            one.held.close()
