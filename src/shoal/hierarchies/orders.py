"""Ordered values in runs: `{ order = ["none", "primary", "secondary", "tertiary"], sizes = [2] }`.

Level 1 holds runs of sizes[0] neighbours, level 2 runs of sizes[1], and so on; each size must be a multiple of the
one before. A run is named by its ends, `none..primary`; the last one may be shorter, and a run of one value keeps the
value's name. The top `*` is added.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.errors import HierarchyError
from shoal.hierarchies.hierarchy import Hierarchy, Label

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

KEYS = ("order", "sizes")


@dataclass(frozen=True)
class Order:
    """Values in a stated order, grouped by neighbours."""

    order: tuple[str, ...]
    sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        faults = []
        if not self.order:
            faults.append("`order` must list the values, lowest first.")
        if len(set(self.order)) != len(self.order):
            faults.append(f"`order`: values that are listed again: {len(self.order) - len(set(self.order)):,}.")
        if "*" in self.order:
            faults.append("`order`: `*` is the top, which is added; no value may have this name.")
        if any(size < 2 for size in self.sizes):
            faults.append("`sizes` must be whole numbers of at least 2.")
        elif any(b <= a or b % a for a, b in zip(self.sizes, self.sizes[1:], strict=False)):
            faults.append("`sizes`: each must be a larger multiple of the one before, so that levels nest.")
        if not faults:
            named: dict[str, tuple[int, int]] = {value: (rank, rank) for rank, value in enumerate(self.order)}
            runs = [(start, size) for size in self.sizes for start in range(0, len(self.order), size)]
            ends = [(self._run(start, size), (start, min(start + size, len(self.order)) - 1)) for start, size in runs]
            clashes = sum(named.setdefault(name, span) != span for name, span in ends)
            if clashes:
                faults.append(f"`order`: runs with the name of a value or another run: {clashes:,}. Use `groups`.")
        if faults:
            raise HierarchyError(*faults)

    @classmethod
    def parse(cls, spec: Mapping[str, object]) -> Order:
        order, sizes = spec["order"], spec.get("sizes", [])
        if not isinstance(order, (list, tuple)) or not all(_is_value(value) for value in order):
            raise HierarchyError('`order` must be a list of values, lowest first, for example ["low", "mid", "high"].')
        if not isinstance(sizes, (list, tuple)) or not all(
            isinstance(s, int) and not isinstance(s, bool) for s in sizes
        ):
            raise HierarchyError("`sizes` must be a list of whole numbers, for example [2, 4].")
        return cls(tuple(str(value) for value in order), tuple(int(size) for size in sizes))

    def hierarchy(self, values: Sequence[str]) -> Hierarchy:
        known = set(self.order)
        outside = sum(value not in known for value in values)
        if outside:
            raise HierarchyError(f"{outside:,} of the {len(values):,} values are not in `order`.")
        paths: list[tuple[Label, ...]] = []
        for rank, value in enumerate(self.order):
            paths.append((value, *(self._run(rank, size) for size in self.sizes), "*"))
        return Hierarchy.from_paths(paths)

    def _run(self, rank: int, size: int) -> str:
        first = rank - rank % size
        last = min(first + size, len(self.order)) - 1
        return self.order[first] if first == last else f"{self.order[first]}..{self.order[last]}"


def _is_value(value: object) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)
