"""What a release report says, as frozen plain values: the only input of the renderers.

    Facts
    ├── identity      files with hashes, recipe hash, versions, day
    ├── verdict       the verifier's checks and warnings
    ├── records       in, published, hidden
    ├── columns       role, reason, level chosen or shares by level, ladder of levels, detail kept
    ├── promises      the guarantees; with policy for missing values and hidden records
    ├── risk          before and after, threshold, class sizes, journalist
    ├── private_facts what a sensitive column gives away although people look the same
    ├── attacks       measured attack rates, when there are any
    ├── losses        what was lost, with formula
    ├── distributions per blurred column: published value → records
    ├── why           what one step finer would cost; what more hiding would buy
    ├── search        how the release was found
    ├── tried         the methods that were tried, when there were several
    ├── floor         how close to the best possible the loss is, when that was computed
    ├── context       who receives it
    ├── earlier       earlier releases of the same people
    └── limits        further known limits

Everything here is public. Counts of records that could be small have the type `Count`, and `Facts` refuses one between 1 and
k-1; `shoal.report.tally` makes them from raw counts. Losses and bounds, which are worked out from the raw records, have three
digits (`shoal.report.digits`). Values of cells appear only as published, and only where at least k published records share
them.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Literal

from shoal.io.names import TABLES
from shoal.report.masking import Count, refuse_small
from shoal.report.release_facts import ReleaseFacts

RoleName = Literal["identifying", "quasi", "sensitive", "plain"]


@dataclass(frozen=True)
class ReleasedFile:
    """A file of the release: its name, what it is, and its SHA-256. Only tables of trees lie in a folder, `….tables`."""

    name: str
    what: str  # "data", "codebook", …
    sha256: str

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[0-9a-f]{64}", self.sha256):
            raise ValueError("`sha256` of ReleasedFile must be 64 hexadecimal digits in lower case.")
        folder, _, file = self.name.rpartition("/")
        if "/" in folder or "\\" in self.name or not file or (folder and not folder.endswith(f".{TABLES}")):
            raise ValueError("`name` of ReleasedFile must be a file name without folders, but for that of tables.")


@dataclass(frozen=True)
class Identity:
    """What exactly was released, by which programs, on which day (UTC, YYYY-MM-DD)."""

    files: tuple[ReleasedFile, ...]  # the data first
    recipe_sha256: str
    versions: tuple[tuple[str, str], ...]  # ("shoal", "0.1.0"), ("Python", "3.11.7"), …
    day: str

    def __post_init__(self) -> None:
        if not self.files:
            raise ValueError("`files` of Identity must name at least the released data.")
        if not re.fullmatch(r"[0-9a-f]{64}", self.recipe_sha256):
            raise ValueError("`recipe_sha256` of Identity must be 64 hexadecimal digits in lower case.")
        date.fromisoformat(self.day)


@dataclass(frozen=True)
class CheckFacts:
    """One question the verifier asked of the published file."""

    name: str
    passed: bool
    detail: str


@dataclass(frozen=True)
class VerdictFacts:
    """The verifier's answer: it passed only when every check passed."""

    passed: bool
    checks: tuple[CheckFacts, ...]
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.passed and not all(check.passed for check in self.checks):
            raise ValueError("A verdict with a failed check cannot have passed.")
        if self.passed and not self.checks:
            raise ValueError("A verdict without a check cannot have passed.")


@dataclass(frozen=True)
class Records:
    """Records read = records published + records suppressed (hidden)."""

    read: int
    published: int
    suppressed: int
    limit: str  # share of the records that may be suppressed, as written in the recipe: "0.01"
    limit_records: int
    suppressed_cells: int = 0  # single cells hidden in published records

    def __post_init__(self) -> None:
        if min(self.read, self.published, self.suppressed, self.limit_records, self.suppressed_cells) < 0:
            raise ValueError("Counts of Records must not be negative.")
        if self.read != self.published + self.suppressed:
            raise ValueError("Records read must equal records published plus records suppressed.")
        if not 0 <= Fraction(self.limit) <= 1:
            raise ValueError(f"`limit` of Records must be a fraction between 0 and 1; got {self.limit}.")


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


@dataclass(frozen=True)
class Promise:
    """A guarantee: as a person reads it, and as an auditor does."""

    name: str  # "k-anonymity"
    sentence: str
    technical: str  # "5-anonymity"
    column: str = ""  # the sensitive column it protects, if it speaks of one


