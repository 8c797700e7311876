"""Records from JSON, strictly: JSON lines (`.jsonl`, `.ndjson`), or a file with one array of records or one record (`.json`).

- UTF-8 without a byte order mark. No name twice in an object, no NaN or Infinity, no half of a surrogate pair.
- Numbers become their text form at once (data/text.py), so `1`, `1.0` and `"1"` are one value.
- A line of JSON lines holds at most 64 MiB; blank lines hold nothing. A `.json` file is held in memory and has at most 2 GiB.
- What is wrong is told with its line, never with what stands there.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

from shoal.data.paths import MAX_DEPTH
from shoal.data.text import text_of
from shoal.errors import DataError
from shoal.io.files import Limits, open_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_LINE = 64 << 20
MAX_FILE = 2 << 30
MAX_VALUES = 1_000_000  # of a line: each takes up to a hundred bytes of memory, whatever it takes in the file
_MAX_DIGITS = 400  # of a number; the largest float has 309
_BLOCK = 4 << 20
_BOM = b"\xef\xbb\xbf"
_BLANK = re.compile(r"[ \t\n\r]*")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")

Record = dict[str, Any]
Line = tuple[str, int]  # a file, and a line in it


def at(line: Line) -> str:
    """How messages say where."""
    return f"{line[0]}, line {line[1]:,}"


class JsonFault(ValueError):  # noqa: N818 - it is told as a DataError, with its place
    """What is wrong with a text that is otherwise JSON."""


def json_lines(path: Path, limits: Limits | None = None) -> Iterator[tuple[Line, Record]]:
    """(line, record) for each."""
    for number, line in _lines(path, limits):
        place = (path.name, number)
        text = _text(line, place)
        if not text.strip(" \t\r\n"):
            continue
        try:
            yield place, _record(_DECODER.decode(text), text)
        except (ValueError, RecursionError) as error:
            raise DataError(f"{at(place)}: {_told(error)}.") from None


def json_file(path: Path, limits: Limits | None = None) -> Iterator[tuple[Line, Record]]:
    """(line, record) for each."""
    text = _whole(path, limits)
    here, line, seen = _skip(text, 0), 1, 0
    try:
        if not text.startswith("[", here):
            value, end = _DECODER.raw_decode(text, here)
            if _skip(text, end) < len(text):
                raise JsonFault(
                    "more follows the record; a file holds one record or an array. Use .jsonl for JSON lines"
                )
            yield (path.name, 1), _record(value, text)
            return
        here = _skip(text, here + 1)
        if not text.startswith("]", here):
            while True:
                value, end = _DECODER.raw_decode(text, here)
                line += text.count("\n", seen, here)
                seen = here
                yield (path.name, line), _record(value, text[here:end])
                here = _skip(text, end)
                if not text.startswith(",", here):
                    break
                here = _skip(text, here + 1)
        if not text.startswith("]", here):
            raise JsonFault("a comma or the end of the array is missing after a record")
        here = _skip(text, here + 1)
        if here < len(text):
            raise JsonFault("more follows the array of records")
    except (ValueError, RecursionError) as error:
        place = error.pos if isinstance(error, json.JSONDecodeError) else here
        raise DataError(f"{path.name}, line {text.count(chr(10), 0, place) + 1:,}: {_told(error)}.") from None


def _record(value: Any, text: str) -> Record:
    if not isinstance(value, dict):
        raise JsonFault("a record is an object, in braces")
    if _SURROGATE.search(text):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise JsonFault("half of a surrogate pair, which is no character") from None
    return value


def _told(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return f"nested too deep; at most {MAX_DEPTH} levels are read"
    if isinstance(error, JsonFault):
        return str(error)
    return f"no JSON here: {error.msg.lower()}" if isinstance(error, json.JSONDecodeError) else "no JSON here"


def _lines(path: Path, limits: Limits | None) -> Iterator[tuple[int, bytes]]:
    stream = open_bytes(path, limits)
    tail, number = b"", 1
    try:
        while piece := stream.read(_BLOCK):
            *whole, tail = (tail + piece).split(b"\n")
            for line in whole:
                _check_length(line, path, number)
                yield number, line
                number += 1
            _check_length(tail, path, number)
    finally:
        stream.close()
    if tail:
        yield number, tail


def _check_length(line: bytes, path: Path, number: int) -> None:
    if len(line) > MAX_LINE:
        raise DataError(
            f"{at((path.name, number))}: longer than {MAX_LINE:,} bytes. JSON lines have one record in each line; give an array "
            "of records the suffix .json."
        )
    if len(line) > MAX_VALUES and sum(map(line.count, (b",", b"[", b"{"))) > MAX_VALUES:
        raise DataError(f"{at((path.name, number))}: more than {MAX_VALUES:,} values in one record.")


def _whole(path: Path, limits: Limits | None) -> str:
    stream = open_bytes(path, limits)
    pieces, size = [], 0
    try:
        while piece := stream.read(_BLOCK):
            pieces.append(piece)
            size += len(piece)
            if size > MAX_FILE:
                raise DataError(f"{path.name} holds more than {MAX_FILE:,} bytes; write JSON lines (.jsonl) instead.")
    finally:
        stream.close()
    return _text(b"".join(pieces), (path.name, 1))


def _text(data: bytes, line: Line) -> str:
    if data.startswith(_BOM):
        raise DataError(f"{at(line)}: a byte order mark, which JSON does not have; save the file as UTF-8 without one.")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        place = (line[0], line[1] + data.count(b"\n", 0, error.start))
        raise DataError(f"{at(place)}: not UTF-8 text; convert the file to UTF-8.") from None


def _skip(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at


# ---- what the parser makes of things -------------------------------------------------------------------------------------------


def _each_once(pairs: list[tuple[str, Any]]) -> Record:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise JsonFault("a name stands twice in an object")
    return record


def _whole_number(digits: str) -> str:
    if len(digits) > _MAX_DIGITS:
        raise JsonFault(f"a number of more than {_MAX_DIGITS} digits")
    return "0" if digits == "-0" else digits


def _number(digits: str) -> str:
    value = float(digits)
    if len(digits) > _MAX_DIGITS or not math.isfinite(value):
        raise JsonFault("a number that is too large or too long")
    return text_of(value) or ""


def _constant(_: str) -> Any:
    raise JsonFault("NaN or Infinity, which JSON does not have; use null for what is missing")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_each_once, parse_int=_whole_number, parse_float=_number, parse_constant=_constant
)
