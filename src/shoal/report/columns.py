"""The columns of a release: the role of each, and how far its values are blurred."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

RoleName = Literal["identifying", "quasi", "sensitive", "plain"]


@dataclass(frozen=True)
class Rung:
    """One level of a hierarchy: a label as an example ("" when none may be shown), how many labels it has (0: not told)."""

    example: str
    groups: int


@dataclass(frozen=True)
class LevelShare:
    """Published records that show a column at one level of its hierarchy.

    `between`: they show ranges or sets that are no label of the hierarchy, wider than any label of the level below and no
    wider than the widest of this one. `example`: a value they show that at least k records share, "" when there is none.
    """

    level: int
    records: int
    example: str = ""
    between: bool = False

    @property
    def place(self) -> str:
        """'2', or '1-2' for what lies between."""
        return f"{self.level - 1}-{self.level}" if self.between else str(self.level)


@dataclass(frozen=True)
class ColumnFacts:
    """A column and what was done to it. All from `level` on is for quasi-identifying columns only.

    `level` when all published records show the column at the same level, else `mix`: the records by level, exact first.
    `kept`: the share of detail kept in three digits, rounded down; 1 is exact, 0 nothing left.
    """

    name: str
    role: RoleName
    reason: str = ""  # from the recipe, why it has this role
    level: int | None = None
    ladder: tuple[Rung, ...] = ()  # level 0 (exact) first, the top last
    kept: float | None = None
    mix: tuple[LevelShare, ...] = ()

    def __post_init__(self) -> None:
        quasi = self.role == "quasi"
        if (self.level is not None) + bool(self.mix) != quasi:
            raise ValueError(
                f"Column '{self.name}': exactly the quasi-identifying columns have a level, or a mix of them."
            )
        for level in [share.level for share in self.mix] if self.level is None else [self.level]:
            if not 0 <= level < len(self.ladder):
                raise ValueError(f"Column '{self.name}': level {level} is not on a ladder of {len(self.ladder)}.")
        places = [(share.level, not share.between) for share in self.mix]
        if places != sorted(set(places)):
            raise ValueError(f"Column '{self.name}': a mix names each level once, the exact one first.")
        if self.kept is not None and not 0 <= self.kept <= 1:
            raise ValueError(f"Column '{self.name}': `kept` must lie between 0 and 1; got {self.kept}.")
