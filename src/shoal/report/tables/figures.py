"""The figures of a table's report: risk by class size, records by published value; the cost of more detail."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from shoal.report.facts import SizeBin
from shoal.report.masking import Count


@dataclass(frozen=True)
class Risk:
    """Chances of an attacker who knows that a person is in the data, and all their quasi-identifying values."""

    records: int
    classes: int
    smallest_class: int
    uniques: Count  # records alone in their class
    at_risk: Count  # records whose chance is above the threshold

    def __post_init__(self) -> None:
        if not 0 <= self.classes <= self.records or not 0 <= self.smallest_class <= self.records:
            raise ValueError("Classes, and the records of a class, cannot be more than the records.")
        if self.records and not (self.classes and self.smallest_class):
            raise ValueError("Where there are records there are classes, of at least one record.")

    @property
    def highest(self) -> Fraction:
        """Prosecutor, highest: the chance in the smallest class."""
        return Fraction(1, self.smallest_class) if self.smallest_class else Fraction(0)

    @property
    def average(self) -> Fraction:
        """Prosecutor, average; also marketer: the expected share of records linked correctly."""
        return Fraction(self.classes, self.records) if self.records else Fraction(0)


@dataclass(frozen=True)
class JournalistRisk:
    """Chances of an attacker who compares the release with a register of a population."""

    population: str  # which population and of what size, in words
    highest: float
    average: float
    at_risk: Count

    def __post_init__(self) -> None:
        if not 0 <= self.average <= self.highest <= 1:
            raise ValueError("Chances lie between 0 and 1, and the average is not above the highest.")


@dataclass(frozen=True)
class RiskFacts:
    """Risk before and after, and how many records stand in classes of which size."""

    before: Risk | None  # None: not told
    after: Risk
    threshold: str  # the chance a record should not exceed, exactly: "1/5" or "0.09"
    sizes: tuple[SizeBin, ...]
    journalist: JournalistRisk | None = None  # None: not assessed

    def __post_init__(self) -> None:
        if not 0 < Fraction(self.threshold) <= 1:
            raise ValueError(f"`threshold` of the risk must lie above 0 and not above 1; got {self.threshold}.")


@dataclass(frozen=True)
class Bar:
    """A published value (None: missing): records published with it, and records that had it and were suppressed.

    `suppressed` is None where it is not told. So it is where the values of a column overlap: a suppressed record could have been
    shown in several ways.
    """

    value: str | None
    published: int
    suppressed: Count | None


@dataclass(frozen=True)
class Distribution:
    """Records per published value of a column. Before = published + suppressed, at the same level of blur.

    Where the values of a column overlap, nothing is said of suppressed records, and either the most frequent values come
    first, or (`within`) the bars are labels of one level of the hierarchy, in their order, with the records whose published
    value lies within the label, and `other` are those that show wider values.
    """

    column: str
    bars: tuple[Bar, ...]
    other_values: int = 0  # further published values, summed up in `other`
    other: Bar | None = None
    gone: Count = 0  # suppressed records with values that the release does not hold at all
    within: bool = False
    overlapping: bool = False


@dataclass(frozen=True)
class Finer:
    """What publishing one column one level finer would cost, all else unchanged."""

    column: str
    small: Count  # records that would stand in classes that break the promise
    mainly: tuple[
        tuple[str | None, Count], ...
    ] = ()  # published values of the column most of them have, with their number


@dataclass(frozen=True)
class TradeOff:
    """The best release for another suppression limit. `loss`: three digits, rounded up. `levels` in the order of the
    quasi-identifying columns."""

    limit: str
    loss: float
    suppressed: Count
    levels: tuple[int, ...]


@dataclass(frozen=True)
class Drop:
    """A column to leave out: records that stand in classes of fewer than k by their exact values with it, and without it."""

    column: str
    before: Count
    after: Count


@dataclass(frozen=True)
class Why:
    """What one step finer of each column would cost, and what other suppression limits would give.

    `drops`: which columns tell people apart most, one after the other, each counted without those before it. Only where nearly
    everything is lost.
    """

    finer: tuple[Finer, ...] = ()
    trade_offs: tuple[TradeOff, ...] = ()  # by limit, the recipe's own among them
    drops: tuple[Drop, ...] = ()
