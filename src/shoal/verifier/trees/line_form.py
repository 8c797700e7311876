"""JSON says the same in many ways, and a way can be a mark: a blank, a field before another, an escape, `1.0` for `1`. A published
line is written in one way only, which is made here once more from what was read, and compared byte by byte.

No blanks; first the single values in the order of the recipe, `null` where one is missing, then the classes in their order; in a
node `value` first, then the classes below it; empty lists left out; nodes below the same node sorted by their values; only the
signs escaped that JSON asks to be; numbers as in `number_form`; each line ends with a line feed.
"""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, NamedTuple

from shoal.verifier.finding import counted
from shoal.verifier.text import text_form
from shoal.verifier.trees.nested import VALUE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.verifier.trees.shape import TreeShape

_quoted = lru_cache(maxsize=1 << 16)(encode_basestring)
_TINY = ("0.0000", "-0.0000")  # where a float would have an exponent


class Number(NamedTuple):
    """A number of JSON as it is written."""

    written: str


def number_form(written: str) -> str | None:
    """How the number is written: no sign of nothing, no zeros at the end, an exponent only as Python writes one. None: it has more
    digits than readers keep, or is too large."""
    if "." not in written and "e" not in written and "E" not in written:
        return "0" if written == "-0" else written
    value = float(written)
    if value in (float("inf"), float("-inf")):
        return None
    if "e" in written or "E" in written:
        return text_form(value)
    whole, _, fraction = written.partition(".")
    fraction = fraction.rstrip("0")
    if Decimal(written) != Decimal(repr(value)):
        return None
    made = f"{whole}.{fraction}" if fraction else whole
    return "0" if made == "-0" else made


class LineForm:
    """Notes the lines that are written in another way. singles: the columns of single values, in order."""

    def __init__(self, shape: TreeShape, singles: Sequence[str]) -> None:
        self._shape, self._singles = shape, tuple(singles)
        self._below = {name: shape.under(name) for name in shape.names}
        self._kinds: dict[str, set[str]] = {name: set() for name in singles}
        self._tiny: dict[str, set[bool]] = {name: set() for name in singles}  # whether those that are have an exponent
        self._odd, self._first = 0, 0

    def look(self, number: int, line: bytes, fields: dict[str, Any]) -> None:
        """fields: of the line, whose nodes have the form of nodes."""
        parts = [f"{_quoted(name)}:{self._single(name, fields.get(name))}" for name in self._singles]
        parts += [self._list(name, fields[name]) for name in self._shape.names if fields.get(name)]
        if f"{{{','.join(parts)}}}\n".encode() != line:
            self._odd += 1
            self._first = self._first or number

    def marks(self) -> tuple[str, ...]:
        """What may tell records apart that show the same."""
        made = []
        if self._odd:
            made.append(
                f"{counted(self._odd, 'line')} not written in the one form that lines have, the first is line {self._first}. "
                "Blanks, the order of fields and nodes, empty lists, escapes and forms of numbers can tell records apart. Write "
                "the lines as the reference of formats says, or publish with `shoal run`."
            )
        for name, kinds in self._kinds.items():
            if len(kinds) > 1 or len(self._tiny[name]) > 1:
                made.append(
                    f"Column '{name}' has values of several forms (texts, numbers, numbers with an exponent, true and false), so "
                    "that one value may be written in two ways. Write all of them in one."
                )
        return tuple(made)

    def _single(self, name: str, value: Any) -> str:
        if value is None:
            return "null"
        if isinstance(value, Number):
            self._kinds[name].add("number")
            made = number_form(value.written) or "?"
            if "e" in made or made.startswith(_TINY):
                self._tiny[name].add("e" in made)
            return made
        self._kinds[name].add(type(value).__name__)
        return ("true" if value else "false") if isinstance(value, bool) else _quoted(value)

    def _list(self, name: str, nodes: list[dict[str, Any]]) -> str:
        if len(nodes) > 1:
            nodes = sorted(nodes, key=_value)
        return f"{_quoted(name)}:[{','.join([self._node(name, node) for node in nodes])}]"

    def _node(self, name: str, node: dict[str, Any]) -> str:
        text = f'{{"{VALUE}":{_quoted(node[VALUE])}'
        if len(node) > 1:
            text += "".join([f",{self._list(below, node[below])}" for below in self._below[name] if node.get(below)])
        return f"{text}}}"


def _value(node: dict[str, Any]) -> str:
    text: str = node[VALUE]
    return text
