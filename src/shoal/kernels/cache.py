"""Where compiled code is kept: where the user says, or in the user's cache, or in a private folder among the temporary ones.

Numba refuses to compile what it cannot keep, so a user without a home folder gets a temporary one. What lies in it is run when it
is read, so a folder that somebody else could have filled is never taken: `/tmp` belongs to everyone, its names can be guessed.
"""

from __future__ import annotations

import errno
import os
import tempfile
import warnings
from contextlib import suppress
from pathlib import Path

from shoal.system import is_guarded as _is_guarded
from shoal.system import is_private as _is_ours

_PREFIX = "shoal-kernels-"


def find_room() -> Path:
    """NUMBA_CACHE_DIR, if it is set; the user's cache, if only the user can write to it; or else a private folder."""
    if stated := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(stated) / "shoal"
    with suppress(OSError, RuntimeError):  # no home folder, or one that is not to be written
        return _users_cache()
    return private_folder()


def _users_cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME", "")
    room = (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "shoal"
    room.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not _is_ours(room):
        raise PermissionError(errno.EACCES, "others could have filled it")
    tempfile.TemporaryFile(dir=room).close()
    return room


def private_folder() -> Path:
    """The one an earlier process of this user made, or a new one."""
    for place in dict.fromkeys(map(Path, (_temporary(), "/tmp", "/var/tmp"))):
        with suppress(OSError):  # not there, or not to be written
            if _is_guarded(place):
                return next(filter(_is_ours, sorted(place.glob(f"{_PREFIX}*"))), None) or _new(place)
    raise OSError(
        errno.EACCES, "there is no folder for compiled code. Set NUMBA_CACHE_DIR to one that only you can write to"
    )


def _new(place: Path) -> Path:
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))  # mode 0700
    warnings.warn(
        f"Compiled code is kept in {folder}, for nothing can be written to your home folder. Set NUMBA_CACHE_DIR "
        f"to a folder of your own to keep it for longer.",
        RuntimeWarning,
        stacklevel=2,
    )
    return folder


def _temporary() -> str:
    """Where the user keeps temporary files: Windows calls it TEMP."""
    return os.environ.get("TMPDIR") or os.environ.get("TEMP") or "/tmp"
