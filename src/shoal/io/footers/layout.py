"""The footer of a Parquet file as its columns and the parts of them that row groups hold (parquet.thrift of the format, 2.12).

What the statistics say of values is not kept: nobody believes it. Of their forms is kept what can contradict the schema.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from shoal.io.footers.thrift import (
    Compact,
    MalformedError,
    Struct,
    binary,
    i32,
    i64,
    is_there,
    length,
    numbers,
    struct,
    structs,
)

_SCHEMA: Struct = {1: i32("type"), 2: i32("length"), 3: i32("repetition"), 4: binary("name"), 5: i32("children")}
_STATISTICS: Struct = {1: length("max"), 2: length("min"), 5: length("max_value"), 6: length("min_value")}
_SIZES: Struct = {1: i64("bytes"), 2: numbers("repetitions"), 3: numbers("definitions")}
_COLUMN: Struct = {
    1: i32("type"),
    5: i64("values"),
    6: i64("unpacked"),
    7: i64("packed"),
    9: i64("data"),
    11: i64("dictionary"),
    12: struct("statistics", _STATISTICS),
    16: struct("sizes", _SIZES),
}
_CHUNK: Struct = {
    1: length("file"),
    3: struct("column", _COLUMN),
    8: is_there("key", "struct"),
    9: is_there("secret", "binary"),
}
_GROUP: Struct = {1: structs("chunks", _CHUNK), 3: i64("rows")}
_FILE: Struct = {
    2: structs("schema", _SCHEMA),
    3: i64("rows"),
    4: structs("groups", _GROUP),
    8: is_there("encryption", "struct"),
}
TYPES = ("BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY")
_OPTIONAL, _REPEATED = 1, 2
_LEVELS = 100  # of a schema; a record that is deeper is refused by every reader of records


class Leaf(NamedTuple):
    """A column as it is stored: the last field of a path, with the levels that tell where lists and missing values are."""

    path: str
    type: str
    definitions: int
    repetitions: int


class Chunk(NamedTuple):
    """What a row group holds of a column."""

    group: int
    column: int
    type: str
    rows: int
    values: int
    unpacked: int
    packed: int
    data: int  # where its first page of data lies
    dictionary: int  # and that of its dictionary; 0 where it has none
    bounds: tuple[int, ...]  # lengths of the smallest and the largest value, as far as they are given
    bytes: int | None  # of its texts, where that is said
    histograms: tuple[int, int]  # lengths of those of repetition and definition; 0 where there is none

    @property
    def start(self) -> int:
        return min(self.data, self.dictionary) if self.dictionary > 0 else self.data


@dataclass(frozen=True)
class Footer:
    rows: int
    leaves: tuple[Leaf, ...]
    chunks: tuple[Chunk, ...]


class UnreadableError(ValueError):
    """The file is sound, but stored in a way that is not read: the text says which."""


def read_footer(data: bytes) -> Footer:
    """`MalformedError` for what is no footer, or contradicts itself; `UnreadableError` for encrypted files and the like."""
    reader = Compact(data)
    file = reader.struct(_FILE)
    if "encryption" in file:
        raise UnreadableError("is an encrypted Parquet file; encrypted files are not read")
    if reader.left:
        raise MalformedError("bytes after its end")
    leaves = _leaves(_needed(file, "schema"))
    groups = _needed(file, "groups")
    chunks = tuple(
        chunk
        for number, group in enumerate(groups)
        for chunk in _chunks(number, _needed(group, "chunks"), _needed(group, "rows"), leaves)
    )
    rows = _needed(file, "rows")
    counted = sum(group["rows"] for group in groups)
    if counted != rows:
        raise MalformedError(f"it claims {rows:,} rows, its row groups hold {counted:,}")
    return Footer(rows, leaves, chunks)


def _leaves(schema: list[dict[str, Any]]) -> tuple[Leaf, ...]:
    """The schema is a tree, written from its root on, each element with the number of those right below it."""
    if not schema:
        raise MalformedError("a schema without a root")
    found: list[Leaf] = []
    open_: list[list[Any]] = [
        [schema[0].get("children", 0), (), 0, 0]
    ]  # (children to come, path, levels) from the root on
    for element in schema[1:]:
        while open_ and open_[-1][0] == 0:
            open_.pop()
        if not open_ or len(open_) > _LEVELS:
            raise MalformedError("a schema that is no tree, or too deep")
        above = open_[-1]
        above[0] -= 1
        repetition, children = element.get("repetition", 0), element.get("children", 0)
        if not 0 <= repetition <= _REPEATED or children < 0:
            raise MalformedError("a schema with numbers that there are not")
        path = (*above[1], _needed(element, "name"))
        definitions = above[2] + (repetition in (_OPTIONAL, _REPEATED))
        repetitions = above[3] + (repetition == _REPEATED)
        if "type" not in element:  # a group, also one without fields
            open_.append([children, path, definitions, repetitions])
        elif children:
            raise MalformedError("a field that is a group and a value")
        else:
            found.append(Leaf(_dotted(path), _type(element), definitions, repetitions))
    if any(one[0] != 0 for one in open_):
        raise MalformedError("a schema that is cut off")
    return tuple(found)


def _dotted(path: tuple[bytes, ...]) -> str:
    return b".".join(path).decode("utf-8", "replace")


def _chunks(group: int, chunks: list[dict[str, Any]], rows: int, leaves: tuple[Leaf, ...]) -> list[Chunk]:
    if len(chunks) != len(leaves):
        raise MalformedError(f"row group {group + 1} has {len(chunks):,} columns, its schema {len(leaves):,}")
    if rows < 0:
        raise MalformedError("a number of rows below 0")
    found = []
    for number, chunk in enumerate(chunks):
        if "key" in chunk or "secret" in chunk:
            raise UnreadableError("is an encrypted Parquet file; encrypted files are not read")
        if chunk.get("file"):
            raise UnreadableError("keeps columns in other files; such files are not read")
        column = _needed(chunk, "column")
        sizes, statistics = column.get("sizes", {}), column.get("statistics", {})
        found.append(
            Chunk(
                group,
                number,
                _type(column),
                rows,
                _needed(column, "values"),
                _needed(column, "unpacked"),
                _needed(column, "packed"),
                _needed(column, "data"),
                column.get("dictionary", 0),
                tuple(statistics.values()),
                sizes.get("bytes"),
                (sizes.get("repetitions", 0), sizes.get("definitions", 0)),
            )
        )
    return found


def _type(element: dict[str, Any]) -> str:
    number = _needed(element, "type")
    if not 0 <= number < len(TYPES):
        raise MalformedError("a type that there is not")
    return TYPES[number]


def _needed(found: dict[str, Any], name: str) -> Any:
    if name not in found:
        raise MalformedError(f"without its {name}")
    return found[name]
