"""Hold a release that is about to be published against the earlier ones of the same people.

Each earlier release is taken by itself: people by their class in it and their class in the new one. Counted on the original, not
guessed: `shoal.attacks.tables.lines` says who is told apart, and of whom a private fact is given away.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from shoal.attacks.tables.lines import below, given_away, left
from shoal.errors import AnswerIsNo
from shoal.release.ledger.people import Followed
from shoal.report.facts import Earlier, EarlierRelease
from shoal.report.masking import mask
from shoal.report.words import count, listed, named

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa

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

    @property
    def harm(self) -> bool:
        """Whether people can be told apart, or it is not known."""
        return bool(self.reason or self.together or self.given_away or self.changed)

    def sentence(self, k: int, *, masked: bool = False) -> str:
        """What was found. masked: for the report, where no count below k is told."""
        if self.reason:
            return f"not examined: {self.reason}"

        def of(amount: int) -> str:
            told: Count = mask(amount, k) if masked else amount
            return f"{count(told, k)} {'person' if told == 1 else 'people'}"

        said = []
        if self.together:
            said.append(f"{of(self.together)} can be told apart: fewer than {k} lie in the same class of both")
        if self.given_away:
            said.append(f"of {of(self.given_away)} both together give {listed(self.known)} away")
        if self.changed:
            said.append(
                f"{of(self.changed)} came or left, so few in the same classes that the difference of the two shows their records"
            )
        alone = "nobody is told apart by the two together" if self.common else "nobody is in both"
        return "; ".join(said) or alone

    def cure(self, k: int) -> str:
        """What to do next."""
        if self.reason:
            return ""
        wait = (
            f" Let others come or leave with those who did, until they are {k} or more in the same classes."
            if self.changed
            else ""
        )
        return f" {_CURE if self.together or self.given_away else ''}{wait} {_APART}".replace("  ", " ")


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
    lines = (old.lines, new.lines, old.line[in_old[both]], new.line[both])
    known, away = [], np.zeros(int(both.sum()), np.bool_)
    for column, l in _private(recipe).items():  # noqa: E741  # as the literature calls it
        if column in new.private and column in entry.columns and entry.columns[column].role == "sensitive":
            told = given_away(*lines, new.private[column][both], l)
            away |= told
            known += [named(column)] if told.any() else []
    changed = 0
    if any(column.role != "quasi" and name in recipe.schema_.scalars for name, column in entry.columns.items()):
        # a class that is gone as a whole was shown as it is, and is no secret of the difference
        fewest = min(k, entry.k)
        went = left(old.lines, new.lines, old.line, np.where(in_new >= 0, new.line[in_new], -1), fewest)
        came = left(new.lines, old.lines, new.line, np.where(both, old.line[in_old], -1), fewest)
        changed = int(went.sum()) + int(came.sum())
    together = int(below(*lines, k).sum())
    return Found(entry, "", int(both.sum()), together, tuple(known), int(away.sum()), changed)


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
                not one.reason,
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
