"""A register of the population held against a published table: how many of its people could be behind each published class.

A person of the register *matches* a class when every value that is known of them is one that the class may stand for. Only columns
that the register has are compared: somebody who has nothing but the register knows no others. Classes that look the same in these
columns are one. From the matches follow

- *k-map* (Sweeney 2002): the fewest people who match a published class;
- *δ-presence* (Nergiz, Atzori and Clifton 2007): of each person of the register, the share of those who match that is published.
  Where classes overlap a person may match several; the shares are added, and cut at 1. Whoever matches no class is absent;
- *journalist*: 1 / the people who match, or 1 / the published records where these are more: then the register is not complete;
- *population uniques*: records that are alone in the data, and whom one person of the register matches.

Sweeney, L.: k-anonymity, a model for protecting privacy. IJUFKS 10(5), 2002. Nergiz, M. E., Atzori, M., Clifton, C.: Hiding the
presence of individuals from shared databases. SIGMOD 2007.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Matched:
    """Published classes and people of a register."""

    records: NDArray[np.int64]  # (classes,) published records, at least 1
    matches: NDArray[np.int64]  # (classes,) people who match
    presence: NDArray[np.float64]  # (tuples of the register,) the share that is published of those who match
    people: NDArray[np.int64]  # (tuples of the register,) people, at least 1


@dataclass(frozen=True)
class RegisterRisk:
    """What somebody with this register gains. Counts only: nothing of the register itself."""

    people: int  # in the register
    columns: tuple[str, ...]  # that were compared
    classes: int  # as far as these columns tell them apart
    k_map: int  # the fewest people who match a class; 0: nobody matches one
    records_below_k: int  # in classes that fewer than k people match
    records_unmatched: int  # that nobody matches: the register is not complete
    lowest_presence: float
    highest_presence: float
    absent_people: int  # who match no class
    sample_uniques: int
    population_uniques: int  # of the sample uniques, those whom one person matches
    highest: float  # of the journalist
    average: float
    records_at_risk: int  # whose chance is above the threshold

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "columns": list(self.columns)}


def match(
    codes: NDArray[np.int32],
    sizes: NDArray[np.int64],
    covered: Sequence[Sequence[NDArray[np.int64]]],
    held: NDArray[np.int32],
    people: NDArray[np.int64],
) -> Matched:
    """codes: (classes, columns) numbers of published values; sizes: (classes,) records. covered: by column and published value, the
    numbers of the raw values it may stand for. held: (tuples, columns) numbers of raw values in the register; people: (tuples,)."""
    looks, place = np.unique(codes, axis=0, return_inverse=True)
    records = np.bincount(place.reshape(-1), sizes, len(looks)).astype(np.int64)
    matches, presence = np.zeros(len(looks), np.int64), np.zeros(len(people), np.float64)
    raw_values = held.max(axis=0, initial=-1) + 1

    def narrow(column: int, first: int, last: int, among: NDArray[np.int64]) -> None:
        """Classes from `first` to before `last` look the same in the columns before; so far the tuples `among` match them."""
        if not len(among):
            return
        if column == looks.shape[1]:
            matches[first] = people[among].sum()
            presence[among] += records[first] / matches[first]
            return
        # classes are in order, so those with the same value lie side by side
        values, starts = np.unique(looks[first:last, column], return_index=True)
        ends = [*starts[1:].tolist(), last - first]
        for value, start, end in zip(values.tolist(), starts.tolist(), ends, strict=True):
            fits = np.zeros(int(raw_values[column]), np.bool_)
            fits[covered[column][value]] = True
            narrow(column + 1, first + start, first + end, among[fits[held[among, column]]])

    narrow(0, 0, len(looks), np.arange(len(people)))
    return Matched(records, matches, np.minimum(presence, 1.0), people)


def register_risk(matched: Matched, columns: Sequence[str], k: int, threshold: float | None = None) -> RegisterRisk:
    """k: fewer people than these are too few to hide among. threshold: of chances; by default 1/k."""
    limit = Fraction(1, k) if threshold is None else Fraction(str(threshold))
    records, matches = matched.records, matched.matches
    crowd = np.where(matches > 0, np.maximum(matches, records), 0)  # 0: nobody is named
    named = crowd > 0
    above = np.array([0 < one * limit.numerator < limit.denominator for one in crowd.tolist()], np.bool_)
    chances = np.divide(1.0, crowd, out=np.zeros(len(crowd)), where=named)
    total, alone = int(records.sum()), records == 1
    return RegisterRisk(
        people=int(matched.people.sum()),
        columns=tuple(columns),
        classes=len(records),
        k_map=int(matches.min(initial=np.iinfo(np.int64).max)) if len(matches) else 0,
        records_below_k=int(records[matches < k].sum()),
        records_unmatched=int(records[~named].sum()),
        lowest_presence=float(matched.presence.min()) if len(matched.presence) else 0.0,
        highest_presence=float(matched.presence.max()) if len(matched.presence) else 0.0,
        absent_people=int(matched.people[matched.presence == 0].sum()),
        sample_uniques=int(alone.sum()),
        population_uniques=int((alone & (matches == 1)).sum()),
        highest=float(chances.max(initial=0.0)),
        average=float(chances @ records) / total if total else 0.0,
        records_at_risk=int(records[above].sum()),
    )