@dataclass(frozen=True)
class Policy:
    """What the recipe says about missing values, and what became of suppressed records."""

    missing: Literal["value", "refuse"] = "value"
    suppressed: Literal["dropped"] = "dropped"


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
class SizeBin:
    """Records in classes of `low` to `high` records (None: or more), before and after."""

    low: int
    high: int | None
    before: Count
    after: int


@dataclass(frozen=True)
class RiskFacts:
    before: Risk
    after: Risk
    threshold: str  # the chance a record should not exceed, exactly: "1/5" or "0.09"
    sizes: tuple[SizeBin, ...]
    journalist: JournalistRisk | None = None  # None: not assessed

    def __post_init__(self) -> None:
        if not 0 < Fraction(self.threshold) <= 1:
            raise ValueError(f"`threshold` of RiskFacts must lie above 0 and not above 1; got {self.threshold}.")


@dataclass(frozen=True)
class PrivateFact:
    """How far the classes of the release give a sensitive column away: classes in which everyone has the same value."""

    column: str
    classes: int
    same_classes: int
    same_records: int

    def share_of(self, records: Records) -> float:
        """Of the published records, those of which the classes give the value away."""
        return self.same_records / records.published if records.published else 0.0


@dataclass(frozen=True)
class AttackRate:
    """A measured attack. `rate` with its 95 % interval; `baseline` is the rate of guessing without the release."""

    question: Literal["singling out", "linkability", "inference"]
    name: str
    attacks: int
    rate: float
    low: float
    high: float
    baseline: float


@dataclass(frozen=True)
class LossFacts:
    """A measure of what was lost, in three digits, rounded up."""

    name: str  # "GLM"
    title: str  # in plain words: "Detail lost"
    value: float
    share: bool  # True: between 0 and 1, print as per cent
    formula: str  # a sentence
    counts_suppressed: bool  # whether suppressed records count
    minimised: bool = False  # the one the search made as small as possible; printed first

    def __post_init__(self) -> None:
        if not math.isfinite(self.value) or (self.share and not 0 <= self.value <= 1):
            raise ValueError(f"`value` of the loss {self.name} must be finite, and between 0 and 1 when it is a share.")


