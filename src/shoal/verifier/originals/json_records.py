"""Records from JSON, read without guessing: one object in each line, or a file that holds an array of objects or one object.

Refused: a name twice in an object, NaN and Infinity, a byte order mark, text that is not UTF-8, half of a surrogate pair, numbers
of more than 400 digits, lines of more than a million values. A number is its text, so `1`, `1.0` and `"1"` are the same value.
"""

from __future__ import annotations

import io
import json
import math
import re
import zlib
from typing import TYPE_CHECKING, Any

from shoal.errors import DataError
from shoal.verifier.files.opening import opened
from shoal.verifier.text import text_form

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LINE = 64 << 20  # bytes
_FILE = 2 << 30
_VALUES = 1_000_000  # of a record
_DIGITS = 400
_DEPTH = 100
_PIECE = 1 << 20
_AHEAD = 8 << 20  # more than what is unpacked without a look at how it grows: a bomb is seen before it is parsed
_BOM = b"\xef\xbb\xbf"
_HALF = re.compile("[\ud800-\udfff]")


def json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON lines; blank lines are nothing."""
    try:
        with opened(path) as stream:
            ahead = io.BufferedReader(stream, _AHEAD)  # type: ignore[type-var]
            for number, line in enumerate(iter(lambda: ahead.readline(_LINE + 1), b""), start=1):
                if len(line) > _LINE:
                    raise DataError(f"{path.name}, line {number:,}: longer than {_LINE:,} bytes; no record is.")
                if len(line) > _VALUES and line.count(b",") + line.count(b"[") + line.count(b"{") > _VALUES:
                    raise DataError(f"{path.name}, line {number:,}: more than {_VALUES:,} values; no record has.")
                if line.strip(b" \t\r\n"):
                    yield _record(f"{path.name}, line {number:,}", line)
    except OSError as error:
        raise _unreadable(path, error) from None
    except (EOFError, zlib.error):
        raise DataError(f"{path.name}: cannot be read to its end.") from None


def json_file(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of the array that a file holds, or its one object."""
    text = _text(path.name, _whole(path))
    place = _skip(text, 0)
    if not text.startswith("[", place):
        yield _checked(path.name, *_decoded(path.name, text, place), text, is_last=True)
        return
    place = _skip(text, place + 1)
    if text.startswith("]", place):
        _check_end(path.name, text, place + 1)
        return
    number = 0
    while True:
        number += 1
        record, end = _decoded(f"{path.name}, record {number:,}", text, place)
        yield _checked(f"{path.name}, record {number:,}", record, end, text[place:end])
        place = _skip(text, end)
        if not text.startswith(",", place):
            break
        place = _skip(text, place + 1)
    if not text.startswith("]", place):
        raise DataError(f"{path.name}, record {number:,}: neither a comma nor the end of the array follows.")
    _check_end(path.name, text, place + 1)


def _whole(path: Path) -> bytes:
    pieces, size = [], 0
    try:
        with opened(path) as stream:
            while piece := stream.read(_PIECE):
                pieces.append(piece)
                size += len(piece)
                if size > _FILE:
                    raise DataError(f"{path.name}: more than {_FILE:,} bytes; write JSON lines (.jsonl) instead.")
    except OSError as error:
        raise _unreadable(path, error) from None
    except (EOFError, zlib.error):
        raise DataError(f"{path.name}: cannot be read to its end.") from None
    return b"".join(pieces)


def _unreadable(path: Path, error: OSError) -> DataError:
    return DataError(f"{path.name}: cannot be read ({error.strerror or type(error).__name__}).")


def _record(where: str, line: bytes) -> dict[str, Any]:
    text = _text(where, line)
    place = _skip(text, 0)
    return _checked(where, *_decoded(where, text, place), text, is_last=True)


def _text(where: str, data: bytes) -> str:
    if data.startswith(_BOM):
        raise DataError(f"{where}: a byte order mark, which JSON does not have.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise DataError(f"{where}: not UTF-8 text.") from None


def _decoded(where: str, text: str, place: int) -> tuple[Any, int]:
    try:
        value, end = _DECODER.raw_decode(text, place)
    except (ValueError, RecursionError):
        raise DataError(f"{where}: not JSON that can be read in one way only.") from None
    return value, end


def _checked(where: str, record: Any, end: int, text: str, *, is_last: bool = False) -> dict[str, Any]:
    """text: of the record. is_last: nothing may follow it there."""
    if is_last:
        _check_end(where, text, end)
    if not isinstance(record, dict):
        raise DataError(f"{where}: a record is an object, in braces.")
    if len(text) > _VALUES and text.count(",") + text.count("[") + text.count("{") > _VALUES:
        raise DataError(f"{where}: more than {_VALUES:,} values; no record has.")
    if "\\u" in text and _has_half(record):
        raise DataError(f"{where}: half of a surrogate pair, which is no character.")
    if text.count("[") + text.count("{") > _DEPTH and _depth(record) > _DEPTH:
        raise DataError(f"{where}: nested more than {_DEPTH} deep.")
    return record


def _check_end(where: str, text: str, end: int) -> None:
    if _skip(text, end) < len(text):
        raise DataError(f"{where}: more follows the record, or the array of records.")


def _has_half(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_HALF.search(name) or _has_half(one) for name, one in value.items())
    if isinstance(value, list):
        return any(map(_has_half, value))
    return isinstance(value, str) and bool(_HALF.search(value))


def _depth(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(_depth, inner), default=0)


def _skip(text: str, place: int) -> int:
    while place < len(text) and text[place] in " \t\r\n":
        place += 1
    return place


# ---- what the parser makes of things -----------------------------------------------------------------------------------


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs) or "" in fields:
        raise ValueError("a name stands twice in an object, or is empty")
    return fields


def _whole_number(digits: str) -> str:
    if len(digits) > _DIGITS:
        raise ValueError("a number that no reader keeps")
    return "0" if digits == "-0" else digits


def _fraction(digits: str) -> str:
    value = float(digits)
    if len(digits) > _DIGITS or not math.isfinite(value):
        raise ValueError("a number that no reader keeps")
    return text_form(value) or ""


def _no_number(_: str) -> Any:
    raise ValueError("not a number of JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_once, parse_int=_whole_number, parse_float=_fraction, parse_constant=_no_number
)
