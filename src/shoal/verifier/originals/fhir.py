"""FHIR resources as nested records: bundles, or a bulk export with a resource in each line.

Each type of resource is a table, and references are keys. A resource is known by its address: the `fullUrl` of a bundle, or else
its type and id. What names no place of its own, but the record, hangs below the record, through a resource without values. What
names neither is left out; what names one record, and a place of another, is refused.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.errors import DataError
from shoal.verifier.originals.keyed import Folding
from shoal.verifier.originals.keys import Key, hang
from shoal.verifier.originals.mapping import read_mapping

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import pyarrow as pa

    from shoal.verifier.originals.mapping import Resource
    from shoal.verifier.originals.paths import Wanted
    from shoal.verifier.sql.sql import Sql

Json = dict[str, Any]

_ADDRESS, _ABOVE, _SAID = "shoal:address", "shoal:above", "shoal:said"
_FORM = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://.*/)?([A-Za-z]+)/[^/]+")  # server, type


def fhir_records(
    what: str, objects: Iterable[Json], mapping: Any, wanted: Wanted, sql: Sql
) -> Iterator[pa.RecordBatch]:
    """objects: bundles and resources. mapping: a file, or the name of the one that comes with shoal."""
    resources = read_mapping(mapping)
    record, *others = resources.values()
    tables = {kind: _Table(one) for kind, one in resources.items()}
    for document in objects:
        _add(what, document, resources, tables)
    if not tables[record.kind].rows:
        raise DataError(f"{what}: there is no resource {record.kind}.")
    name = {record.kind: record.kind, **{one.kind: one.name for one in others}}
    keys = [Key(one.name, (_ABOVE,), name[one.below], (_ADDRESS,)) for one in others]
    placed = hang(list(name.values()), record.kind, keys)
    arrow = {name[kind]: table.arrow() for kind, table in tables.items()}
    folding = Folding(sql, record.kind, placed, arrow)
    for one in others:
        if one.or_by is not None:
            _check_said(folding, arrow, name, resources, one)
    return folding.batches(wanted)


class _Table:
    """The rows of one type of resource."""

    def __init__(self, resource: Resource) -> None:
        self._fields = resource.fields
        self.rows: list[list[Any]] = []
        self.stand_ins: set[str] = set()  # addresses of resources without values

    def add(self, address: str | None, above: str | None, said: str | None, resource: Json) -> None:
        values = [one.texts(resource) if one.is_list else one.first(resource) for one in self._fields.values()]
        self.rows.append([address, above, said, *values])

    def arrow(self) -> pa.Table:
        import pyarrow as pa

        kinds = [pa.list_(pa.string()) if one.is_list else pa.string() for one in self._fields.values()]
        form = pa.schema(list(zip((_ADDRESS, _ABOVE, _SAID, *self._fields), [pa.string()] * 3 + kinds, strict=True)))
        columns = list(zip(*self.rows, strict=True)) or [()] * len(form)
        return pa.table([pa.array(list(c), field.type) for c, field in zip(columns, form, strict=True)], schema=form)


def _add(what: str, one: Json, resources: Mapping[str, Resource], tables: Mapping[str, _Table]) -> None:
    """The resources of a bundle, or one that stands alone."""
    entries = list(_entries(what, one))
    known = _Known(entries)
    record = next(iter(resources))
    for resource, address in entries:
        kind = resource.get("resourceType")
        spec = resources.get(kind) if isinstance(kind, str) else None
        if spec is None:
            continue
        above = said = None
        if spec.by is not None:
            above = known.leads_to(spec.by.first(resource), spec.below, address)
        if spec.or_by is not None:
            reference = spec.or_by.first(resource)
            said = known.leads_to(reference, record, address)
            if above is None:
                above, said = _stand_in(said, resources[spec.below], resources, tables), None
            else:
                said = said or reference
        tables[spec.kind].add(address, above, said, resource)


def _stand_in(
    record: str | None, spec: Resource, resources: Mapping[str, Resource], tables: Mapping[str, _Table]
) -> str | None:
    """The address of a resource without values, between a record and what names nothing but the record."""
    if record is None or not spec.below:
        return record
    address = f"none:{record}"
    if address not in tables[spec.kind].stand_ins:
        tables[spec.kind].stand_ins.add(address)
        above = _stand_in(record, resources[spec.below], resources, tables)
        tables[spec.kind].add(address, above, None, {})
    return address


def _entries(what: str, one: Json) -> Iterator[tuple[Json, str | None]]:
    """(resource, its address) for each."""
    if not isinstance(one.get("resourceType"), str):
        raise DataError(f"{what}: an object has no resourceType, so it is no FHIR resource.")
    if one["resourceType"] != "Bundle":
        yield one, _own_name(one)
        return
    entries = one.get("entry")
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("resource"), dict):
            yield entry["resource"], _address(entry.get("fullUrl")) or _own_name(entry["resource"])


def _own_name(resource: Json) -> str | None:
    """`Patient/7`"""
    kind, name = resource.get("resourceType"), resource.get("id")
    return f"{kind}/{name}" if isinstance(kind, str) and isinstance(name, str) and name else None


def _address(reference: Any) -> str | None:
    """Of any version; None of what lies inside of the resource itself."""
    if not isinstance(reference, str) or reference.startswith("#"):
        return None
    return reference.partition("/_history/")[0] or None


class _Known:
    """The resources that came together."""

    def __init__(self, entries: Iterable[tuple[Json, str | None]]) -> None:
        self._kinds: dict[str, Any] = {}  # by address
        self._named: dict[str, set[str]] = defaultdict(set)  # by `Patient/7`, the addresses
        for resource, address in entries:
            if address is not None:
                self._kinds[address] = resource.get("resourceType")
                self._named[_own_name(resource) or ""].add(address)

    def leads_to(self, reference: str | None, kind: str, origin: str | None) -> str | None:
        """The address of the resource of this type that is meant; None where it is of another type, or none.

        origin: the address of the resource that refers. What is not among these may be in another bundle, under its address.
        """
        address = _address(reference)
        if address is None:
            return None
        form = _FORM.fullmatch(address)
        if form is not None and not form[1]:
            address = self._absolute(address, _server(origin))
        if address in self._kinds:
            return address if self._kinds[address] == kind else None
        return address if form is None or form[2] == kind else None

    def _absolute(self, relative: str, server: str) -> str:
        """`Patient/7` is on the server of whoever says so; where none is known, it is the one that came with it."""
        if server and server + relative in self._kinds:
            return server + relative
        same = [one for one in self._named.get(relative, ()) if not server or not _server(one)]
        if len(same) > 1:
            return f"several: {relative}"  # which one is meant cannot be told: no resource has this address
        return same[0] if same else server + relative


def _server(address: str | None) -> str:
    form = _FORM.fullmatch(address or "")
    return (form[1] or "") if form else ""


def _check_said(
    folding: Folding,
    tables: Mapping[str, pa.Table],
    name: Mapping[str, str],
    resources: Mapping[str, Resource],
    spec: Resource,
) -> None:
    """Refuse resources that name one record, and through the resource above them come to belong to another."""
    rows, kind = folding.above(spec.name), spec.below
    while resources[kind].below:
        rows = np.where(rows < 0, -1, np.append(folding.above(name[kind]), -1)[rows])
        kind = resources[kind].below
    records = tables[name[kind]].column(_ADDRESS).to_pylist()
    said = tables[spec.name].column(_SAID).to_pylist()
    wrong = sum(
        row >= 0 and one is not None and one != records[row] for row, one in zip(rows.tolist(), said, strict=True)
    )
    if wrong:
        raise DataError(
            f"{wrong:,} resources {spec.kind} name two records: one themselves, another through the {spec.below} that they name."
        )
