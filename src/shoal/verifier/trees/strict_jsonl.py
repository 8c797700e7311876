"""JSON lines without guessing: one object per line in UTF-8, no name twice in an object, no blank line, nothing after the object.

In JSON an empty list of nodes is left out. Everything else must be as `reading.py` says; whether a line is written in the one form
that there is, `line_form.py` looks.
"""

from __future__ import annotations

import json
import math
import zlib
from array import array
from typing import TYPE_CHECKING, Any

from shoal.errors import DataError
from shoal.verifier.files.opening import opened
from shoal.verifier.text import text_form
from shoal.verifier.trees.line_form import Number, number_form
from shoal.verifier.trees.nested import VALUE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from shoal.verifier.trees.shape import TreeShape


_LINE = 64 << 20  # bytes
_VALUES = 1_000_000  # in a line
_DIGITS = 400  # of a number; the largest float has 309


def lines(path: Path) -> Iterator[tuple[int, bytes, dict[str, Any]]]:
    """(number of the line, the line itself, its object)"""
    try:
        with opened(path) as stream:
            for number, line in enumerate(iter(lambda: stream.readline(_LINE + 1), b""), start=1):
                _check_size(path.name, number, line)
                yield number, line, parsed(path.name, number, line.decode("utf-8"))
    except OSError as error:
        raise DataError(f"{path.name}: cannot be read ({error.strerror or type(error).__name__}).") from None
    except (UnicodeError, EOFError, zlib.error):
        raise DataError(f"{path.name}: not a file of JSON lines in UTF-8 that can be read to its end.") from None


def _check_size(what: str, number: int, line: bytes) -> None:
    """A value takes up to a hundred bytes of memory, whatever it takes in the line."""
    if len(line) > _LINE:
        raise DataError(f"{what}: line {number} is longer than {_LINE:,} bytes; no record is.")
    if len(line) > _VALUES and line.count(b",") + line.count(b"[") + line.count(b"{") > _VALUES:
        raise DataError(f"{what}: line {number} has more than {_VALUES:,} values; no record has.")


def parsed(what: str, number: int, text: str) -> dict[str, Any]:
    """The object of a line. Faults name the line, and quote nothing."""
    try:
        made = json.loads(
            text, object_pairs_hook=_once, parse_constant=_no_number, parse_int=_number, parse_float=_number
        )
    except (ValueError, RecursionError):
        raise DataError(f"{what}: line {number} is not one JSON object that can be read in one way only.") from None
    if not isinstance(made, dict):
        raise DataError(f"{what}: line {number} is not a JSON object; each line holds one record.")
    return made


def single(what: str, number: int, name: str, value: Any) -> str | None:
    """The text of a single value."""
    if isinstance(value, list | dict) or (isinstance(value, Number) and not math.isfinite(float(value.written))):
        raise DataError(f"{what}: line {number}: '{name}' is not a single value.")
    if isinstance(value, Number):
        return number_form(value.written) or text_form(float(value.written))
    return text_form(value)


class Walk:
    """Goes through the trees of lines, and notes their nodes one after the other."""

    def __init__(self, what: str, shape: TreeShape, words: tuple[dict[str, int], ...]) -> None:
        self._what, self._names, self._words = what, shape.names, words
        self._below = {name: frozenset((VALUE, *shape.under(name))) for name in shape.names}
        self._number = {name: number for number, name in enumerate(shape.names)}
        self.node_record, self.node_class, self.node_word, self.above = (array("q") for _ in range(4))

    def record(self, line: int, number: int, fields: dict[str, Any]) -> None:
        for name in self._names:
            if name in fields:
                self._nodes(line, number, name, fields[name], -1)

    def _nodes(self, line: int, record: int, name: str, nodes: Any, above: int) -> None:
        if not isinstance(nodes, list):
            raise self._fault(line, name, "is not a list of nodes")
        words, of, allowed = self._words[self._number[name]], self._number[name], self._below[name]
        for node in nodes:
            if not isinstance(node, dict) or not node.keys() <= allowed:
                raise self._fault(line, name, "holds what is not a node with the fields it may have")
            value = node.get(VALUE)
            if not isinstance(value, str) or not value:
                raise self._fault(line, name, "has a node whose value is missing or no text")
            word = words.get(value)
            if word is None:
                try:
                    value.encode()
                except UnicodeEncodeError:
                    raise self._fault(line, name, "has a value that is no Unicode text") from None
                word = words[value] = len(words)
            mine = len(self.above)
            self.node_record.append(record)
            self.node_class.append(of)
            self.node_word.append(word)
            self.above.append(above)
            if len(node) > 1:
                for below, nested in node.items():
                    if below != VALUE:
                        self._nodes(line, record, below, nested, mine)

    def _fault(self, line: int, name: str, why: str) -> DataError:
        return DataError(f"{self._what}: line {line}: '{name}' {why}.")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a name stands twice in an object")
    return made


def _number(written: str) -> Number:
    if len(written) > _DIGITS:
        raise ValueError("a number that no reader keeps")
    return Number(written)


def _no_number(_: str) -> None:
    raise ValueError("not a number of JSON")
