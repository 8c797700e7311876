"""Publishing in an object store, where renaming a folder copies file by file: S3, Google Cloud Storage, Azure.

Everything is written where it stays, under names that nothing had before; then one small object, `_COMMITTED` in the data folder,
says that the release is whole. Putting an object is one step in every such store. Readers look for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.errors import RecipeError
from shoal.io.folder import MARKER
from shoal.io.location import beside
from shoal.io.publishing.apart import apart
from shoal.io.publishing.store import store_errors
from shoal.io.publishing.store_draft import StoreDraft

if TYPE_CHECKING:
    from threading import Event


class MarkedDraft(StoreDraft):
    """For stores in which a rename may be seen half done. A run that is killed leaves a folder without a marker."""

    _begun = False

    def __init__(self, session: Any, destination: str, *, replace: bool = False) -> None:
        super().__init__(session, destination, replace=replace)
        self._waiting: dict[str, bytes] = {}  # the sidecars: small, and put in their places only when all is decided
        self._written: list[str] = []

    def _begin(self) -> None:
        self._refuse_taken()
        self._begun = True

    def unannounced(self, name: str) -> str:
        if not self._begun:
            raise ValueError("A draft is used inside its `with` block, and only until it is published.")
        uri = beside(self.destination, name)
        if uri not in self._written:
            self._written.append(uri)
        return uri

    def write(self, name: str, data: bytes, *, private: bool = False) -> None:
        self.path(name, private=private)
        self._waiting[name] = data

    def publish(self) -> tuple[str, ...]:
        names = sorted(self._names, key=lambda name: self._names[name])
        with store_errors(f"{self.destination} cannot be published"):
            apart(self._put)
        self._written, self._made = [], []
        self._discard()
        return tuple(beside(self.destination, name) for name in names)

    def _put(self, stopped: Event) -> None:
        for name, data in self._waiting.items():
            if stopped.is_set():
                raise InterruptedError
            self._store.write(beside(self.destination, name), data, mode="600" if self._names[name] else None)
        for name in sorted(self._commits, key=lambda name: name == self.name):  # the data last: this is the moment
            if stopped.is_set():
                raise InterruptedError
            self._store.write(f"{beside(self.destination, name)}/{MARKER}", self._commits[name].to_bytes())

    def _refuse(self, name: str, is_folder: bool) -> None:
        raise RecipeError(
            f"{name} exists already, and this store cannot replace a release in one step. Choose another `[output] path`; "
            f"delete {name} if it is a folder that a run left without a {MARKER}."
        )

    def _remove(self) -> None:
        self._begun = False
        while self._written:
            self._store.delete(self._written[-1])
            self._written.pop()
        super()._remove()
