"""Opening files with nested records: Parquet, JSON, JSON lines and XML, a file or a folder of them; or a table, as the flat case.

With a schema each value must be spoken of by it, and only what is published is kept. Without one all values are, to look at them.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.errors import DataError, RecipeError
from shoal.io.csv import read_csv
from shoal.io.folder import check_folder
from shoal.io.footers.sizes import check_rows
from shoal.io.parquet import damage_is_data_error, open_parquet
from shoal.io.trees.batches import Held, ParquetBatches
from shoal.io.trees.json_columns import Shredder
from shoal.io.trees.json_records import json_file, json_lines
from shoal.io.trees.leaves import Wanted, arrow_leaves, check_leaf_types, check_leaves, readable
from shoal.io.trees.opened import Opened
from shoal.io.trees.repeats import Repeats
from shoal.io.trees.xml_records import XmlShape, xml_records, xml_shape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from shoal.data.paths import FieldPath
    from shoal.data.schema import Schema
    from shoal.io.reading import TreeReading
    from shoal.io.trees.json_records import Line, Record

LINES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
WHOLE = (".json", ".json.gz")
XML = (".xml", ".xml.gz")
FLAT = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
JSON = (*WHOLE, *LINES)
NESTED = (*JSON, *XML)  # that hold nothing but nested records


def open_nested(path: Path, reading: TreeReading) -> Opened:
    """A file or a folder, by its suffix."""
    name, schema = path.name.lower(), reading.schema
    if path.is_dir() or name.endswith(NESTED):
        files = nested_files(path)
        if reading.mapping:
            return open_fhir(files, path.name, reading)
        if files:
            return open_text(files, path.name, reading)
        return open_nested_parquet(check_folder(path), path.name, schema, reading.missing)
    if name.endswith(".parquet"):
        return open_nested_parquet((path,), path.name, schema, reading.missing)
    if name.endswith(FLAT):
        table = read_csv(
            path,
            delimiter=reading.delimiter,
            multiline=reading.multiline,
            encoding=reading.encoding,
            quote=reading.quote,
        )
        return open_table(table, path.name, schema, reading.missing)
    raise DataError(
        f"{path.name} cannot be read: files are recognised by their suffix, one of {', '.join(('.parquet', *NESTED, *FLAT))}."
    )


def nested_files(path: Path) -> tuple[Path, ...]:
    """The file, or those of a folder in the order of their names; none when the folder holds no JSON and no XML."""
    if not path.is_dir():
        return (path,)
    files = sorted(file for file in path.iterdir() if not file.name.startswith((".", "_")))
    for suffixes in (JSON, XML):
        if any(file.name.lower().endswith(suffixes) for file in files):
            others = [file.name for file in files if not file.name.lower().endswith(suffixes) or file.is_dir()]
            if others:
                raise DataError(f"{path.name} holds {others[0]} beside {suffixes[0]} files; what it is cannot be told.")
            return tuple(files)
    return ()


def open_nested_parquet(
    files: tuple[Path, ...], where: str, schema: Schema | None, missing: tuple[str, ...] = ()
) -> Opened:
    """Files of Parquet that have the same columns."""
    facts = [open_parquet(file, nested=True) for file in files]
    check_rows(sum(one.rows for one in facts), sum(file.stat().st_size for file in files), where)
    for file, one in zip(files[1:], facts[1:], strict=True):
        if not one.schema.equals(facts[0].schema):
            raise DataError(f"{where}: {file.name} has other columns, or columns of other types, than {files[0].name}.")
    leaves = arrow_leaves(facts[0].schema, where)
    kept = _kept(leaves, schema, where)
    with damage_is_data_error(files[0]), pq.ParquetFile(files[0]) as opened:
        stored = [opened.schema.column(number).path for number in range(len(opened.schema))]

    def of(wanted: tuple[FieldPath, ...]) -> ParquetBatches:
        if len(stored) == len(leaves):  # both in the order in which they are met
            columns = tuple(name for name, leaf in zip(stored, leaves, strict=True) if leaf in wanted)
        else:
            columns = tuple(dict.fromkeys(str(leaf.parts[0]) for leaf in wanted))
        return ParquetBatches(files, facts[0].schema, columns, sum(one.rows for one in facts))

    repeats = Repeats(schema, missing)
    counted = repeats.of(leaves)
    repeats.add(of(counted).read(), counted)
    return Opened(of(kept), kept, _unread(leaves, kept, schema), warnings=repeats.warnings())


def _unread(leaves: Iterable[FieldPath], kept: tuple[FieldPath, ...], schema: Schema | None) -> tuple[FieldPath, ...]:
    return tuple(leaf for leaf in leaves if leaf not in kept) if schema is None else ()


def open_table(table: pa.Table, where: str, schema: Schema | None, missing: tuple[str, ...] = ()) -> Opened:
    """Of Arrow data in memory."""
    table = table.replace_schema_metadata(None)
    leaves = arrow_leaves(table.schema, where)
    kept = _kept(leaves, schema, where)
    repeats = Repeats(schema, missing)
    repeats.add(table.to_batches(), repeats.of(leaves))
    table = table.select([name for name in table.column_names if any(leaf.parts[0] == name for leaf in kept)])
    held = Held(table.schema, limit=1 << 62)  # it is in memory already
    for batch in table.to_batches(max_chunksize=1 << 14):
        held.add(batch)
    return Opened(held, kept, _unread(leaves, kept, schema), warnings=repeats.warnings())


def _kept(leaves: dict[FieldPath, pa.DataType], schema: Schema | None, where: str) -> tuple[FieldPath, ...]:
    if schema is None:
        return readable(leaves)
    check_leaves(leaves.keys(), schema, where)
    kept = Wanted.of_schema(schema).kept
    check_leaf_types(leaves, kept, where)
    return kept


def open_text(files: tuple[Path, ...], where: str, reading: TreeReading) -> Opened:
    """JSON or XML."""
    schema, scratch = reading.schema, reading.scratch
    wanted = None if schema is None else Wanted.of_schema(schema)
    read = _xml(files, reading.record, wanted) if files[0].name.lower().endswith(XML) else lambda: _json(files)
    if wanted is None:
        looking = Shredder(Wanted(()), where)
        looking.look(read())
        wanted = Wanted(looking.leaves)
    repeats = Repeats(schema, reading.missing)
    return replace(shred(repeats.heard(read()), wanted, where, schema, scratch), warnings=repeats.warnings())


def open_fhir(files: tuple[Path, ...], where: str, reading: TreeReading) -> Opened:
    """FHIR resources, in JSON."""
    from shoal.io.trees.fhir import fold_fhir, read_fhir  # a part of the package that few need
    from shoal.io.trees.fhir_mapping import FhirMapping
    from shoal.io.trees.keyed import repeated_in

    if not files or files[0].name.lower().endswith(XML):
        raise DataError(f"{where}: FHIR is read from JSON and NDJSON files.")
    mapping, schema, scratch = FhirMapping.load(reading.mapping), reading.schema, reading.scratch
    return fold_fhir(
        read_fhir(_json(files), mapping, scratch),
        mapping,
        lambda leaves: _kept(leaves, schema, where),
        where,
        scratch,
        lambda table: repeated_in(table, schema, reading.missing),
    )


def _json(files: tuple[Path, ...]) -> Iterator[tuple[Line, Record]]:
    for file in files:
        yield from json_records(file)


def json_records(file: Path) -> Iterator[tuple[Line, Record]]:
    """Of one file, which holds a document or one in each line."""
    return (json_lines if file.name.lower().endswith(LINES) else json_file)(file)


def _xml(files: tuple[Path, ...], record: str, wanted: Wanted | None) -> Callable[[], Iterator[tuple[Line, Record]]]:
    if not record:
        raise RecipeError("input.record: must be given for XML: the name of the element that holds a record.")
    shape = XmlShape()
    for file in files:
        one = xml_shape(file, record)
        shape.lists |= one.lists
        shape.objects |= one.objects
    if wanted is not None:
        shape.add_wanted(wanted)

    def read() -> Iterator[tuple[Line, Record]]:
        for file in files:
            yield from xml_records(file, record, shape)

    return read


def shred(
    records: Iterable[tuple[Line, Record]], wanted: Wanted, where: str, schema: Schema | None, scratch: Path | None
) -> Opened:
    """Records of dictionaries and lists, whatever they were read from."""
    shredder = Shredder(wanted, where)
    held = Held.of(shredder.schema, shredder.batches(records), scratch)
    if schema is not None:
        try:
            check_leaves(shredder.leaves, schema, where)
        except BaseException:
            held.close()
            raise
    return Opened(held, wanted.kept)
