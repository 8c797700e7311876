"""Attack a release together with earlier ones of the same people, where the ledger of the recipe knows who lay where."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from shoal.attacks.tables.composition import Together
from shoal.io.folder import sha256_of
from shoal.release.ledger.book import read
from shoal.release.ledger.people import Followed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.attacks.attack import Attack, Todo
    from shoal.release.ledger.book import Ledger
    from shoal.release.ledger.entry import Entry
    from shoal.release.recipe.recipe import Recipe

_NAME = "composition: two releases together"


def composed(recipe: Recipe, release: Any) -> Todo:
    """One attack for each other release of the ledger whose people are known in the same way; none without a ledger."""
    if recipe.ledger is None or not isinstance(release, Path | str):
        return ()
    book, file = recipe.folder / recipe.ledger.path, Path(release)
    if not book.is_file() or not file.is_file():
        return ()
    ledger, written = read(book), sha256_of(file)
    mine = next((entry for entry in ledger.entries if entry.release.sha256 == written and entry.people), None)
    if mine is None:
        return ()
    others = [entry for entry in ledger.entries if entry.id != mine.id and entry.people and _same_people(entry, mine)]
    return tuple((_NAME, lambda other=other: _attack(ledger, mine, other)) for other in others)


def _same_people(one: Entry, other: Entry) -> bool:
    """Whether pseudonyms of both name the same people by the same means."""
    if one.person or other.person:
        return one.person == other.person
    return bool(one.original.sha256) and one.original == other.original


def _attack(ledger: Ledger, mine: Entry, other: Entry) -> tuple[Attack, ...]:
    first, second = (Followed.read(ledger.people(entry.id), entry.people) for entry in (mine, other))
    if first.marks is not None or second.marks is not None:
        return ()  # what is known are some items, not classes: the ledger counts those
    there = pc.fill_null(pc.index_in(first.people, value_set=second.people), -1).to_numpy().astype(np.int64)
    theirs = np.where(there >= 0, _classes(second)[there], -1)
    made = Together.of(_classes(first), theirs, np.ones(len(first.people), np.int64)).attack()
    return () if made is None else (made,)


def _classes(followed: Followed) -> NDArray[np.int64]:
    """(people,): the class of each; below 0 of whoever is in none, or in one of several and nobody knows in which."""
    lines = followed.lines
    alone = np.diff(lines.offsets) == 1
    whole = np.full(len(lines.people), -1, np.int64)
    at = lines.offsets[:-1][alone]
    certain = lines.records[at] == lines.people[alone]
    whole[np.flatnonzero(alone)[certain]] = lines.classes[at[certain]]
    return whole[followed.line]
