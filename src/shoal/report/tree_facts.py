"""What the report of a release of trees says, as frozen plain values: the only input of its renderers.

    TreeFacts
    ├── identity, verdict, records, promises, losses, search, context, …   as for tables (`shoal.report.facts`)
    ├── classes       the classes of nodes: what became of their values
    ├── columns       all others
    ├── apart         pairs of labels that never stand one above the other in the release, where too few records would have shown it
    ├── example       a made-up record before and after; no record of the data is ever drawn
    ├── attackers     what somebody finds who knows some values of a person, and how some of them belong together
    └── sizes         records by the number of their nodes, before and after

Everything here is public, under the same rules: counts of records between 1 and k-1 are refused, figures worked out from the raw
records have few digits, and a label is named only when the release shows it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from shoal.report.facts import (
    AttackRate,
    ColumnFacts,
    Context,
    Earlier,
    Identity,
    LossFacts,
    Policy,
    PrivateFact,
    Promise,
    Records,
    Search,
    SizeBin,
    Tried,
    VerdictFacts,
)
from shoal.report.masking import refuse_small
from shoal.report.release_facts import ReleaseFacts


@dataclass(frozen=True)
class ClassLevel:
    """Nodes shown at one level of the hierarchy of their class (None: left out), as a share.

    What is lost is rounded up to the next k nodes, what is kept down: a share would else tell how many nodes few people have.
    """

    level: int | None
    labels: int
    share: float


@dataclass(frozen=True)
class ClassFacts:
    name: str
    parent: str  # the class below which it hangs; empty: the person
    values: int  # different ones that occur in the original
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
        if self.as_they_are + self.grouped + self.left_out + self.varying != self.values:
            raise ValueError(
                "The values of a class are shown as they are, under labels, in several ways, or not at all."
            )
        if any(not 0 <= level.share <= 1 for level in self.levels):
            raise ValueError("Shares of ClassLevel must lie between 0 and 1.")

    @property
    def gone(self) -> bool:
        """Whether nothing of the class is published, although records have it."""
        return bool(self.values) and self.left_out == self.values


@dataclass(frozen=True)
class ApartPair:
    """Two labels that are kept apart, the upper one first."""

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
            raise ValueError("Shares of KnowingTree must lie between 0 and 1.")

    @property
    def words(self) -> str:
        values = "one value" if self.values == 1 else f"{self.values} values"
        if not self.relations:
            return values
        pairs = "1 pair of them belongs" if self.relations == 1 else f"{self.relations} pairs of them belong"
        return f"{values} and how {pairs} together"


@dataclass(frozen=True)
class TreeFacts(ReleaseFacts):
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
    relations_kept: (
        float  # share of the links between two values of a person that are still shown, down to the next k links
    )
    attackers: tuple[KnowingTree, ...]  # who knows little first
    sizes: tuple[SizeBin, ...]
    losses: tuple[LossFacts, ...]
    search: Search
    example: Example | None = None
    private_facts: tuple[PrivateFact, ...] = ()
    attacks: tuple[AttackRate, ...] = ()
    policy: Policy = field(default_factory=Policy)
    context: Context = field(default_factory=Context)
    earlier: Earlier = field(default_factory=Earlier)
    limits: tuple[str, ...] = ()
    tried: tuple[Tried, ...] = ()  # what the method did, and whether it came to an end

    def __post_init__(self) -> None:
        if self.k < 2 or self.m < 1 or self.n < 0:
            raise ValueError("`k` of TreeFacts must be at least 2, `m` at least 1, and `n` not negative.")
        if not self.promises:
            raise ValueError("A report needs at least one guarantee.")
        if not self.classes or any(column.role == "quasi" for column in self.columns):
            raise ValueError("A report of trees has classes of nodes, and nothing else that others could know.")
        names = [*(one.name for one in self.classes), *(column.name for column in self.columns)]
        if len(set(names)) != len(names):
            raise ValueError("A report cannot have two columns of the same name.")
        for place in self.sizes:
            refuse_small("sizes.before", place.before, self.k)
