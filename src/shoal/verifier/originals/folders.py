"""Folders of files: which files are data, and whether a folder that names its files still holds them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from shoal.errors import DataError
from shoal.verifier.files.opening import first_bytes

if TYPE_CHECKING:
    from pathlib import Path

_MARKER = "_COMMITTED"
_MOST = 64 << 20  # bytes of a marker


def data_files(folder: Path) -> tuple[Path, ...]:
    """In the order of their names. Names that begin with `_` or `.` are not data."""
    try:
        entries = sorted(folder.iterdir(), key=lambda path: path.name)
    except OSError as error:
        raise DataError(f"{folder.name}: cannot be read ({error.strerror or type(error).__name__}).") from None
    return tuple(path for path in entries if not path.name.startswith(("_", ".")))


def check_marker(folder: Path) -> None:
    """Refuse a folder that does not hold the files, by name and size, that its marker speaks of."""
    marker = folder / _MARKER
    if not marker.exists():
        return
    files = {path.name: path.stat().st_size for path in data_files(folder)}
    if _stated(marker) != files:
        raise DataError(f"{folder.name}: its files are not, or no longer, those that {_MARKER} speaks of.")


def _stated(marker: Path) -> dict[str, int]:
    text = first_bytes(marker, _MOST + 1)
    try:
        if len(text) > _MOST:
            raise ValueError("no marker is so long")
        stated: Any = json.loads(text.decode("utf-8"))
        return {str(part["name"]): int(part["bytes"]) for part in stated["parts"]}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise DataError(f"{marker.parent.name}: {_MARKER} cannot be read.") from None
