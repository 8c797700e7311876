"""Locks on folders and drafts, and cleaning up after runs that were killed.

Two locks. Each draft folder holds a file that its owner keeps locked; when that lock is free, the owner is dead and its draft
may go. The destination folder is locked while drafts are made, swept or published in it, so that no draft is ever seen
half made. Both are locks of the operating system: they end with the process, however it ends.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import time
from typing import TYPE_CHECKING

from shoal import system
from shoal.errors import DataError
from shoal.io.publishing.journal import settle

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LOCK = "lock"
_DRAFT = re.compile(r"\.shoal-draft-[0-9a-f]{16}")
_PATIENCE = 30.0  # seconds to wait for another run that is publishing


def draft_name() -> str:
    """A new name for a draft, which nobody can guess."""
    return f".shoal-draft-{secrets.token_hex(8)}"


def sweep(folder: Path) -> int:
    """Clean up after runs that were killed: settle what they were publishing, delete their drafts. Returns how many."""
    if not folder.is_dir():
        return 0
    with storage_errors(f"Leftovers in {folder.name} cannot be removed"), locked(folder):
        return sweep_locked(folder)


def sweep_locked(folder: Path) -> int:
    """Under the lock of `folder`, so no draft in it is half made."""
    swept = 0
    for draft in sorted(folder.iterdir()):
        if not _DRAFT.fullmatch(draft.name) or system.is_link(draft) or not draft.is_dir():
            continue
        if not system.is_mine(draft) or not _owner_is_dead(draft):
            continue
        settle(draft, undo=False)
        shutil.rmtree(draft, ignore_errors=True)
        swept += not draft.exists()
    return swept


def _owner_is_dead(draft: Path) -> bool:
    try:
        os.close(system.lock_file(draft / LOCK, new=False))
    except FileNotFoundError:
        return True  # killed before the lock was made
    except BlockingIOError:
        return False
    return True


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """While it lasts no other run works in the folder."""
    give_up = time.monotonic() + _PATIENCE
    while True:
        try:
            free = system.take_folder(folder)
            break
        except BlockingIOError:
            if time.monotonic() > give_up:
                raise DataError(f"Another run has been publishing into {folder.name} for {_PATIENCE:.0f} s.") from None
            time.sleep(0.05)
    try:
        yield
    finally:
        free()


@contextlib.contextmanager
def storage_errors(what: str) -> Iterator[None]:
    """A full disk, a missing permission or a broken drive as a DataError."""
    try:
        yield
    except OSError as error:
        raise DataError(f"{what}: {reason(error)}. Nothing was published.") from error


def reason(error: OSError) -> str:
    """What the operating system says, without a path."""
    return error.strerror or "input or output error"
