"""Publishing a release at a URI so that it is there as a whole or not at all.

Two ways, by what the store can do. Where a rename is one step (HDFS), it is as on a disk: a hidden draft folder beside the
destination, sidecars moved first, the data folder last (`renamed_draft`). In an object store a rename copies file by file, so the
files are written where they stay, and the marker `_COMMITTED` is put into the data folder last (`marked_draft`).
"""

from __future__ import annotations

import contextlib
import secrets
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Self

from shoal.errors import InternalError, RecipeError
from shoal.io.folder import MARKER, Commit, Part, Sealed, is_leftover, part_names
from shoal.io.location import beside, name_of, path_of
from shoal.io.publishing.apart import apart, persistently
from shoal.io.publishing.destination import refuse_folder, refuse_name
from shoal.io.publishing.names import DATA_SUFFIXES, SIDECARS, SIGNATURES, sidecar_name
from shoal.io.publishing.store import Store, store_errors

if TYPE_CHECKING:
    from types import TracebackType


class StoreDraft(ABC):
    """What both ways share. Used like `Draft`: inside a `with` block, and only until it is published."""

    scratch = None  # nothing spills to a store

    def __init__(self, session: Any, destination: str, *, replace: bool = False) -> None:
        self.destination, self.name = destination, name_of(destination)
        refuse_name(self.name)
        here = path_of(destination)
        if here is not None:
            refuse_folder(here)
        self._session, self._replace = session, replace
        self._names: dict[str, bool] = {self.name: False}  # name → private
        self._commits: dict[str, Commit] = {}  # of what is a folder, once it is sealed
        self._store = Store(session, destination)
        self._made: list[str] = []  # folders made for the destination

    def __enter__(self) -> Self:
        try:
            with store_errors(f"{self.destination} cannot be written"):
                self._make_parents()
                self._begin()
        except BaseException:
            self._discard()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._discard()

    # ---- writing ------------------------------------------------------------------------------------------------------

    def path(self, name: str, *, private: bool = False) -> str:
        """Where to write a file or folder of the release."""
        self._names[name] = private
        return self.unannounced(name)

    @abstractmethod
    def unannounced(self, name: str) -> str:
        """Where a file or folder would be written; `path` says that it was."""

    @abstractmethod
    def write(self, name: str, data: bytes, *, private: bool = False) -> None:
        """Write a whole file of the release."""

    @abstractmethod
    def publish(self) -> tuple[str, ...]:
        """Let everything be seen; the published URIs, the data first."""

    def seal(self, name: str, records: int) -> Sealed:
        """Nothing will change any more in a folder that was written. Spark reads the files to tell their hashes."""
        folder = self.unannounced(name)
        with store_errors(f"{name} cannot be written"):
            entries = {entry.name: entry for entry in self._store.entries(folder)}
            for leftover in filter(is_leftover, entries):
                self._store.delete(f"{folder}/{leftover}")
            names = part_names(name, {entry.name: entry.is_folder for entry in entries.values()})
            hashes = self._hashes(folder)
        if hashes.keys() != set(names):
            raise InternalError(f"{name} does not hold the files that were verified; nothing was published.")
        parts = tuple(Part(part, entries[part].bytes, hashes[part]) for part in names)
        self._commits[name] = Commit(secrets.token_hex(16), records, parts)
        return self._commits[name].sealed

    def _hashes(self, folder: str) -> dict[str, str]:
        files = self._session.read.format("binaryFile").option("pathGlobFilter", "*.parquet").load(folder)
        rows = files.selectExpr("path", "sha2(content, 256)").collect()  # names and hashes; no content comes here
        return {name_of(path): digest for path, digest in rows}

    # ---- the destination ------------------------------------------------------------------------------------------------

    @abstractmethod
    def _begin(self) -> None:
        """Refuse what is in the way, and make what is needed."""

    def _discard(self) -> None:
        """Remove what was written, as far as that works, and the folders made for it."""
        for work in (self._remove, self._store.close):
            with contextlib.suppress(Exception):
                apart(lambda _, work=work: persistently(work))  # type: ignore[misc]

    def _remove(self) -> None:
        """May be called again when Java did not answer."""
        while self._made:
            self._store.delete_if_empty(self._made[-1])
            self._made.pop()

    def _release_names(self) -> list[str]:
        """Every name a release at this destination may occupy, the data first."""
        return list(
            dict.fromkeys(
                [self.name, *(sidecar_name(self.name, kind) for kind in (*SIDECARS, *SIGNATURES)), *self._names]
            )
        )

    def _refuse_taken(self) -> None:
        if self._store.find(beside(self.destination, MARKER)):
            raise RecipeError(
                f"`[output] path`: {self.name} would lie in a release in a folder. Choose another folder."
            )
        stem = sidecar_name(self.name, "").removesuffix(".")
        for suffix in DATA_SUFFIXES:
            if stem + suffix != self.name and self._store.find(beside(self.destination, stem + suffix)):
                raise RecipeError(
                    f"{stem + suffix} stands in the same folder and would share its report with {self.name}; "
                    "choose another name in `[output] path`."
                )
        for name in self._release_names():
            entry = self._store.find(beside(self.destination, name))
            if entry is not None:
                self._refuse(name, entry.is_folder)

    @abstractmethod
    def _refuse(self, name: str, is_folder: bool) -> None:
        """Something is there already: refuse it, or do nothing when it may be replaced."""

    def _make_parents(self) -> None:
        missing = []
        folder = beside(self.destination, "").rstrip("/")
        while name_of(folder) and self._store.find(folder) is None:
            missing.append(folder)
            folder = beside(folder, "").rstrip("/")
        for folder in reversed(missing):
            self._store.make_folder(folder)
            self._made.append(folder)
