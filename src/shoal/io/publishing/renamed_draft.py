"""Publishing at a URI where renaming a folder is one step: HDFS, a shared disk. `store_journal` is for runs that die on the way."""

from __future__ import annotations

import contextlib
import hashlib
from typing import TYPE_CHECKING

from shoal.errors import DataError, RecipeError
from shoal.io.folder import MARKER, Sealed
from shoal.io.location import beside, name_of
from shoal.io.publishing.apart import apart, is_of_spark, persistently
from shoal.io.publishing.destination import ADVICE, LARGEST, Earlier
from shoal.io.publishing.store import check_store_folder, kind_of, store_errors
from shoal.io.publishing.store_draft import StoreDraft
from shoal.io.publishing.store_journal import OLD, SETTLED_LATER, StoreJournal, settle, settle_older
from shoal.io.publishing.sweep import draft_name

if TYPE_CHECKING:
    from threading import Event


class RenamedDraft(StoreDraft):
    """For stores in which renaming a folder is one step."""

    _folder: str | None = None
    _keep = False  # the draft holds something that is needed; leave it to the next run

    def _begin(self) -> None:
        self._folder = beside(self.destination, draft_name())
        self._store.make_folder(self._folder, mode="700")
        self._store.delete_at_exit(self._folder)
        settle_older(self._store, self._folder, self.name)
        self._refuse_taken()

    def unannounced(self, name: str) -> str:
        if self._folder is None:
            raise ValueError("A draft is used inside its `with` block, and only until it is published.")
        return f"{self._folder}/{name}"

    def write(self, name: str, data: bytes, *, private: bool = False) -> None:
        with store_errors(f"{name} cannot be written"):
            self._store.write(self.path(name, private=private), data, mode="600" if private else None)

    def seal(self, name: str, records: int) -> Sealed:
        sealed = super().seal(name, records)
        with store_errors(f"{name} cannot be written"):
            folder = self.unannounced(name)
            self._store.write(f"{folder}/{MARKER}", self._commits[name].to_bytes())
            if self._names[name]:
                for entry in self._store.entries(folder):
                    self._store.protect(f"{folder}/{entry.name}", "600")
                self._store.protect(folder, "700")
        return sealed

    def publish(self) -> tuple[str, ...]:
        """Move everything to its place; the published URIs, the data first."""
        draft = self.unannounced("").rstrip("/")
        with store_errors(f"{self.destination} cannot be published"):
            new = sorted(self._names, key=lambda name: self._names[name])  # what may be passed on comes first
            self._refuse_taken()
            old = [name for name in self._release_names() if self._store.find(beside(self.destination, name))]
            journal = StoreJournal.of(self._store, draft, self.name, new, old)
            self._store.make_folder(f"{draft}/{OLD}", mode="700")
            journal.write(self._store, draft)
            self._store.keep_at_exit(draft)  # from here on it may hold the older release
            self._keep = True
            apart(lambda stopped: self._move(journal, draft, stopped))
        with contextlib.suppress(Exception):
            journal.forget(self._store, draft)  # before the rest: the release stands, there is nothing to undo any more
        self._discard()
        return tuple(beside(self.destination, name) for name in new)

    def _move(self, journal: StoreJournal, draft: str, stopped: Event) -> None:
        # `old` starts with the data: no data ever stands beside the sidecars of another release
        older = [(beside(self.destination, name), f"{draft}/{OLD}/{name}") for name in journal.old]
        names = (*(name for name in journal.new if name != journal.data), journal.data)
        try:
            for place, target in (*older, *((f"{draft}/{name}", beside(self.destination, name)) for name in names)):
                self._store.move(place, target)
                if stopped.is_set():
                    raise InterruptedError
        except BaseException:
            self._undo(draft)
            self._keep = False
            raise
        self._keep = False

    def _undo(self, draft: str) -> None:
        try:
            persistently(lambda: settle(self._store, draft, undo=True))
        except Exception as error:
            if not is_of_spark(error):
                raise
            raise DataError(
                f"Publishing {self.name} was cut short, and what was begun could not be undone ({kind_of(error)}). What is missing "
                f"of an older release lies in {name_of(draft)}/{OLD} beside it. {SETTLED_LATER}"
            ) from None

    def _refuse(self, name: str, is_folder: bool) -> None:
        if not self._replace:
            raise RecipeError(f"{name} exists already. Choose another `[output] path`, or say --replace.")
        if is_folder:
            try:  # what is replaced will be deleted
                check_store_folder(self._store, beside(self.destination, name), marked=True)
            except DataError:
                raise RecipeError(f"{name} at the output path is a folder that does not hold a release.") from None
        elif name == self.name:
            raise RecipeError(f"{name} at the output path is a file, and a release is a folder here. {ADVICE}")
        else:
            earlier = Earlier(self.name, self._text)
            earlier.refuse_file(name, lambda: hashlib.sha256(self._text(name) or b"").hexdigest())

    def _text(self, name: str) -> bytes | None:
        """Of a small file beside the data; None where there is none."""
        place = beside(self.destination, name)
        entry = self._store.find(place)
        return self._store.read(place) if entry is not None and not entry.is_folder and entry.bytes <= LARGEST else None

    def _remove(self) -> None:
        if self._folder is not None and not self._keep:
            self._store.delete(self._folder)
        self._folder = None
        super()._remove()
