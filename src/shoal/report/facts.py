"""What the facts of every kind of release have in common: values that all of them hold, what is asked of all of them, and how they
are written and read.

Facts are frozen plain values: the only input of the renderers. Each kind has a class of its own (`tables/facts.py` and so on); the
fields stand in these classes themselves, in the order in which each writes them.

There are two editions (`shoal.report.edition`). The custodian's is all of it, and stays with the custodian. The public one is a
function of the published records and the recipe: whatever was worked out from the original is not in it, and the facts refuse to
be called public while it is.

In both, counts of original records that could be small have the type `Count`, and facts refuse one between 1 and k-1; the `tally`
of each kind makes them from raw counts. Values of cells appear only as published, and only where at least k published records
share them.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from shoal.report.masking import Count, refuse_small

if TYPE_CHECKING:
    from typing import Self

    from pydantic import TypeAdapter

    from shoal.report.columns import ColumnFacts
    from shoal.report.outcome import Identity, Records, VerdictFacts

Edition = Literal["public", "custodian"]


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
class SizeBin:
    """Records in classes of `low` to `high` records (None: or more), before (None: not told) and after."""

    low: int
    high: int | None
    before: Count | None
    after: int


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
class Singled:
    """Published records that are alone with what they show in columns that are published as they are: whoever knows it finds them.

    `reason`: why the recipe accepts it, where they are many; "" where they are few.
    """

    columns: tuple[str, ...]
    records: Count
    reason: str = ""


@dataclass(frozen=True)
class AttackRate:
    """A measured attack. `rate` with its 95 % interval; `baseline` is the rate of guessing without the release.

    `bound`: what is promised, None where nothing is. `control`: the rate for people whose own record was taken out. `public`:
    worked out from the published records and the recipe alone.
    """

    question: Literal["singling out", "linkability", "inference"]
    name: str
    attacks: int
    rate: float
    low: float
    high: float
    baseline: float
    bound: float | None = None
    control: float | None = None
    public: bool = False

    @property
    def kept(self) -> bool:
        """Whether nothing is promised, or what was measured is compatible with it."""
        return self.bound is None or self.low <= self.bound


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
    public: bool = False  # worked out from the published records and the recipe alone

    def __post_init__(self) -> None:
        if not math.isfinite(self.value) or (self.share and not 0 <= self.value <= 1):
            raise ValueError(f"`value` of the loss {self.name} must be finite, and between 0 and 1 when it is a share.")


@dataclass(frozen=True)
class Search:
    """How the release was found.

    `candidates`: ways to choose one level for each column; 0 when the method does not choose among them. `gap`: how much
    lower the loss of the best of them could be at most (0: proved best), None when there are none. It is the loss less the
    proved bound, each in three digits: the loss rounded up, the bound down. `seconds`: None where they are not told.
    `minimality`: whether the choice looked at private values: "safe" when it did not though a promise speaks of them, "steered"
    when it did, "" when no promise speaks of them or nothing is known of it.
    """

    method: str
    loss: str
    evaluated: int
    candidates: int
    gap: float | None
    seconds: float | None
    minimality: str = ""

    def __post_init__(self) -> None:
        if self.minimality not in ("", "safe", "steered"):
            raise ValueError('`minimality` of the search must be "safe", "steered" or "".')
        if self.gap is not None and (not self.gap >= 0 or not math.isfinite(self.gap)):
            raise ValueError("`gap` of the search must be 0 or more.")
        if (self.gap is None) != (self.candidates == 0):
            raise ValueError("`gap` of the search is for methods that choose among levels.")


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
    """One of them, by the day of its report, and what it tells together with this one.

    `together`: people who lie with fewer than k in the same class of both. `given_away`: people of whom both together give a
    private fact away. `changed`: people in one of the two only, whom the difference gives away.
    """

    day: str
    file: str
    note: str = ""
    examined: bool = True
    together: Count = 0
    given_away: Count = 0
    changed: Count = 0


@dataclass(frozen=True)
class Earlier:
    """Earlier releases of the same people; `checked` is False when nothing looked for them. `withheld`: what was found stays with
    the custodian, as in every public edition."""

    checked: bool = False
    releases: tuple[EarlierRelease, ...] = ()
    withheld: bool = False

    @property
    def open(self) -> tuple[EarlierRelease, ...]:
        """Those with which people can be told apart, or that could not be examined."""
        return tuple(one for one in self.releases if not one.examined or one.together or one.given_away or one.changed)

    def public(self) -> Earlier:
        """For everybody: that it was looked at, and no more. What was found was counted on the original."""
        return Earlier(True, (), withheld=True) if self.checked else self


class ReleaseFacts:
    """The base of frozen dataclasses that have these fields, and others of their own."""

    kind: str
    k: int
    identity: Identity
    verdict: VerdictFacts
    records: Records
    columns: tuple[ColumnFacts, ...]
    promises: tuple[Promise, ...]
    losses: tuple[LossFacts, ...]
    search: Search
    private_facts: tuple[PrivateFact, ...]
    singled: tuple[Singled, ...]
    attacks: tuple[AttackRate, ...]
    context: Context
    earlier: Earlier
    limits: tuple[str, ...]
    edition: Edition
    tried: tuple[Tried, ...] = ()
    floor: Floor | None = None

    @property
    def quasi(self) -> tuple[ColumnFacts, ...]:
        """Columns of single values that could be recognised by others."""
        return tuple(column for column in self.columns if column.role == "quasi")

    @property
    def main_loss(self) -> LossFacts | None:
        """The loss the search made as small as possible, or the first."""
        return next((loss for loss in self.losses if loss.minimised), self.losses[0] if self.losses else None)

    @property
    def accepted(self) -> tuple[Singled, ...]:
        """Columns that tell many people apart and are published all the same, those that tell most first."""
        many = [one for one in self.singled if one.reason]
        return tuple(sorted(many, key=lambda one: one.records if isinstance(one.records, int) else 0, reverse=True))

    def refuse_small_singled(self) -> None:
        """Counts of records that are alone with a value must be masked too, and of people whom two releases tell apart."""
        for release in self.earlier.releases:
            for found in (release.together, release.given_away, release.changed):
                refuse_small("earlier.releases", found, self.k)
        for one in self.singled:
            refuse_small("singled.records", one.records, self.k)

    @property
    def promised_in_short(self) -> str:
        """The promises as an auditor calls them."""
        return ", ".join(promise.technical for promise in self.promises)

    @property
    def protected(self) -> frozenset[str]:
        """Sensitive columns that a promise speaks of."""
        return frozenset(promise.column for promise in self.promises if promise.column)

    def to_json(self) -> dict[str, Any]:
        """Plain dictionaries, lists, strings and numbers."""
        return _plain_lists(asdict(self))  # type: ignore[call-overload, no-any-return]

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The facts that `to_json` wrote; raises ValueError for anything else."""
        read: Self = cls._reader().validate_json(json.dumps(data), strict=True)
        return read

    @classmethod
    @cache
    def _reader(cls) -> TypeAdapter[Any]:
        from pydantic import TypeAdapter

        return TypeAdapter(cls)


def _plain_lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain_lists(item) for key, item in value.items()}
    return [_plain_lists(item) for item in value] if isinstance(value, (list, tuple)) else value
