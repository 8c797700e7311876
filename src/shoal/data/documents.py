"""TOML and JSON that a person wrote or a run left: recipes, mappings, reports, markers. Read within limits.

They are small, and their parsers trust them: a name of a hundred thousand parts (`a.a.a. …`) takes 3.4 GB. Whatever no document
needs is refused before it is parsed. Whoever calls says what the document is; all raise ValueError.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

MAX_TOML = 2 << 20  # bytes; a recipe with 10,000 columns has 600,000
MAX_JSON = 64 << 20
_MAX_PARTS = 2_000_000  # of JSON: values and names
_MAX_DOTS = 100_000  # of TOML: each may be a table within a table
# A dotted name of more parts than a record is deep. Possessive, and begun at the start of a part, so that no text takes long.
_LONG_NAME = re.compile(r"""(?<![A-Za-z0-9_-])(?:(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){101}""")


class TooLargeError(ValueError):
    """What is in the way of reading a document, as the end of a sentence."""


def read_text(path: Path, limit: int) -> str:
    """The text of a file in UTF-8, with or without a byte order mark."""
    with path.open("rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise TooLargeError(f"it holds more than {limit:,} bytes")
    return data.decode("utf-8-sig")


def encoding_of(data: bytes) -> str:
    """What bytes look like that are no UTF-8, as programs call it when they ask in which encoding to save."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or data[:200].count(0) > len(data[:200]) // 4:
        return "UTF-16"
    return "Windows-1252"  # or one of its kin: they differ in letters, and none of them can be told from the bytes


def read_toml(text: str) -> dict[str, Any]:
    """Within limits: what is too large or too deep is refused before it is parsed."""
    if len(text) > MAX_TOML:
        raise TooLargeError(f"it holds more than {MAX_TOML:,} characters")
    if text.count(".") > _MAX_DOTS:
        raise TooLargeError(f"it has more than {_MAX_DOTS:,} dots, each of which may be a table within a table")
    if _LONG_NAME.search(text):
        raise TooLargeError("a name has more than 100 parts")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise TooLargeError("it is nested too deep") from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:  # of Python, about numbers of thousands of digits
        raise TooLargeError("it has a number of too many digits") from None


def read_json(text: str) -> Any:
    """Within limits: what is too large or too deep is refused."""
    if len(text) > MAX_JSON or sum(map(text.count, ",[{")) > _MAX_PARTS:
        raise TooLargeError("it is too large")
    try:
        return json.loads(text)
    except RecursionError:
        raise TooLargeError("it is nested too deep") from None
