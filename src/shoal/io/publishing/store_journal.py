"""The record of a publish under way at a URI, and how a later run finishes or undoes one that was cut short.

The same record and the same rules as in `journal`. A store has no locks that end with a process, so whether a run is dead is told
by time: between the record and the last rename lie a few seconds, and a record older than ten minutes (by the store's clock) is
taken for a dead run's. Should that run be alive after all, it finds its draft gone and can move nothing any more.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from shoal.errors import DataError, InternalError
from shoal.io.folder import MARKER
from shoal.io.location import beside, name_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.io.publishing.store import Store

NAME = "journal.json"
OLD = "old"
_PATIENCE = 600_000  # milliseconds
SETTLED_LATER = f"Try again in {_PATIENCE // 60_000} minutes: what was left is then put in order first."
_DRAFT = re.compile(r"\.shoal-draft-[0-9a-f]{16}")


@dataclass(frozen=True)
class StoreJournal:
    """What a run is about to put in place in a store, written down before it does."""

    data: str  # name of the data
    new: dict[str, str]  # by name what it is recognised by, the data included
    old: tuple[str, ...]  # names set aside in the draft's folder `old`, the data first

    def __post_init__(self) -> None:
        if self.data not in self.new:
            raise ValueError("A journal must list its data among the new names.")
        for name in (*self.new, *self.old):
            if not name or "/" in name or name in {".", ".."}:
                raise ValueError("A journal holds bare names.")

    @classmethod
    def of(cls, store: Store, draft: str, data: str, new: Sequence[str], old: Sequence[str]) -> StoreJournal:
        known = {name: recognise(store, f"{draft}/{name}") for name in new}
        absent = next((name for name, identity in known.items() if identity is None), None)
        if absent is not None:
            raise InternalError(f"{absent} was announced but not written; nothing was published.")
        return cls(data, {name: str(identity) for name, identity in known.items()}, tuple(old))

    def write(self, store: Store, draft: str) -> None:
        store.write(f"{draft}/{NAME}", json.dumps({"version": 1, **asdict(self)}).encode())

    def forget(self, store: Store, draft: str) -> None:
        store.delete(f"{draft}/{NAME}")

    @classmethod
    def read(cls, store: Store, draft: str) -> StoreJournal | None:
        """None when there is none or it is incomplete: then nothing had moved yet."""
        if store.find(f"{draft}/{NAME}") is None:
            return None
        try:
            stated = json.loads(store.read(f"{draft}/{NAME}"))
            return cls(stated["data"], dict(stated["new"]), tuple(stated["old"]))
        except (ValueError, KeyError, TypeError):
            return None


def recognise(store: Store, uri: str) -> str | None:
    """Enough to know a file or a marked folder again after a rename; None when there is neither."""
    entry = store.find(uri)
    if entry is None:
        return None
    if not entry.is_folder:
        return f"{entry.bytes} bytes of {entry.modified}"
    if store.find(f"{uri}/{MARKER}") is None:
        return None
    return hashlib.sha256(store.read(f"{uri}/{MARKER}")).hexdigest()


def settle_older(store: Store, own: str, data: str) -> None:
    """Finish or undo what dead runs were publishing under the same name. `own`: a draft made just now, which tells the time."""
    made = store.find(own)
    now = made.modified if made is not None else 0
    for entry in store.entries(beside(own, "").rstrip("/")):
        draft = beside(own, entry.name)
        if not _DRAFT.fullmatch(entry.name) or not entry.is_folder or draft == own:
            continue
        record = store.find(f"{draft}/{NAME}")
        journal = StoreJournal.read(store, draft)
        if record is None or journal is None or journal.data != data:
            continue
        if now - record.modified < _PATIENCE:
            raise DataError(f"Another run is publishing {data}, or was cut short while it did. {SETTLED_LATER}")
        settle(store, draft, undo=False)
        store.delete(draft)


def settle(store: Store, draft: str, *, undo: bool) -> None:
    """Bring the place of a draft into a whole state: the new release if it is complete (and not `undo`), else the state before."""
    journal = StoreJournal.read(store, draft)
    if journal is None or (not undo and recognise(store, beside(draft, journal.data)) == journal.new[journal.data]):
        return
    for name in (journal.data, *(name for name in journal.new if name != journal.data)):
        place = beside(draft, name)
        if recognise(store, place) == journal.new[name]:  # the data first: without it nothing counts as a release
            store.move(place, f"{draft}/{name}")
    for name in sorted(journal.old, key=lambda name: name == journal.data):  # and last when an older release comes back
        aside = f"{draft}/{OLD}/{name}"
        if store.find(aside) is None:
            continue
        if store.find(beside(draft, name)) is not None:
            raise DataError(
                f"{name} was set aside by a run that was cut short, and another has taken its place. The older one lies in "
                f"{name_of(draft)}/{OLD}; move one of the two away."
            )
        store.move(aside, beside(draft, name))
