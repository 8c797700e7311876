"""Files that a command writes beside its answer: pictures, and a report once more. What we wrote there before is replaced."""

from __future__ import annotations

import contextlib
import os
import secrets
from typing import TYPE_CHECKING

from shoal import system
from shoal.errors import DataError, RecipeError
from shoal.io.publishing.journal import open_new

if TYPE_CHECKING:
    from pathlib import Path

# what ours begin with
PICTURE = b"<svg "
PAGE = b"<!doctype html>"


def refuse_foreign(path: Path, begins: bytes) -> None:
    """Refuse a link, which may lead to anything, what is no file, and a file that begins otherwise: we did not write it."""
    if not os.path.lexists(path):
        return
    if system.is_link(path) or not path.is_file():
        raise RecipeError(f"{path.name} is a link or a folder; it is not written over. Choose another name.")
    try:
        with path.open("rb") as file:
            ours = file.read(len(begins)) == begins
    except OSError as reason:
        raise DataError(f"{path.name} cannot be read: {reason.strerror or type(reason).__name__}.") from None
    if not ours:
        raise RecipeError(f"{path.name} exists and was not written by shoal; it is not replaced. Choose another name.")


def overwrite(path: Path, data: bytes) -> None:
    """Write a whole file in one step. Other hard links of what stood there keep what they have."""
    draft = path.with_name(f".shoal-{secrets.token_hex(8)}")
    try:
        with open_new(draft) as file:
            file.write(data)
        system.replace(draft, path)
    except OSError as reason:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise DataError(f"{path.name} cannot be written: {reason.strerror or type(reason).__name__}.") from None
