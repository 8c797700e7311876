"""What the report of a release of item sets says, as frozen plain values: the only input of its renderers.

    SetFacts
    ├── identity, verdict, records, promises, losses, search, context, …   as for tables (`shoal.report.tables.facts`)
    ├── column        the column of sets: items that occur, items and labels that are published
    ├── columns       all others
    ├── labels        of a release in which items are shown as labels: what became of the items
    ├── matching      of a release in which records show a base: bases, distance sets, thresholds
    ├── attackers     what somebody finds who knows one, two, three or all items of a person, before and after
    ├── set_sizes     records by the number of their items, before and after
    └── supports      items by the number of records that hold them, before and after

The same rules hold, and there are the same two editions: `Count`s between 1 and k-1 are refused, an item or label is named only
when at least k published records show it, and the public edition has nothing that was worked out from the original.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, Protocol

from shoal.report.columns import ColumnFacts
from shoal.report.edition import public_attacks, public_records, public_search, public_verdict, refuse_original
from shoal.report.facts import (
    AttackRate,
    Context,
    Earlier,
    Edition,
    LossFacts,
    Policy,
    PrivateFact,
    Promise,
    ReleaseFacts,
    Search,
    Singled,
    SizeBin,
)
from shoal.report.masking import Count, refuse_small
from shoal.report.outcome import Identity, Records, VerdictFacts

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class SetColumn:
    """The column of sets."""

    name: str
    items: int | None  # different ones that occur in the original; None: not told
    published: int  # different ones, or labels, that the release shows
    reason: str = ""


@dataclass(frozen=True)
class LabelBar:
    """A label that stands for several items: how many (0: not told), and the published records that show it."""

    label: str
    items: int
    records: int


@dataclass(frozen=True)
class LabelFacts:
    """Items of the original by what became of them, and the same as shares of what people hold, which add up to 1.

    `varying`: shown in several ways, because records of different parts are blurred differently. In the public edition items are
    counted as the release shows them: those that stand for themselves, and their share of all that is shown; None: not told.
    """

    as_they_are: int
    grouped: int | None
    left_out: int | None
    varying: int | None
    labels: int  # that stand for several items
    share_as_they_are: float  # in three digits, rounded down
    share_left_out: float | None  # rounded up
    parts: int | None = 1  # None: several
    widest: tuple[LabelBar, ...] = ()

    def __post_init__(self) -> None:
        counts = (self.as_they_are, self.grouped, self.left_out, self.varying, self.labels)
        if any(count is not None and count < 0 for count in counts) or (self.parts is not None and self.parts < 1):
            raise ValueError("Numbers of items cannot be negative, and a release has at least one part.")
        if not (0 <= self.share_as_they_are <= 1 and 0 <= (self.share_left_out or 0.0) <= 1):
            raise ValueError("Shares of labels must lie between 0 and 1.")

    @property
    def of_original(self) -> bool:
        """Whether anything here was counted in the original."""
        return not (self.grouped is self.left_out is self.varying is self.share_left_out is None)


@dataclass(frozen=True)
class ThresholdBin:
    """Published records that may differ from their base in `low` to `high` items (None: or more)."""

    low: int
    high: int | None
    records: int


@dataclass(frozen=True)
class ItemBar:
    """An item of the published bases: share of the records that hold it, in two digits (None: not told), and bases that do."""

    item: str
    before: float | None
    published: int


@dataclass(frozen=True)
class MatchingFacts:
    """`joint`: on a ring, the highest chance of placing somebody when the place of one other is known; None for blocks."""

    mode: Literal["blocks", "ring"]
    classes: (
        int  # groups of published records that show the same because they were made together; a ring has none: records
    )
    smallest: int  # published records that the most recognisable person may be
    largest: int
    base_size: float  # mean over the published records, in three digits
    differ_size: float
    at_most: float
    exact: int  # published records with the threshold 0: their sets are told exactly
    thresholds: tuple[ThresholdBin, ...]
    frequent: tuple[ItemBar, ...] = ()
    joint: float | None = None

    def __post_init__(self) -> None:
        if (self.joint is None) != (self.mode == "blocks"):
            raise ValueError("A ring, and nothing else, has a figure of what one known identity tells.")
        if not 0 < self.smallest <= self.largest:
            raise ValueError("Everyone may be at least one published record.")


@dataclass(frozen=True)
class Odds:
    """What an attacker finds. `least`: the number of records that fit the most recognisable person; the highest chance is 1 in
    that. `average`: mean chance over the records, in three digits, rounded up."""

    least: int
    average: float
    unique: Count  # people whom no other record fits
    small: Count  # people whom fewer than k records fit


@dataclass(frozen=True)
class Attacker:
    """Knows that a person is in the data, and so many of their items (None: all, and that there are no others).

    `promised`: the promise speaks of this attacker. No odds: there are too many combinations to count; or, after a matching, no
    more than for somebody who knows all items.
    """

    knows: int | None
    promised: bool
    before: Odds | None
    after: Odds | None

    @property
    def words(self) -> str:
        """'up to 2 items'"""
        if self.knows is None:
            return "all items"
        return "one item" if self.knows == 1 else f"up to {self.knows} items"


class Attacked(Protocol):
    """Facts that tell what somebody finds who knows items: of sets, and of mixed tables."""

    @property
    def k(self) -> int:
        """The k that is promised."""

    @property
    def records(self) -> Records:
        """In, published, hidden."""

    @property
    def attackers(self) -> Sequence[Attacker]:
        """Who knows little first."""

    @property
    def promised(self) -> Attacker:
        """The strongest attacker that the promise speaks of."""


def refuse_small_sets(
    attackers: Sequence[Attacker], set_sizes: Sequence[SizeBin], supports: Sequence[SizeBin], k: int
) -> None:
    """Figures of the original that could be of fewer than k people must be masked."""
    for attacker in attackers:
        if attacker.before is not None:
            refuse_small("attackers.before.unique", attacker.before.unique, k)
            refuse_small("attackers.before.small", attacker.before.small, k)
    for place in set_sizes:
        if place.before is not None:
            refuse_small("set_sizes.before", place.before, k)
    for place in supports:
        if place.before is not None and place.low < k:  # what k or more hold may be a single item
            refuse_small("supports.before", place.before, k)


def refuse_original_sets(
    attackers: Sequence[Attacker], set_sizes: Sequence[SizeBin], supports: Sequence[SizeBin]
) -> None:
    """What was counted in the original has no place in the public edition."""
    if any(attacker.before is not None for attacker in attackers):
        raise ValueError("`attackers.before` was counted in the original; it is not public.")
    if any(place.before is not None for place in (*set_sizes, *supports)):
        raise ValueError("`set_sizes.before` and `supports.before` were counted in the original; they are not public.")


@dataclass(frozen=True)
class PublicSets:
    """What the published records alone tell of the items."""

    attackers: tuple[Attacker, ...]
    set_sizes: tuple[SizeBin, ...]
    supports: tuple[SizeBin, ...]
    labels: LabelFacts | None = None
    matching: MatchingFacts | None = None


@dataclass(frozen=True)
class SetFacts(ReleaseFacts):
    """All that the report of a release of item sets says."""

    kind: Literal["sets"]
    k: int  # counts of records below it are masked: the k that is promised
    identity: Identity
    verdict: VerdictFacts
    records: Records
    column: SetColumn
    columns: tuple[ColumnFacts, ...]  # all but the column of sets
    promises: tuple[Promise, ...]
    attackers: tuple[Attacker, ...]  # who knows little first
    set_sizes: tuple[SizeBin, ...]
    supports: tuple[SizeBin, ...]
    losses: tuple[LossFacts, ...]
    search: Search
    labels: LabelFacts | None = None
    matching: MatchingFacts | None = None
    private_facts: tuple[PrivateFact, ...] = ()
    singled: tuple[Singled, ...] = ()
    attacks: tuple[AttackRate, ...] = ()
    policy: Policy = field(default_factory=Policy)
    context: Context = field(default_factory=Context)
    earlier: Earlier = field(default_factory=Earlier)
    limits: tuple[str, ...] = ()
    edition: Edition = "custodian"

    def __post_init__(self) -> None:
        if self.k < 2:
            raise ValueError(f"`k` of a report must be at least 2; got {self.k}.")
        if not self.promises:
            raise ValueError("A report needs at least one guarantee.")
        if (self.labels is None) == (self.matching is None):
            raise ValueError("A release of item sets shows labels or bases, and not both.")
        if any(column.role == "quasi" for column in self.columns):
            raise ValueError("The column of sets is the only quasi-identifying one, and stands apart.")
        names = [column.name for column in self.columns]
        if len({*names, self.column.name}) != len(names) + 1:
            raise ValueError("A report cannot have two columns of the same name.")
        self._refuse_small_counts()
        if self.edition == "public":
            self._refuse_original()

    def _refuse_original(self) -> None:
        refuse_original(self)
        refuse_original_sets(self.attackers, self.set_sizes, self.supports)
        holders = [bar.before for bar in self.matching.frequent if bar.before is not None] if self.matching else []
        if self.column.items is not None or holders or (self.labels is not None and self.labels.of_original):
            raise ValueError("What became of the items was worked out from the original; it is not public.")

    def public(self, items: PublicSets, losses: tuple[LossFacts, ...]) -> SetFacts:
        """The public edition. items, losses: as the published records and the recipe alone tell them."""
        return replace(
            self,
            edition="public",
            verdict=public_verdict(self.verdict),
            records=public_records(self.records, self.k),
            column=replace(self.column, items=None),
            attackers=items.attackers,
            set_sizes=items.set_sizes,
            supports=items.supports,
            losses=losses,
            attacks=public_attacks(self.attacks),
            search=public_search(self.search),
            labels=items.labels,
            matching=items.matching,
        )

    def _refuse_small_counts(self) -> None:
        self.refuse_small_singled()
        refuse_small_sets(self.attackers, self.set_sizes, self.supports, self.k)
        named = [bar.records for bar in self.labels.widest] if self.labels else []
        named += [bar.published for bar in self.matching.frequent] if self.matching else []
        if any(records < self.k for records in named):
            raise ValueError(
                f"The report names an item or a label that fewer than k = {self.k} published records show."
            )

    @property
    def promised(self) -> Attacker:
        """The strongest attacker that the promise speaks of."""
        return next((one for one in reversed(self.attackers) if one.promised), self.attackers[-1])
