"""What is about to be published: nothing but what was announced, with its final mode, and on the disk."""

from __future__ import annotations

import os
import secrets
import stat
from typing import TYPE_CHECKING

from shoal.errors import InternalError
from shoal.io.folder import MARKER, Commit, Part, is_leftover, part_files, sha256_of
from shoal.io.journal import Identity, open_new

if TYPE_CHECKING:
    from pathlib import Path


def seal_folder(path: Path, records: int) -> Commit:
    """Write the marker into a folder of part files. What Hadoop leaves beside its files goes."""
    for entry in list(path.iterdir()):
        if is_leftover(entry.name):
            entry.unlink()
    parts = tuple(Part(file.name, file.stat().st_size, sha256_of(file)) for file in part_files(path))
    commit = Commit(secrets.token_hex(16), records, parts)
    with open_new(path / MARKER) as marker:
        marker.write(commit.to_bytes())
    return commit


def harden_file(path: Path, *, private: bool) -> Identity:
    """A regular file."""
    return Identity.stated(_harden(path, private))


def harden_folder(path: Path, commit: Commit, *, private: bool) -> Identity:
    """A folder with a marker and the part files it names."""
    if path.is_symlink() or {entry.name for entry in path.iterdir()} != {MARKER, *(part.name for part in commit.parts)}:
        raise InternalError(f"{path.name} does not hold the files that were verified; nothing was published.")
    for part in commit.parts:
        if _harden(path / part.name, private).st_size != part.bytes:
            raise InternalError(f"{path.name} does not hold the files that were verified; nothing was published.")
    marker = _harden(path / MARKER, private)
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        if private:
            os.fchmod(descriptor, 0o700)
        os.fsync(descriptor)
        return Identity.of_folder(os.fstat(descriptor), marker)
    finally:
        os.close(descriptor)


def _harden(path: Path, private: bool) -> os.stat_result:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise InternalError(f"{path.name} was announced but not written; nothing was published.") from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise InternalError(f"{path.name} is not a regular file; nothing was published.")
        if private:
            os.fchmod(descriptor, 0o600)
        os.fsync(descriptor)
        return os.fstat(descriptor)
    finally:
        os.close(descriptor)