@dataclass(frozen=True)
class Bar:
    """A published value (None: missing): records published with it, and records that had it and were suppressed.

    `suppressed` is None where the values of a column overlap: a suppressed record could have been shown in several ways.
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
class Why:
    finer: tuple[Finer, ...] = ()
    trade_offs: tuple[TradeOff, ...] = ()  # by limit, the recipe's own among them


@dataclass(frozen=True)
class Search:
    """How the release was found.

    `candidates`: ways to choose one level for each column; 0 when the method does not choose among them. `gap`: how much
    lower the loss of the best of them could be at most (0: proved best), None when there are none. It is the loss less the
    proved bound, each in three digits: the loss rounded up, the bound down.
    """

    method: str
    loss: str
    evaluated: int
    candidates: int
    gap: float | None
    seconds: float

    def __post_init__(self) -> None:
        if self.gap is not None and (not self.gap >= 0 or not math.isfinite(self.gap)):
            raise ValueError("`gap` of Search must be 0 or more.")
        if (self.gap is None) != (self.candidates == 0):
            raise ValueError("`gap` of Search is for methods that choose among levels.")


@dataclass(frozen=True)
class Tried:
    """A method that was tried. `loss`: three digits, rounded up; None when it made no release of the whole table. `kept`: its
    release is this one."""

    method: str
    loss: float | None
    seconds: float
    note: str
    kept: bool = False

    def __post_init__(self) -> None:
        if self.kept and self.loss is None:
            raise ValueError("A method that found nothing cannot be the one that was kept.")


@dataclass(frozen=True)
class Floor:
    """A proved bound: no release of the same records with groups of k or more along these hierarchies loses less than `loss`.

    `at_most_above`: by which share of it the loss of this release may be above the best possible (0.34: 34 %). Both have three
    digits; `loss` is rounded down, `at_most_above` up.
    """

    loss: float
    at_most_above: float
    how: str  # how it is proved, in a sentence or two

    def __post_init__(self) -> None:
        for figure in (self.loss, self.at_most_above):
            if not math.isfinite(figure) or figure < 0:
                raise ValueError("The figures of Floor must be 0 or more.")


@dataclass(frozen=True)
class Context:
    """From the recipe; "" where it says nothing."""

    access: Literal["public", "restricted", ""] = ""
    recipients: str = ""
    purpose: str = ""
    controller: str = ""
    next_review: str = ""


@dataclass(frozen=True)
class EarlierRelease:
    day: str
    file: str
    note: str = ""


@dataclass(frozen=True)
class Earlier:
    """Earlier releases of the same people; `checked` is False when nothing looked for them."""

    checked: bool = False
    releases: tuple[EarlierRelease, ...] = ()


@dataclass(frozen=True)
class Facts(ReleaseFacts):
    k: int  # counts of records below it are masked: the k that is promised
    identity: Identity
    verdict: VerdictFacts
    records: Records
    columns: tuple[ColumnFacts, ...]
    promises: tuple[Promise, ...]
    risk: RiskFacts
    losses: tuple[LossFacts, ...]
    search: Search
    distributions: tuple[Distribution, ...] = ()
    why: Why = Why()
    tried: tuple[Tried, ...] = ()
    floor: Floor | None = None
    private_facts: tuple[PrivateFact, ...] = ()
    attacks: tuple[AttackRate, ...] = ()
    policy: Policy = Policy()
    context: Context = Context()
    earlier: Earlier = Earlier()
    limits: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.k < 2:
            raise ValueError(f"`k` of Facts must be at least 2; got {self.k}.")
        if not self.promises:
            raise ValueError("A report needs at least one guarantee.")
        if self.risk.before.records != self.records.read or self.risk.after.records != self.records.published:
            raise ValueError("Risk before is of the records read, risk after of the records published.")
        quasi = tuple(column.name for column in self.columns if column.role == "quasi")
        if len({column.name for column in self.columns}) != len(self.columns):
            raise ValueError("A report cannot have two columns of the same name.")
        for name in [*(d.column for d in self.distributions), *(f.column for f in self.why.finer)]:
            if name not in quasi:
                raise ValueError(f"Column '{name}' is not a quasi-identifying column of the report.")
        limits = [Fraction(point.limit) for point in self.why.trade_offs]
        if limits != sorted(limits):
            raise ValueError("Trade-offs must come in the order of their limits.")
        if any(len(point.levels) != len(quasi) for point in self.why.trade_offs):
            raise ValueError("A trade-off needs one level for each quasi-identifying column.")
        if self.why.trade_offs and self.local:
            raise ValueError("Trade-offs compare levels of whole columns; this release has columns that mix them.")
        if any(sum(s.records for s in c.mix) != self.records.published for c in self.columns if c.mix):
            raise ValueError("Every published record shows a column at one level.")
        if sum(attempt.kept for attempt in self.tried) > 1:
            raise ValueError("Of the methods that were tried only one is kept.")
        self._refuse_small_counts()

    def _refuse_small_counts(self) -> None:
        refuse_small("risk.before.uniques", self.risk.before.uniques, self.k)
        refuse_small("risk.before.at_risk", self.risk.before.at_risk, self.k)
        if self.risk.journalist is not None:
            refuse_small("risk.journalist.at_risk", self.risk.journalist.at_risk, self.k)
        for size in self.risk.sizes:
            refuse_small("risk.sizes.before", size.before, self.k)
        for distribution in self.distributions:
            where = f"distributions['{distribution.column}']"
            refuse_small(f"{where}.gone", distribution.gone, self.k)
            for bar in (*distribution.bars, *((distribution.other,) if distribution.other else ())):
                if bar.suppressed is not None:
                    refuse_small(f"{where}.suppressed", bar.suppressed, self.k)
            if any(bar.published < self.k for bar in distribution.bars):
                raise ValueError(f"`{where}` names a value that fewer than k = {self.k} published records share.")
        for column in self.columns:
            if any(share.records < self.k for share in column.mix):
                raise ValueError(
                    f"Column '{column.name}' names a level that fewer than k = {self.k} published records share."
                )
        for finer in self.why.finer:
            for count in (finer.small, *(count for _, count in finer.mainly)):
                refuse_small(f"why.finer['{finer.column}']", count, self.k)
        for point in self.why.trade_offs:
            refuse_small("why.trade_offs.suppressed", point.suppressed, self.k)

    @property
    def quasi(self) -> tuple[ColumnFacts, ...]:
        return tuple(column for column in self.columns if column.role == "quasi")

    @property
    def local(self) -> bool:
        """Whether records differ in how far a column is blurred."""
        return any(column.mix for column in self.columns)

    @property
    def kept_method(self) -> Tried | None:
        return next((attempt for attempt in self.tried if attempt.kept), None)
