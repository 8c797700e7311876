"""From what a recipe says about a column to its hierarchy.

| recipe | hierarchy |
|---|---|
| nothing | value → `*` |
| `"age.csv"` | a file: ARX, anjana, Amnesia text or JSON, told apart by content |
| `{ intervals = [5, 10, 20], from = 0, to = 100 }` | `intervals.py` |
| `{ borders = [18, 30, 65], from = 0, to = 100 }` | `borders.py` |
| `{ dates = ["month", "year"] }` | `dates.py` |
| `{ mask = "right" }` | `masks.py` |
| `{ groups = { … } }` | `groups.py` |
| `{ order = ["low", …], sizes = [2, 4] }` | `orders.py` |

The data only says which values must be covered. Bounds, groups and labels come from the recipe or the file.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from shoal.errors import HierarchyError, did_you_mean
from shoal.hierarchies import borders, dates, decimals, groups, intervals, masks, orders
from shoal.hierarchies.files import read_hierarchy
from shoal.hierarchies.hierarchy import Hierarchy, Label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Spec = str | Mapping[str, object] | None


class Form(Protocol):
    """A way to say a hierarchy, checked when it is made."""

    def hierarchy(self, values: Sequence[str]) -> Hierarchy:
        """The hierarchy that covers these values, all different and none missing."""
        ...


# the key that names the form: how to read it, and which keys go with it
FORMS: dict[str, tuple[Callable[[Mapping[str, object]], Form], tuple[str, ...]]] = {
    "intervals": (intervals.Intervals.parse, intervals.KEYS),
    "borders": (borders.Borders.parse, borders.KEYS),
    "dates": (dates.Dates.parse, dates.KEYS),
    "mask": (masks.Mask.parse, masks.KEYS),
    "groups": (groups.Groups.parse, groups.KEYS),
    "order": (orders.Order.parse, orders.KEYS),
}


def build(spec: Spec, domain: Iterable[Label], *, base: Path | None = None) -> Hierarchy:
    """The hierarchy of a column whose different values are `domain` (None: missing); files lie relative to `base`."""
    distinct = dict.fromkeys(domain)
    missing = None in distinct
    values = [value for value in distinct if value is not None]
    if isinstance(spec, str):
        hierarchy = cover(read_hierarchy((base or Path()) / spec, name=spec), values, name=spec)
    else:
        form = parse(spec)
        try:
            hierarchy = form.hierarchy(values)
        except HierarchyError:
            if not missing or values:
                raise
            return Hierarchy.from_paths([(None, "*")])  # a column of which nothing is known
    return hierarchy.with_missing() if missing else hierarchy


def parse(spec: Mapping[str, object] | None) -> Form:
    """The form a spec states, or a HierarchyError that says all that is wrong with it."""
    if spec is None:
        return Flat()
    if not isinstance(spec, Mapping):
        raise HierarchyError(f"A hierarchy is a file name or a table with one of: {', '.join(FORMS)}.")
    named = [key for key in FORMS if key in spec]
    if len(named) != 1:
        having = f"has {' and '.join(f'`{key}`' for key in named)}" if named else "has none"
        guess = did_you_mean(str(next(iter(spec))), FORMS) if spec and not named else ""
        raise HierarchyError(f"A hierarchy needs exactly one of the keys {', '.join(FORMS)}; this one {having}.{guess}")
    read, keys = FORMS[named[0]]
    unknown = [str(key) for key in spec if key not in keys]
    if unknown:
        raise HierarchyError(
            *(
                f"`{key}` is not a key beside `{named[0]}`.{did_you_mean(key, keys)} Keys: {', '.join(keys)}."
                for key in unknown
            )
        )
    return read(spec)


def problems(spec: Spec) -> tuple[str, ...]:
    """What is wrong with a spec before any data is seen; for a recipe that reports all mistakes at once."""
    if isinstance(spec, str):
        return () if spec else ("The name of the hierarchy file is empty.",)
    try:
        parse(spec)
    except HierarchyError as error:
        return error.faults
    return ()


class Flat:
    """Without a hierarchy a value is shown or hidden."""

    def hierarchy(self, values: Sequence[str]) -> Hierarchy:
        if not values:
            raise HierarchyError("The column has no values.")
        top = "*"
        while top in values:  # data in which `*` already stands for something
            top += "*"
        numbers = {value: decimals.parse(value) for value in values}
        numeric = [(number, value) for value, number in numbers.items() if number is not None]
        ordered = [value for _, value in sorted(numeric)] if len(numeric) == len(numbers) else sorted(numbers)
        paths: list[tuple[Label, ...]] = [(value, top) for value in ordered]
        return Hierarchy.from_paths(paths)


def cover(hierarchy: Hierarchy, values: Sequence[str], *, name: str) -> Hierarchy:
    """The hierarchy of a file, with the values of the data as leaves; refuses values it does not hold."""
    attached, outside = _attach(hierarchy, values)
    if outside:
        raise HierarchyError(
            f"{name}: {len(outside):,} of the {len(values):,} values of the data are not in the hierarchy. "
            f"To see them: shoal hierarchy check {name} --data DATA --column COLUMN --show-values"
        )
    return attached


def uncovered(hierarchy: Hierarchy, values: Iterable[Label]) -> list[str]:
    """The values that a hierarchy does not hold."""
    return _attach(hierarchy, [value for value in values if value is not None])[1]


def _attach(hierarchy: Hierarchy, values: Sequence[str]) -> tuple[Hierarchy, list[str]]:
    """A hierarchy of ranges (Amnesia) lists no values: each value of the data becomes a leaf below its range.

    Where two ranges share a bound, it belongs to the upper one, as in Amnesia.
    """
    outside = [value for value in values if hierarchy.code(value) is None]
    if not outside or hierarchy.bounds is None:
        return hierarchy, outside
    ranges = sorted(
        (lo, hi, leaf) for leaf, (lo, hi) in enumerate(hierarchy.bounds[: hierarchy.leaf_count].tolist()) if lo <= hi
    )
    starts = [lo for lo, _, _ in ranges]
    candidates: list[tuple[float, str, int]] = []
    left_out = []
    for value in values:
        number = decimals.parse(value)
        at = -1 if number is None else bisect_right(starts, number) - 1
        if number is None or at < 0 or number > ranges[at][1]:
            left_out.append(value)
        else:
            candidates.append((decimals.as_float(number), value, ranges[at][2]))
    if left_out:
        return hierarchy, left_out
    paths: list[tuple[Label, ...]] = [(value, *hierarchy.path(leaf)) for _, value, leaf in sorted(candidates)]
    bounds: dict[Label, tuple[float, float]] = {value: (number, number) for number, value, _ in candidates}
    bounds |= {label: (lo, hi) for label, (lo, hi) in zip(hierarchy.labels, hierarchy.bounds.tolist(), strict=True)}
    return Hierarchy.from_paths(paths, bounds), []
