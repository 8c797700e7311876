"""What the report of a table says, as frozen plain values: the only input of its renderers.

    Facts
    ├── identity      files with hashes, recipe hash, versions, day
    ├── verdict       the verifier's checks and warnings
    ├── records       in, published, hidden
    ├── columns       role, reason, level chosen or shares by level, ladder of levels, detail kept
    ├── promises      the guarantees; with policy for missing values and hidden records
    ├── risk          before and after, threshold, class sizes, journalist
    ├── private_facts what a sensitive column gives away although people look the same
    ├── singled       records that are alone with a value that is published as it is
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

What holds of all facts, and why there are two editions, stands in `shoal.report.facts`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from shoal.report.columns import ColumnFacts
from shoal.report.edition import public_attacks, public_records, public_search, public_verdict, refuse_original
from shoal.report.facts import (
    AttackRate,
    Context,
    Earlier,
    Edition,
    Floor,
    LossFacts,
    Policy,
    PrivateFact,
    Promise,
    ReleaseFacts,
    Search,
    Singled,
    Tried,
)
from shoal.report.masking import refuse_small
from shoal.report.outcome import Identity, Records, VerdictFacts
from shoal.report.tables.figures import Distribution, RiskFacts, Why

if TYPE_CHECKING:
    from typing import Self


@dataclass(frozen=True)
class Facts(ReleaseFacts):
    """All that the report of a table says."""

    kind = "tables"  # no field: the JSON of tables has no such key
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
    why: Why = field(default_factory=Why)
    tried: tuple[Tried, ...] = ()
    floor: Floor | None = None
    private_facts: tuple[PrivateFact, ...] = ()
    singled: tuple[Singled, ...] = ()
    attacks: tuple[AttackRate, ...] = ()
    policy: Policy = field(default_factory=Policy)
    context: Context = field(default_factory=Context)
    earlier: Earlier = field(default_factory=Earlier)
    limits: tuple[str, ...] = ()
    edition: Edition = "custodian"

    def __post_init__(self) -> None:
        if self.edition == "public":
            self._refuse_original()
        if self.k < 2:
            raise ValueError(f"`k` of a report must be at least 2; got {self.k}.")
        if not self.promises:
            raise ValueError("A report needs at least one guarantee.")
        before = self.risk.before
        if before is not None and before.records != self.records.read:
            raise ValueError("Risk before is of the records read.")
        if self.risk.after.records != self.records.published:
            raise ValueError("Risk after is of the records published.")
        quasi = tuple(column.name for column in self.columns if column.role == "quasi")
        if len({column.name for column in self.columns}) != len(self.columns):
            raise ValueError("A report cannot have two columns of the same name.")
        spoken_of = [
            *(d.column for d in self.distributions),
            *(f.column for f in self.why.finer),
            *(d.column for d in self.why.drops),
        ]
        for name in spoken_of:
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

    def _refuse_original(self) -> None:
        """What a look at the original told has no place in the public edition."""
        refuse_original(self)
        of_original = {
            "risk.before": self.risk.before,
            "risk.sizes.before": [size.before for size in self.risk.sizes if size.before is not None],
            "why": self.why.finer or self.why.trade_offs or self.why.drops,
            "tried": self.tried,
            "floor": self.floor,
            "distributions.gone": [d.gone for d in self.distributions if d.gone != 0],
            "distributions.suppressed": [
                bar.suppressed
                for d in self.distributions
                for bar in (*d.bars, *((d.other,) if d.other else ()))
                if bar.suppressed is not None
            ],
        }
        for name, value in of_original.items():
            if value:
                raise ValueError(f"`{name}` was worked out from the original; it is not public.")

    def _refuse_small_counts(self) -> None:
        self.refuse_small_singled()
        if self.risk.before is not None:
            refuse_small("risk.before.uniques", self.risk.before.uniques, self.k)
            refuse_small("risk.before.at_risk", self.risk.before.at_risk, self.k)
        if self.risk.journalist is not None:
            refuse_small("risk.journalist.at_risk", self.risk.journalist.at_risk, self.k)
        for size in self.risk.sizes:
            if size.before is not None:
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
        for drop in self.why.drops:
            for count in (drop.before, drop.after):
                refuse_small(f"why.drops['{drop.column}']", count, self.k)
        for point in self.why.trade_offs:
            refuse_small("why.trade_offs.suppressed", point.suppressed, self.k)

    def public(
        self, columns: tuple[ColumnFacts, ...], risk: RiskFacts, losses: tuple[LossFacts, ...], **more: Any
    ) -> Self:
        """The public edition. columns, risk, losses: as the published records and the recipe alone tell them.

        more: fields of a kind that has more of them, likewise.
        """
        return replace(
            self,
            edition="public",
            verdict=public_verdict(self.verdict),
            records=public_records(self.records, self.k),
            columns=columns,
            risk=risk,
            losses=losses,
            attacks=public_attacks(self.attacks),
            search=public_search(self.search),
            distributions=tuple(_published(distribution) for distribution in self.distributions),
            why=Why(),
            tried=(),
            floor=None,
            **more,
        )

    @property
    def local(self) -> bool:
        """Whether records differ in how far a column is blurred."""
        return any(column.mix for column in self.columns)

    @property
    def kept_method(self) -> Tried | None:
        """The one whose release this is; None where only one was tried."""
        return next((attempt for attempt in self.tried if attempt.kept), None)


def _published(distribution: Distribution) -> Distribution:
    """Nothing is told of what suppressed records had."""
    bars = tuple(replace(bar, suppressed=None) for bar in distribution.bars)
    other = None if distribution.other is None else replace(distribution.other, suppressed=None)
    return replace(distribution, bars=bars, other=other, gone=0)
