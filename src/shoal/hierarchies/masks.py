"""Codes behind a mask: `{ mask = "right" }` turns 13051 into 1305*, 130**, 13***, 1****, *****.

Level l hides l characters, counted from the masked side, of every value. A value with fewer than l characters is
hidden completely, and stays apart from those of other lengths until the top: `1` and `13` are `*` and `1*` at level
1, `*` and `**` at level 2. So a mask never merges values of different lengths by accident; only the top holds them all.

`length` fixes the number of levels without a look at the data, and the top has so many mask characters; longer values are then
refused. Without it the longest value decides how many levels there are, and the top is one mask character: as many as the longest
value has would tell its length, which may be that of a hidden record. Characters are Unicode code points.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.errors import HierarchyError
from shoal.hierarchies.hierarchy import Hierarchy, Label

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

KEYS = ("mask", "length", "char")
LONGEST = 64  # characters; a mask has one level for each


@dataclass(frozen=True)
class Mask:
    """Texts whose characters are hidden one after the other."""

    side: str
    length: int | None = None
    char: str = "*"

    def __post_init__(self) -> None:
        faults = []
        if self.side not in ("right", "left"):
            faults.append('`mask` must be "right" or "left": the side on which characters are hidden first.')
        if self.length is not None and not 1 <= self.length <= LONGEST:
            faults.append(f"`length` of a mask must be a whole number from 1 to {LONGEST}; got {self.length}.")
        if len(self.char) != 1 or not self.char.isprintable() or self.char.isspace():
            faults.append("`char` of a mask must be one printable character.")
        if faults:
            raise HierarchyError(*faults)

    @classmethod
    def parse(cls, spec: Mapping[str, object]) -> Mask:
        side, length, char = spec["mask"], spec.get("length"), spec.get("char", "*")
        if length is not None and (isinstance(length, bool) or not isinstance(length, int)):
            raise HierarchyError(f"`length` of a mask must be a whole number from 1 to {LONGEST}.")
        return cls(side if isinstance(side, str) else "", length, char if isinstance(char, str) else "")

    def hierarchy(self, values: Sequence[str]) -> Hierarchy:
        if not values:
            raise HierarchyError("There is no value to put behind a `mask`.")
        marked = sum(self.char in value for value in values)
        if marked:
            raise HierarchyError(
                f"{marked:,} of the {len(values):,} values contain the mask character {self.char}; choose another."
            )
        longest = max((len(value) for value in values if value), default=1)
        length = longest if self.length is None else self.length
        too_long = sum(len(value) > length for value in values)
        if too_long and self.length is not None:
            raise HierarchyError(
                f"{too_long:,} of the {len(values):,} values are longer than the mask's `length` of {length}."
            )
        if length > LONGEST:
            raise HierarchyError(f"A mask has one level for each character; the longest value has more than {LONGEST}.")
        top = self.char * (self.length or 1)
        paths: list[tuple[Label, ...]] = []
        for value in sorted(set(values)):
            hidden = (self._hide(value, level) for level in range(1, length))
            paths.append((value, *hidden, top))
        return Hierarchy.from_paths(paths)

    def _hide(self, value: str, count: int) -> str:
        stars = self.char * min(count, len(value))
        return value[: len(value) - len(stars)] + stars if self.side == "right" else stars + value[len(stars) :]
