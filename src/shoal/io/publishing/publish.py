"""Publishing a release so that it is there as a whole or not at all.

Files are written into a hidden draft folder beside the destination (so that a rename suffices), verified there by others, and
moved to their places by `Draft.publish`: sidecars first, the data file last. A data file at the destination therefore means: a
whole, verified release. See `journal` for what happens when the process dies in between. What a cluster writes is a folder of part
files; it moves by one rename as well, with a marker inside (see `folder`).
"""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Self

from shoal import system
from shoal.errors import DataError, RecipeError
from shoal.io.folder import Sealed, holds_a_release, sha256_of
from shoal.io.publishing import journal
from shoal.io.publishing.destination import Known, refuse_folder, refuse_name
from shoal.io.publishing.harden import harden_file, harden_folder, seal_folder
from shoal.io.publishing.journal import Identity, Journal, open_new, settle
from shoal.io.publishing.names import ASSIGNMENT, DATA_SUFFIXES, SIDECARS, family, sidecar, sidecar_name
from shoal.io.publishing.sweep import LOCK, draft_name, locked, reason, storage_errors, sweep, sweep_locked
from shoal.system import sync

if TYPE_CHECKING:
    from types import TracebackType

    from shoal.io.folder import Commit

__all__ = ["ASSIGNMENT", "DATA_SUFFIXES", "SIDECARS", "Draft", "sidecar", "sidecar_name", "storage_errors", "sweep"]

_SCRATCH = "scratch"


