"""What Parquet files say besides values: keys with texts of the file, of a column or of a row group, and numbers of fields.

There is room for anything in them, such as who is who, and no reader of the records sees it. A release has none; a folder that
Spark wrote has its version, and the schema once more, which is let through if it says nothing else. So is Arrow's schema, in files
of other tools.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Any

from shoal.verifier.files.parquet_parts import looking, parts_of
from shoal.verifier.finding import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

_ARROW = b"ARROW:schema"
_VERSION, _ROW = b"org.apache.spark.version", b"org.apache.spark.sql.parquet.row.metadata"
_RELEASE = re.compile(rb"[0-9]{1,4}(\.[0-9]{1,4}){1,3}(-?[A-Za-z0-9]{1,16})?")
_TYPE = re.compile(r"[a-z_]{1,20}(\([0-9]{1,2},[0-9]{1,2}\))?")
_HELP = (
    "Nobody sees them among the records, and they may say anything. Write the file again without, with pyarrow for instance by "
    "write_table(table.replace_schema_metadata(None), path, store_schema=False)."
)


def metadata_marks(paths: Sequence[Path], *, arrow: bool = False) -> tuple[str, ...]:
    """What the files say besides values, in a sentence. arrow: Arrow's schema may be there, too."""
    import pyarrow.parquet as pq

    keys = fields = chunks = 0
    with looking() as con:
        for path in paths:
            with pq.ParquetFile(path) as file:
                schema, metadata = file.schema_arrow, file.metadata
                keys += _strange(metadata.metadata or {}, schema, arrow)
                fields += sum(bool(field.metadata) for field in _fields(schema))
            chunks += sum(part.texts > 0 for part in parts_of(con, path))
    found = (
        (keys, f"{counted(keys, 'text')} beside the schema"),
        (fields, f"{counted(fields, 'field')} with a number or text of its own"),
        (chunks, f"{counted(chunks, 'part')} of columns with texts"),
    )
    marks = [words for number, words in found if number]
    return (f"Metadata besides the values: {', '.join(marks)}. {_HELP}",) if marks else ()


def _fields(schema: Any) -> Iterator[pa.Field]:
    for field in schema:
        yield field
        kind = field.type
        yield from _fields([kind.field(i) for i in range(kind.num_fields)])


def _strange(entries: Mapping[bytes, bytes], schema: pa.Schema, arrow: bool) -> int:
    def is_known(key: bytes, text: bytes) -> bool:
        if key == _VERSION:
            return _RELEASE.fullmatch(text) is not None
        if key == _ARROW:
            return arrow and _is_arrow_schema(text, schema)
        return key == _ROW and _is_schema(text, schema)

    return sum(not is_known(key, text) for key, text in entries.items())


def _is_arrow_schema(text: bytes, schema: pa.Schema) -> bool:
    """Whether it is the columns' types and nothing more: written anew from these, it is the same to the last byte."""
    import pyarrow as pa

    try:
        read = pa.ipc.read_schema(pa.py_buffer(b64decode(text, validate=True)))
    except (ValueError, OSError, pa.ArrowException):
        return False
    if any(field.metadata for field in _fields(read)) or (read.names, read.types) != (schema.names, schema.types):
        return False
    if not all(_has_no_text(kind) for kind in read.types):
        return False
    bare = pa.schema([pa.field(field.name, field.type, field.nullable) for field in read])
    return b64encode(bare.serialize().to_pybytes()) == text


def _has_no_text(kind: pa.DataType) -> bool:
    """Whether a type has no room for words: a time zone or the name of a list's values could be any, and Parquet holds neither."""
    import pyarrow as pa

    if isinstance(kind, pa.BaseExtensionType):
        return False
    if pa.types.is_dictionary(kind):
        return _has_no_text(kind.value_type)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return kind.value_field.name in ("item", "element") and _has_no_text(kind.value_type)
    if pa.types.is_timestamp(kind):
        return kind.tz in (None, "UTC")
    return bool(kind.num_fields == 0)


def _is_schema(text: bytes, schema: pa.Schema) -> bool:
    """Whether it is names, types and nothing more, written as Spark writes it."""
    try:
        read = text.decode()
        made = json.loads(read)
    except (ValueError, RecursionError):
        return False
    names = {field.name for field in _fields(schema)}
    return _is_struct(made, names) and json.dumps(made, ensure_ascii=False, separators=(",", ":")) == read


def _is_struct(made: Any, names: set[str]) -> bool:
    if not isinstance(made, dict) or list(made) != ["type", "fields"] or made["type"] != "struct":
        return False
    return isinstance(made["fields"], list) and all(_is_field(field, names) for field in made["fields"])


def _is_field(made: Any, names: set[str]) -> bool:
    if not isinstance(made, dict) or list(made) != ["name", "type", "nullable", "metadata"]:
        return False
    plain = made["metadata"] == {} and isinstance(made["nullable"], bool) and isinstance(made["name"], str)
    return plain and made["name"] in names and _is_type(made["type"], names)


def _is_type(made: Any, names: set[str]) -> bool:
    if isinstance(made, str):
        return _TYPE.fullmatch(made) is not None
    if isinstance(made, dict) and list(made) == ["type", "elementType", "containsNull"]:
        return (
            made["type"] == "array" and isinstance(made["containsNull"], bool) and _is_type(made["elementType"], names)
        )
    return _is_struct(made, names)
