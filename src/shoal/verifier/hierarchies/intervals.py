"""Numbers in ranges that start at `from` and end before `to`: of equal widths, or between stated borders.

`{ intervals = [5, 10, 20], from = 0, to = 100 }`; `{ borders = [[18, 30, 65], [30]], from = 0, to = 100 }`.
"""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from shoal.errors import HierarchyError
from shoal.verifier.hierarchies.numbers import number_in, stated, written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from shoal.verifier.hierarchies.hierarchy import Row

KEYS = frozenset({"intervals", "from", "to", "decimals"})
BORDER_KEYS = frozenset({"borders", "from", "to", "decimals"})
_LISTED = 100_000  # numbers of a whole grid that are all leaves, whether they occur or not


def interval_rows(spec: Mapping[str, object], values: Sequence[str]) -> Iterator[Row]:
    """Each value with the intervals that hold it, one for each width. The order is that of the numbers."""
    given = spec["intervals"]
    if not isinstance(given, list | tuple) or not given:
        raise HierarchyError("`intervals` must be a list of numbers.")
    widths = [stated(width, "intervals") for width in given]
    low, high = stated(spec.get("from"), "from"), stated(spec.get("to"), "to")
    if widths[0] <= 0 or low >= high or any(b <= a or (b / a).denominator != 1 for a, b in pairwise(widths)):
        raise HierarchyError("`intervals` must grow, each a multiple of the one before, and `from` be below `to`.")

    def ranges(number: Fraction) -> Iterator[tuple[Fraction, Fraction]]:
        for width in widths:
            start = low + (number - low) // width * width
            yield start, min(start + width, high)

    return _rows("intervals", spec, values, (low, high, *widths), len(widths), ranges)


def border_rows(spec: Mapping[str, object], values: Sequence[str]) -> Iterator[Row]:
    """Each value with the ranges that hold it, one for each list of borders."""
    given = spec["borders"]
    if not isinstance(given, list | tuple) or not given:
        raise HierarchyError("`borders` must be a list of numbers.")
    lists = given if any(isinstance(one, list | tuple) for one in given) else [given]
    if not all(isinstance(one, list | tuple) and one for one in lists):
        raise HierarchyError("`borders` must be a list of numbers, or of such lists.")
    low, high = stated(spec.get("from"), "from"), stated(spec.get("to"), "to")
    levels = [[low, *(stated(border, "borders") for border in one), high] for one in lists]
    if any(b <= a for edges in levels for a, b in pairwise(edges)):
        raise HierarchyError("`borders` must rise, and lie between `from` and `to`.")
    if any(not set(coarse) < set(fine) for fine, coarse in pairwise(levels)):
        raise HierarchyError("`borders`: each list must be a part of the one before.")

    def ranges(number: Fraction) -> Iterator[tuple[Fraction, Fraction]]:
        for edges in levels:
            upper = bisect_right(edges, number)
            yield edges[upper - 1], edges[upper]

    return _rows("borders", spec, values, levels[0], len(levels), ranges)


def _rows(
    key: str,
    spec: Mapping[str, object],
    values: Sequence[str],
    edges: Sequence[Fraction],
    levels: int,
    ranges: Callable[[Fraction], Iterable[tuple[Fraction, Fraction]]],
) -> Iterator[Row]:
    low, high = stated(spec.get("from"), "from"), stated(spec.get("to"), "to")
    decimals = spec.get("decimals", False)
    if not isinstance(decimals, bool):
        raise HierarchyError("`decimals` must be true or false.")
    whole = not decimals and all(number.denominator == 1 for number in edges)
    numbers = {text: number_in(text) for text in values}
    wrong = sum(number is None or (whole and number.denominator != 1) for number in numbers.values())
    if wrong:
        what = "are not whole numbers" if whole and None not in numbers.values() else "are not numbers"
        raise HierarchyError(f"{wrong:,} of the {len(values):,} values {what}, so `{key}` cannot hold them.")
    if whole and high - low <= _LISTED:
        numbers |= {str(number): Fraction(number) for number in range(int(low), int(high))}
    known = sorted((number, text) for text, number in numbers.items() if number is not None)
    for number, text in known:
        if number < low:
            groups = [f"<{written(low)}"] * levels
        elif number >= high:
            groups = [f">={written(high)}"] * levels
        else:
            groups = [_label(*ends, inclusive=whole and low >= 0) for ends in ranges(number)]
        yield (text, *groups, "*")


def _label(start: Fraction, stop: Fraction, *, inclusive: bool) -> str:
    return f"{written(start)}-{written(stop - 1)}" if inclusive else f"[{written(start)}, {written(stop)}["
