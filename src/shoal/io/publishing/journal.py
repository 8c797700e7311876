"""The record of a publish under way, and how to finish or undo one that was cut short.

A release is several files, and no file system renames several files at once. So before the first rename, the draft folder
receives a journal: which files are about to move, and which older ones are set aside. If the process dies, whoever finds
the draft can tell what had happened:

- the new data file stands at its destination: it moves last, so the release is whole; keep it;
- it does not: take back the sidecars that had moved, and put the older release back, its data file last.

A file is taken for ours only if device, inode, size and modification time all agree, so nothing else is ever removed. A release may
also be a folder of part files; it is known by its own device and inode, and by size and time of the marker inside. A folder is
never emptied where readers look: it moves back into the draft, and goes with it.
"""

from __future__ import annotations

import json
import os
import stat
from dataclasses import asdict, dataclass
from pathlib import Path

from shoal import system
from shoal.errors import DataError
from shoal.io.folder import MARKER
from shoal.system import sync

NAME = "journal.json"
OLD = "old"


@dataclass(frozen=True)
class Identity:
    """Enough to recognise a file, or a folder with a marker, that was moved."""

    device: int
    inode: int
    size: int
    modified: int

    @classmethod
    def of(cls, path: Path) -> Identity | None:
        """None when there is nothing, or neither a regular file nor a folder with a marker."""
        try:
            status = path.lstat()
            if stat.S_ISDIR(status.st_mode):
                marker = (path / MARKER).lstat()
                return cls.of_folder(status, marker) if stat.S_ISREG(marker.st_mode) else None
        except FileNotFoundError:
            return None
        return cls.stated(status) if stat.S_ISREG(status.st_mode) else None

    @classmethod
    def stated(cls, status: os.stat_result) -> Identity:
        return cls(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)

    @classmethod
    def of_folder(cls, status: os.stat_result, marker: os.stat_result) -> Identity:
        """Size and time of the folder itself say little: file systems change them as they like."""
        return cls(status.st_dev, status.st_ino, marker.st_size, marker.st_mtime_ns)


@dataclass(frozen=True)
class Journal:
    """What a run is about to put in place, written down before it does."""

    data: str  # name of the data file
    new: dict[str, Identity]  # by file name, the data file included
    old: tuple[str, ...]  # names set aside in the draft's folder `old`

    def __post_init__(self) -> None:
        if self.data not in self.new:
            raise ValueError("A Journal must list its data file among the new files.")
        for name in (*self.new, *self.old):
            if name != Path(name).name or name in {"", ".", ".."}:
                raise ValueError("A Journal holds bare file names.")

    @property
    def sidecars(self) -> tuple[str, ...]:
        return tuple(name for name in self.new if name != self.data)

    def write(self, draft: Path) -> None:
        with open_new(draft / NAME) as file:
            file.write(json.dumps({"version": 1, **asdict(self)}).encode())
        sync(draft / NAME)
        sync(draft)

    @classmethod
    def read(cls, draft: Path) -> Journal | None:
        """None when there is none or it is incomplete: then no file had moved yet."""
        try:
            stated = json.loads((draft / NAME).read_bytes())
            new = {name: Identity(**identity) for name, identity in stated["new"].items()}
            return cls(stated["data"], new, tuple(stated["old"]))
        except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError):
            return None


def settle(draft: Path, *, undo: bool) -> None:
    """Bring the folder of a draft into a whole state: the new release if it is complete (and not `undo`), else the state before.

    Afterwards the draft folder holds nothing that is needed. Raises OSError when the file system does not let us.
    """
    journal = Journal.read(draft)
    if journal is None:
        return
    folder = draft.parent
    if not undo and Identity.of(folder / journal.data) == journal.new[journal.data]:
        sync(folder)
        return
    for name in (journal.data, *journal.sidecars):  # the data file first: without it nothing counts as a release
        if Identity.of(folder / name) == journal.new[name]:
            if (folder / name).is_dir():
                system.rename(folder / name, draft / name)
            else:
                (folder / name).unlink()
    sync(folder)
    for name in sorted(journal.old, key=lambda name: name == journal.data):  # and last when an older release comes back
        if os.path.lexists(draft / OLD / name):
            if os.path.lexists(folder / name):
                raise DataError(
                    f"{name} was set aside by a run that was cut short, and another file has taken its place. "
                    f"The older one lies in {draft.name}/{OLD}; move one of the two away."
                )
            system.rename(draft / OLD / name, folder / name)
    sync(folder)


def open_new(path: Path, mode: int = 0o666) -> _NewFile:
    """Open a file that must not exist yet, not even as a symbolic link."""
    return _NewFile(system.open_new(path, mode))


class _NewFile:
    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def __enter__(self) -> _NewFile:
        return self

    def __exit__(self, *exc: object) -> None:
        os.close(self._descriptor)

    def write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:  # a write may be short, most of all on a disk that is nearly full
            rest = rest[os.write(self._descriptor, rest) :]
