"""`{ mask = "right" }`: level l hides l characters of every value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.errors import HierarchyError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shoal.verifier.hierarchies.hierarchy import Row

KEYS = frozenset({"mask", "length", "char"})
_LONGEST = 64


def mask_rows(spec: Mapping[str, object], values: Sequence[str]) -> Iterator[Row]:
    """Each value with its masks. Without `length` the longest value says how many there are, and the top is one character."""
    side, length, char = spec["mask"], spec.get("length"), spec.get("char", "*")
    if side not in ("right", "left") or not isinstance(char, str) or len(char) != 1:
        raise HierarchyError('`mask` must be "right" or "left", and `char` one character.')
    if length is not None and (isinstance(length, bool) or not isinstance(length, int) or length < 1):
        raise HierarchyError("`length` of a mask must be a whole number.")
    most = max([1, *map(len, values)])
    levels = most if length is None else length
    if levels > _LONGEST or most > levels or any(char in value for value in values):
        raise HierarchyError(f"Values are longer than their mask (at most {_LONGEST}), or hold the mask character.")
    top = char if length is None else char * length
    for value in sorted(values):
        yield (value, *(_hidden(value, level, char, left=side == "left") for level in range(1, levels)), top)


def _hidden(value: str, level: int, char: str, *, left: bool) -> str:
    kept = max(len(value) - level, 0)
    marks = char * (len(value) - kept)
    return marks + value[len(marks) :] if left else value[:kept] + marks
