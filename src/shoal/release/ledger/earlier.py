"""Hold a release that is about to be published against the earlier ones of the same people.

Each earlier release is taken by itself: people by their class in it and their class in the new one, and by what both show of things
that may be known of them. Counted on the original, not guessed: `shoal.attacks.together.lines` says who is told apart where classes
are all there is, and `shoal.attacks.together` where people are known by some of their items or values.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from shoal.attacks.together.changes import left_by_things
from shoal.attacks.together.crowds import ALL, crowd
from shoal.attacks.together.lines import below, given_away, left
from shoal.errors import AnswerIsNo
from shoal.kernels.sets.few_fit import FEW, NOT_LOOKED_AT
from shoal.release.ledger.people import Followed
from shoal.report.facts import Earlier, EarlierRelease
from shoal.report.masking import mask
from shoal.report.words import count, listed, named

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from shoal.release.ledger.book import Ledger
    from shoal.release.ledger.entry import Entry
    from shoal.release.recipe.recipe import Recipe
    from shoal.report.masking import Count

    # the people of the new release by pseudonyms as an earlier one has them; None where they cannot be compared
    PeopleAs = Callable[[Entry], pa.Array | None]

_OTHERS = (
    "it is of another original, and no column names the same people in both (`ledger.person`). Releases of other people belong "
    "in a ledger of their own"
)
_CURE = "Publish the same columns at the levels they had then (`[method] levels`), or leave out a column that is blurred otherwise."
_CURE_OF_THINGS = (
    "Publish what is known of people under the same labels as then, or leave out a column that is blurred otherwise."
)
_APART = 'If nobody can have both releases, say `earlier = "ignore"` in `[ledger]`.'


@dataclass(frozen=True)
class Found:
    """What an earlier release and the new one tell together. `reason`: why that was not looked at; empty where it was."""

    entry: Entry
    reason: str = ""
    common: int = 0  # people in both
    together: int = 0  # of them: with fewer than k people in the same two classes
    known: tuple[str, ...] = ()  # sensitive columns of which something is given away
    given_away: int = 0  # people of whom it is
    changed: int = 0  # people in one of the two only, whom the difference of the two gives away
    unseen: int = 0  # people who were not looked at, because it would take too long
    things: bool = False  # whether people are known by some of their things

    @property
    def harm(self) -> bool:
        """Whether people can be told apart, or it is not known."""
        return bool(self.reason or self.together or self.given_away or self.changed or self.unseen)

    def sentence(self, k: int, *, masked: bool = False) -> str:
        """What was found. masked: for the report, where no count below k is told."""
        if self.reason:
            return f"not examined: {self.reason}"

        def of(amount: int) -> str:
            told: Count = mask(amount, k) if masked else amount
            return f"{count(told, k)} {'person' if told == 1 else 'people'}"

        said = []
        if self.together:
            fit = "fit what may be known of them in both" if self.things else "lie in the same class of both"
            said.append(f"{of(self.together)} can be told apart: fewer than {k} {fit}")
        if self.given_away:
            said.append(f"of {of(self.given_away)} both together give {listed(self.known)} away")
        if self.changed:
            like = "with what may be known of them" if self.things else "in the same classes"
            said.append(
                f"{of(self.changed)} came or left, so few {like} that the difference of the two shows their records"
            )
        if self.unseen:
            said.append(
                f"{of(self.unseen)} were not examined, for that would take too long: they may be told apart too"
            )
        alone = "nobody is told apart by the two together" if self.common else "nobody is in both"
        return "; ".join(said) or alone

    def cure(self, k: int) -> str:
        """What to do next."""
        if self.reason:
            return ""
        cure = _CURE_OF_THINGS if self.things else _CURE
        wait = (
            f" Let others come or leave with those who did, until they are {k} or more who look alike."
            if self.changed
            else ""
        )
        return f" {cure if self.together or self.given_away else ''}{wait} {_APART}".replace("  ", " ")


def look(new: Followed | str, people_as: PeopleAs, ledger: Ledger, recipe: Recipe) -> tuple[Found, ...]:
    """Every earlier release of the ledger beside the new one. new: who lies where in it, or why nobody could be followed."""
    return tuple(_beside(new, people_as, ledger, entry, recipe) for entry in ledger.entries)


def _beside(new: Followed | str, people_as: PeopleAs, ledger: Ledger, entry: Entry, recipe: Recipe) -> Found:
    if not entry.people:
        return Found(entry, entry.unfollowed)
    if isinstance(new, str):
        return Found(entry, new)
    people = people_as(entry)
    if people is None:
        return Found(entry, _OTHERS)
    old = Followed.read(ledger.people(entry.id), entry.people)
    k = recipe.smallest_class
    in_old, in_new = (
        pc.fill_null(pc.index_in(ours, value_set=theirs), -1).to_numpy().astype(np.int64)
        for ours, theirs in ((people, old.people), (old.people, people))
    )
    both = in_old >= 0
    ours, theirs = old.line[in_old[both]], new.line[both]
    private = {
        column: (new.private[column][both], least)
        for column, least in _private(recipe).items()
        if column in new.private and column in entry.columns and entry.columns[column].role == "sensitive"
    }
    common, fewest = int(both.sum()), min(k, entry.k)
    after = np.where(in_new >= 0, new.line[in_new], -1)
    before = np.where(both, old.line[in_old], -1)
    if old.marks is not None or new.marks is not None:
        known = known_things(recipe) if new.marks is not None else entry.known
        return _by_things(entry, old, new, (ours, theirs), (after, before), private, known or ALL, k, fewest)
    lines = (old.lines, new.lines, ours, theirs)
    told = {column: given_away(*lines, values, least) for column, (values, least) in private.items()}
    changed = 0
    if any(column.role != "quasi" and name in recipe.schema_.scalars for name, column in entry.columns.items()):
        # a class that is gone as a whole was shown as it is, and is no secret of the difference
        went = left(old.lines, new.lines, old.line, after, fewest)
        came = left(new.lines, old.lines, new.line, before, fewest)
        changed = int(went.sum()) + int(came.sum())
    return Found(entry, "", common, int(below(*lines, k).sum()), _named(told), _people(told, common), changed)


def _by_things(
    entry: Entry,
    old: Followed,
    new: Followed,
    lines: tuple[NDArray[np.int64], NDArray[np.int64]],
    other: tuple[NDArray[np.int64], NDArray[np.int64]],
    private: Mapping[str, tuple[NDArray[np.int64], int]],
    m: int,
    k: int,
    fewest: int,
) -> Found:
    """lines: of those in both, in either release. other: of everybody in one release the line in the other, or -1."""
    (ours, theirs), (after, before) = lines, other
    fits = crowd(old.sight, new.sight, ours, theirs, m, k)
    unseen = fits == NOT_LOOKED_AT
    told = {}
    for column, (values, least) in private.items():
        answer = crowd(old.sight, new.sight, ours, theirs, m, 1, values=values, l=least)
        told[column] = answer == FEW
        unseen |= answer == NOT_LOOKED_AT
    went = left_by_things(old.sight, new.sight, old.line, after, m, fewest)
    came = left_by_things(new.sight, old.sight, new.line, before, m, fewest)
    away = _people(told, len(ours))
    changed = int((went == FEW).sum()) + int((came == FEW).sum())
    not_seen = int(unseen.sum()) + int((went == NOT_LOOKED_AT).sum()) + int((came == NOT_LOOKED_AT).sum())
    return Found(entry, "", len(ours), int((fits == FEW).sum()), _named(told), away, changed, not_seen, things=True)


def _named(told: Mapping[str, NDArray[np.bool_]]) -> tuple[str, ...]:
    return tuple(named(column) for column, people in told.items() if people.any())


def _people(told: Mapping[str, NDArray[np.bool_]], people: int) -> int:
    """How many there are of whom some column is given away."""
    away = np.zeros(people, np.bool_)
    for one in told.values():
        away |= one
    return int(away.sum())


def known_things(recipe: Recipe) -> int:
    """How many items or values of a person somebody may know, as the recipe promises; 0: all of them."""
    return max((guarantee.m for guarantee in recipe.guarantees if guarantee.m), default=0)


def _private(recipe: Recipe) -> dict[str, int]:
    """How many values people who look the same must have, by sensitive column: as promised, else two."""
    least = dict.fromkeys(recipe.schema_.scalars, 2)
    for guarantee in recipe.guarantees:
        if guarantee.sensitive in least and guarantee.l:
            least[guarantee.sensitive] = max(least[guarantee.sensitive], ceil(guarantee.l))
    return least


def facts(found: Sequence[Found], ledger: Ledger, k: int) -> Earlier:
    """For the custodian's edition."""
    return Earlier(
        True,
        tuple(
            EarlierRelease(
                one.entry.day,
                one.entry.release.name,
                one.sentence(k, masked=True) + _doubt(one, ledger),
                not one.reason and not one.unseen,
                mask(one.together, k),
                mask(one.given_away, k),
                mask(one.changed, k),
            )
            for one in found
        ),
    )


def warnings(found: Sequence[Found], ledger: Ledger, k: int) -> tuple[str, ...]:
    """For the terminal: with counts, and what to do next."""
    return tuple(
        f"Earlier release {one.entry.release.name} of {one.entry.day}: {one.sentence(k)}{_doubt(one, ledger)}."
        + one.cure(k)
        for one in found
        if one.harm
    )


def refuse(found: Sequence[Found], ledger: Ledger, k: int) -> None:
    """What `earlier = "refuse"` asks for."""
    told = warnings(found, ledger, k)
    if told:
        raise AnswerIsNo(*told, 'Nothing was published, because `[ledger]` says `earlier = "refuse"`.')


def _doubt(one: Found, ledger: Ledger) -> str:
    return (
        " (a run was cut short while it published this release; it counts as published)"
        if one.entry.id in ledger.cut_short
        else ""
    )