class Draft:
    """A release in the making. Leaving the `with` block without `publish` deletes it; nothing remains.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with Draft(folder / "people.csv") as draft:
    ...     _ = draft.path("people.csv").write_text("age\\n39\\n")
    ...     draft.write("people.report.json", b"{}")
    ...     [path.name for path in draft.publish()]
    ['people.csv', 'people.report.json']
    """

    def __init__(self, destination: Path, *, replace: bool = False) -> None:
        refuse_name(destination.name)
        self.destination = destination.absolute()
        self._replace = replace
        self._known = Known()
        self._names: dict[str, bool] = {self.destination.name: False}  # name → private
        self._folders: dict[str, Commit] = {}  # what is a folder of part files, once it is sealed
        self._made: list[Path] = []  # folders made for the destination
        self._folder: Path | None = None
        self._lock = -1
        self._keep = False  # the draft holds something that is needed; leave it to `sweep`

    # ---- life ---------------------------------------------------------------------------------------------------------

    def __enter__(self) -> Self:
        parent = self.destination.parent
        with storage_errors(f"{self.destination.name} cannot be written"):
            try:
                refuse_folder(self.destination)
                self._make_parents()
                if self._replace:
                    self._recognise_earlier()
                with locked(parent):
                    sweep_locked(parent)
                    self._refuse_taken()
                    self._folder = parent / draft_name()
                    self._folder.mkdir(mode=0o700)
                    self._lock = system.lock_file(self._folder / LOCK, new=True)
            except BaseException:
                self._discard()
                raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._discard()
        # What an engine or a library could not write is the storage's fault, whichever of them met it.
        if isinstance(error, OSError):
            raise DataError(
                f"{self.destination.name} cannot be written: {reason(error)}. Nothing was published."
            ) from error
        if kind is not None and kind.__name__ == "IOException" and "duckdb" in kind.__module__:
            raise DataError(
                f"{self.destination.name} cannot be written: the engine met an input or output error. Nothing was published."
            ) from error

    # ---- writing ------------------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Of the data file."""
        return self.destination.name

    def path(self, name: str, *, private: bool = False) -> Path:
        """Where to write a file of the release. `private` ones are published with mode 0600."""
        path = self.unannounced(name)
        self._names[name] = private
        return path

    def unannounced(self, name: str) -> Path:
        """Where a file of the release would be written; `path` says that it was."""
        if name != Path(name).name or name in {"", ".", "..", LOCK, _SCRATCH, journal.NAME, journal.OLD}:
            raise ValueError(f"{name!r} cannot be the name of a file of a release.")
        return self._opened / name

    def write(self, name: str, data: bytes, *, private: bool = False) -> None:
        """Write a whole file of the release."""
        path = self.path(name, private=private)
        with storage_errors(f"{name} cannot be written"), open_new(path, 0o600 if private else 0o666) as file:
            file.write(data)

    def seal(self, name: str, records: int) -> Sealed:
        """Nothing will change any more in what was written. A folder gets its marker now."""
        path = self.unannounced(name)
        with storage_errors(f"{name} cannot be written"):
            if not path.is_dir():
                return Sealed(sha256_of(path))
            self._folders[name] = seal_folder(path, records)
        return self._folders[name].sealed

    @property
    def scratch(self) -> Path:
        """A folder for an engine to spill to; it vanishes with the draft."""
        folder = self._opened / _SCRATCH
        with storage_errors(f"{self.destination.name} cannot be written"):
            folder.mkdir(mode=0o700, exist_ok=True)
        return folder

    # ---- publishing ---------------------------------------------------------------------------------------------------

    def publish(self) -> tuple[Path, ...]:
        """Move every file to its place; the published paths, the data file first."""
        draft, folder = self._opened, self.destination.parent
        with storage_errors(f"{self.destination.name} cannot be published"):
            names = sorted(self._names.items(), key=lambda entry: entry[1])  # what may be passed on comes first
            new = {name: self._harden(name, private) for name, private in names}
            with locked(folder):
                self._refuse_taken()
                old = tuple(path.name for path in self._release_files() if os.path.lexists(path))
                plan = Journal(self.destination.name, new, old)
                (draft / journal.OLD).mkdir(mode=0o700)
                plan.write(draft)
                self._keep = True
                try:
                    self._move(plan)
                except BaseException:
                    self._take_back(draft, plan)
                    self._keep = False
                    raise
                self._keep = False
        with contextlib.suppress(OSError):
            (draft / journal.NAME).unlink()  # before the rest: the release stands, there is nothing to undo any more
        self._discard()
        return (self.destination, *(folder / name for name in plan.sidecars))

    def _move(self, plan: Journal) -> None:
        draft, folder = self._opened, self.destination.parent
        # `old` starts with the data file: no data file ever stands beside the sidecars of another release
        for name in plan.old:
            system.rename(folder / name, draft / journal.OLD / name)
        sync(folder)
        for name in plan.sidecars:
            system.rename(draft / name, folder / name)
        sync(folder)
        system.rename(draft / plan.data, folder / plan.data)
        sync(folder)
        for made in self._made:
            sync(made.parent.resolve())  # further up a link is ordinary

    def _take_back(self, draft: Path, plan: Journal) -> None:
        """Undo what was moved. Where the file system does not let us, the draft and its journal stay, for `sweep`."""
        try:
            settle(draft, undo=True)
        except OSError as error:
            if Identity.of(self.destination) != plan.new[plan.data]:
                raise
            raise DataError(
                f"{self.destination.name} was published as a whole, but the disk fails ({reason(error)}): it may be lost when the "
                "machine stops, and it could not be taken back. Look after the disk, then run again with --replace."
            ) from error

    def _harden(self, name: str, private: bool) -> Identity:
        path = self._opened / name
        if name in self._folders:
            return harden_folder(path, self._folders[name], private=private)
        return harden_file(path, private=private)

    # ---- the destination ------------------------------------------------------------------------------------------------

    @property
    def _opened(self) -> Path:
        if self._folder is None:
            raise ValueError("A Draft is used inside its `with` block, and only until it is published.")
        return self._folder

    def _release_files(self) -> list[Path]:
        """Every path a release at this destination may occupy, the data file first."""
        names = dict.fromkeys([*family(self.destination.name), *self._names])
        return [self.destination.with_name(name) for name in names]

    def _refuse_taken(self) -> None:
        stem = sidecar(self.destination, "").name
        for suffix in DATA_SUFFIXES:
            other = self.destination.with_name(stem.removesuffix(".") + suffix)
            if other != self.destination and os.path.lexists(other):
                raise RecipeError(
                    f"{other.name} stands in the same folder and would share its report with {self.destination.name}; "
                    "choose another name in `[output] path`."
                )
        taken = [path for path in self._release_files() if os.path.lexists(path)]
        for path in taken:
            if system.is_link(path):
                raise RecipeError(f"{path.name} in the output folder is a symbolic link; it is not written through.")
            if not path.is_file() and not holds_a_release(path):  # what is replaced will be deleted
                raise RecipeError(
                    f"{path.name} in the output folder is not a file, and not a release in a folder either."
                )
            if not self._replace:
                raise RecipeError(f"{path.name} exists already. Choose another `[output] path`, or say --replace.")
        self._known.refuse_others(self.destination, [path for path in taken if path.is_file()])

    def _recognise_earlier(self) -> None:
        """Read the data of an earlier release, which may take a while, without holding up others; what counts is decided later."""
        sweep(self.destination.parent)
        with contextlib.suppress(RecipeError, OSError):
            self._refuse_taken()

    def _make_parents(self) -> None:
        missing = []
        folder = self.destination.parent
        while not folder.exists():
            missing.append(folder)
            folder = folder.parent
        for folder in reversed(missing):
            with contextlib.suppress(FileExistsError):  # another run may be making it as well
                folder.mkdir()
                self._made.append(folder)

    def _discard(self) -> None:
        """Remove the draft and the folders made for it, as far as that works; `sweep` gets the rest."""
        if self._folder is not None and not self._keep:
            shutil.rmtree(self._folder, ignore_errors=True)
        if self._lock >= 0:
            os.close(self._lock)
        if system.KEEPS_OPEN_FILES and self._folder is not None and not self._keep:  # its lock was open
            shutil.rmtree(self._folder, ignore_errors=True)
        self._folder, self._lock = None, -1
        for folder in reversed(self._made):
            with contextlib.suppress(OSError):
                folder.rmdir()
        self._made.clear()
