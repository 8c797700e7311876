"""What is about to be published: nothing but what was announced, with its final mode, and on the disk."""

from __future__ import annotations

import secrets
import stat
from typing import TYPE_CHECKING

from shoal import system
from shoal.errors import InternalError
from shoal.io.folder import MARKER, Commit, Part, is_leftover, part_files, sha256_of
from shoal.io.publishing.journal import Identity, open_new

if TYPE_CHECKING:
    import os
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
    if system.is_link(path) or {entry.name for entry in path.iterdir()} != {
        MARKER,
        *(part.name for part in commit.parts),
    }:
        raise InternalError(f"{path.name} does not hold the files that were verified; nothing was published.")
    for part in commit.parts:
        if _harden(path / part.name, private).st_size != part.bytes:
            raise InternalError(f"{path.name} does not hold the files that were verified; nothing was published.")
    marker = _harden(path / MARKER, private)
    return Identity.of_folder(system.harden_folder(path, private=private), marker)


def _harden(path: Path, private: bool) -> os.stat_result:
    try:
        status = system.harden_file(path, private=private)
    except FileNotFoundError:
        raise InternalError(f"{path.name} was announced but not written; nothing was published.") from None
    if not stat.S_ISREG(status.st_mode):
        raise InternalError(f"{path.name} is not a regular file; nothing was published.")
    return status
