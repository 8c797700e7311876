"""What the report of a release of trees says, as frozen plain values: the only input of its renderers.

    TreeFacts
    ├── identity, verdict, records, promises, losses, search, context, …   as for tables (`shoal.report.tables.facts`)
    ├── classes       the classes of nodes: what became of their values
    ├── columns       all others
    ├── apart         pairs of labels that never stand one above the other in the release, where too few records would have shown it
    ├── out           pairs of labels of which the lower one is shown for nobody below the upper one
    ├── example       a made-up record before and after; no record of the data is ever drawn
    ├── attackers     what somebody finds who knows some values of a person, and how some of them belong together
    └── sizes         records by the number of their nodes, before and after

The same rules hold, and there are the same two editions: counts of records between 1 and k-1 are refused, a label is named only
when the release shows it, and the public edition has nothing that was worked out from the original.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

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
    Tried,
)
from shoal.report.masking import refuse_small
from shoal.report.outcome import Identity, Records, VerdictFacts


@dataclass(frozen=True)
class ClassLevel:
    """Nodes shown at one level of the hierarchy of their class (None: left out), as a share.

    Of the nodes of the original, where what is lost is rounded up to the next k nodes and what is kept down; or, in the public
    edition, of the published ones.
    """

    level: int | None
    labels: int
    share: float


@dataclass(frozen=True)
class ClassFacts:
    """In the public edition values are counted as the release shows them: those that stand for themselves, and labels."""

    name: str
    parent: str  # the class below which it hangs; empty: the person
    values: int | None  # different ones that occur in the original; None: not told
    published: int  # different ones, or labels, that the release shows
    as_they_are: int  # values by what became of them
    grouped: int
    left_out: int
    height: int  # the highest level of its hierarchy; 0: it has none
    levels: tuple[ClassLevel, ...]
    reason: str = ""
    varying: int = 0  # shown in several ways, because groups of records are blurred differently
    negated: int = 0  # values that count as known also where somebody lacks them

    def __post_init__(self) -> None:
        became = self.as_they_are + self.grouped + self.left_out + self.varying
        if became != (self.published if self.values is None else self.values):
            raise ValueError(
                "The values of a class are shown as they are, under labels, in several ways, or not at all."
            )
        if any(not 0 <= level.share <= 1 for level in self.levels):
            raise ValueError("Shares of a level must lie between 0 and 1.")

    @property
    def gone(self) -> bool:
        """Whether nothing of the class is published, although records have it, as far as that is told."""
        return not self.published if self.values is None else bool(self.values) and self.left_out == self.values


@dataclass(frozen=True)
class ApartPair:
    """Two labels that are kept apart, or of which one is left out below the other; the upper one first."""

    upper_class: str
    upper: str
    lower_class: str
    lower: str


@dataclass(frozen=True)
class DrawnNode:
    """parent: its place in the list of nodes; -1 is the person. A text is empty where no value may be named."""

    name: str
    text: str
    parent: int


@dataclass(frozen=True)
class Example:
    """A record that somebody made up from the hierarchies alone, and what it would show."""

    before: tuple[DrawnNode, ...]
    after: tuple[DrawnNode, ...]

    def __post_init__(self) -> None:
        for nodes in (self.before, self.after):
            if any(not -1 <= node.parent < place for place, node in enumerate(nodes)):
                raise ValueError("A drawn node stands before its parent.")


@dataclass(frozen=True)
class KnowingTree:
    """Knows so many values of a person, and of so many pairs of them that one stands above the other.

    `before`, `after`: the share of the records of which something of this kind fits fewer than k records, if it is the right thing
    that is known. Before it is rounded up to the next k records, so that no two of these figures are few people apart; None: not
    counted. `sampled`: counted for some of the records only, picked by chance.
    """

    values: int
    relations: int
    promised: bool
    before: float | None
    after: float | None
    sampled: bool = False

    def __post_init__(self) -> None:
        if any(share is not None and not 0 <= share <= 1 for share in (self.before, self.after)):
            raise ValueError("Shares of what is known must lie between 0 and 1.")

    @property
    def words(self) -> str:
        """'2 values and how 1 pair of them belongs together'"""
        values = "one value" if self.values == 1 else f"{self.values} values"
        if not self.relations:
            return values
        pairs = "1 pair of them belongs" if self.relations == 1 else f"{self.relations} pairs of them belong"
        return f"{values} and how {pairs} together"


@dataclass(frozen=True)
class TreeFacts(ReleaseFacts):
    """All that the report of a release of trees says."""

    kind: Literal["trees"]
    k: int  # counts of records below it are masked: the k that is promised
    m: int  # values of a person that somebody may know, as far as the promise goes
    n: int  # pairs of them, likewise
    mode: Literal["strict", "pairwise"]
    identity: Identity
    verdict: VerdictFacts
    records: Records
    classes: tuple[ClassFacts, ...]
    columns: tuple[ColumnFacts, ...]  # all but the classes
    promises: tuple[Promise, ...]
    apart: tuple[ApartPair, ...]
    # share of the links between two values of a person that are still shown, down to the next k links; None: not told
    relations_kept: float | None
    attackers: tuple[KnowingTree, ...]  # who knows little first
    sizes: tuple[SizeBin, ...]
    losses: tuple[LossFacts, ...]
    search: Search
    example: Example | None = None
    private_facts: tuple[PrivateFact, ...] = ()
    singled: tuple[Singled, ...] = ()
    attacks: tuple[AttackRate, ...] = ()
    policy: Policy = field(default_factory=Policy)
    context: Context = field(default_factory=Context)
    earlier: Earlier = field(default_factory=Earlier)
    limits: tuple[str, ...] = ()
    tried: tuple[Tried, ...] = ()  # what the method did, and whether it came to an end
    out: tuple[ApartPair, ...] = ()  # pairs of labels of which the lower one is left out below the upper
    edition: Edition = "custodian"

    def __post_init__(self) -> None:
        if self.k < 2 or self.m < 1 or self.n < 0:
            raise ValueError("`k` of a report must be at least 2, `m` at least 1, and `n` not negative.")
        if not self.promises:
            raise ValueError("A report needs at least one guarantee.")
        if not self.classes or any(column.role == "quasi" for column in self.columns):
            raise ValueError("A report of trees has classes of nodes, and nothing else that others could know.")
        names = [*(one.name for one in self.classes), *(column.name for column in self.columns)]
        if len(set(names)) != len(names):
            raise ValueError("A report cannot have two columns of the same name.")
        self.refuse_small_singled()
        for place in self.sizes:
            if place.before is not None:
                refuse_small("sizes.before", place.before, self.k)
        if self.edition == "public":
            self._refuse_original()

    def _refuse_original(self) -> None:
        refuse_original(self)
        of_original = [
            *(place.before for place in self.sizes),
            *(one.before for one in self.attackers),
            *(one.values for one in self.classes),
            self.relations_kept,
            self.tried or None,
        ]
        if any(one is not None for one in of_original):
            raise ValueError("What became of the trees was worked out from the original; it is not public.")

    def public(
        self,
        classes: tuple[ClassFacts, ...],
        sizes: tuple[SizeBin, ...],
        losses: tuple[LossFacts, ...],
        example: Example | None,
    ) -> TreeFacts:
        """The public edition. All that is given: as the published records and the recipe alone tell it."""
        return replace(
            self,
            edition="public",
            verdict=public_verdict(self.verdict),
            records=public_records(self.records, self.k),
            classes=classes,
            relations_kept=None,
            attackers=tuple(replace(one, before=None) for one in self.attackers),
            sizes=sizes,
            losses=losses,
            attacks=public_attacks(self.attacks),
            search=public_search(self.search),
            example=example,
            tried=(),
        )
