"""What the report of a mixed table says, as frozen plain values: the only input of its renderers.

    MixedFacts
    ├── all of a table (`shoal.report.tables.facts`): columns, risk, distributions and the rest speak of the single values
    ├── sets           the columns of sets: what became of their items
    ├── attackers      what somebody finds who knows all single values of a person and none, one, two, three or all items
    ├── set_sizes      records by the number of their items, before and after
    ├── supports       items by the number of records that hold them, before and after
    └── private_items  how far groups give sensitive items away

The same rules hold. Sensitive items are published as they are; all other figures leave them out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from shoal.report.facts import PrivateFact, SizeBin  # the JSON Schema is made from all of them
from shoal.report.sets.facts import Attacker, LabelFacts, refuse_original_sets, refuse_small_sets
from shoal.report.tables.facts import Facts  # the JSON Schema is made from all of them

if TYPE_CHECKING:
    from shoal.report.sets.facts import Odds


@dataclass(frozen=True)
class ItemColumn:
    """A column of sets. Sensitive items are counted in `sensitive_items` only: as many as the recipe names."""

    name: str
    items: int | None  # different ones that occur in the original; None: not told
    published: int  # different items and labels that the release shows
    labels: LabelFacts
    reason: str = ""
    sensitive_items: int = 0


@dataclass(frozen=True)
class KnowingBoth(Attacker):
    """Knows all single values of a person as well."""

    @property
    def words(self) -> str:
        """'all single values and up to 2 items'"""
        if self.knows is None:
            return "all single values and all items"
        if self.knows == 0:
            return "all single values"
        return f"all single values and {'one item' if self.knows == 1 else f'up to {self.knows} items'}"


@dataclass(frozen=True, kw_only=True)
class MixedFacts(Facts):
    """All that the report of a mixed table says."""

    kind: Literal["mixed"] = field()  # without the default that it would have from a table
    m: int  # items of a person that somebody may know, as far as the promise goes
    sets: tuple[ItemColumn, ...]
    attackers: tuple[KnowingBoth, ...]  # who knows no item first
    set_sizes: tuple[SizeBin, ...]
    supports: tuple[SizeBin, ...]
    private_items: tuple[PrivateFact, ...] = ()  # groups in which everyone holds the same sensitive item, by column

    def __post_init__(self) -> None:
        super().__post_init__()
        names = [*(column.name for column in self.columns), *(column.name for column in self.sets)]
        if not self.sets or len(set(names)) != len(names):
            raise ValueError("A report of item sets needs a column of them, and no two columns of the same name.")
        if not any(one.promised and one.knows == 0 and one.after is not None for one in self.attackers):
            raise ValueError("A report of a mixed table tells what the single values give away alone.")
        refuse_small_sets(self.attackers, self.set_sizes, self.supports, self.k)
        if any(bar.records < self.k for column in self.sets for bar in column.labels.widest):
            raise ValueError(f"The report names a label that fewer than k = {self.k} published records show.")

    def _refuse_original(self) -> None:
        super()._refuse_original()
        refuse_original_sets(self.attackers, self.set_sizes, self.supports)
        if any(column.items is not None or column.labels.of_original for column in self.sets):
            raise ValueError("What became of the items was worked out from the original; it is not public.")

    @property
    def promised(self) -> KnowingBoth:
        """The strongest attacker that the promise speaks of and for whom records could be counted."""
        return next(one for one in reversed(self.attackers) if one.promised and one.after is not None)

    @property
    def known_items(self) -> tuple[str, ...]:
        """Names of the columns of sets."""
        return tuple(column.name for column in self.sets)

    @property
    def keeping(self) -> tuple[str, ...]:
        """Names of the columns with sensitive items, which are published as they are."""
        return tuple(column.name for column in self.sets if column.sensitive_items)


def remaining(attacker: KnowingBoth) -> Odds:
    """What somebody finds in the release."""
    if attacker.after is None:
        raise ValueError("There is nothing to tell of an attacker for whom nothing was counted.")
    return attacker.after
