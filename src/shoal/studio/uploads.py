"""A file that was dropped on the page goes into a folder of its own, under its bare name, for this person only."""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from shoal import system
from shoal.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

    from shoal.studio.projects import Projects

_PIECE = 1 << 20
_LONGEST = 120  # signs of a name


def bare_name(name: str) -> str:
    """The name of a file without any folder, as it can stand in one."""
    last = PurePosixPath(name.replace("\\", "/")).name
    plain = re.sub(r"[\x00-\x1f\x7f/:*?\"<>|]", "_", last).strip(" .")
    if not plain:
        raise DataError("The file has no name. Choose one.")
    stem, dot, suffix = plain.partition(".")
    return (stem[:_LONGEST] + dot + suffix)[: _LONGEST + 20]


def keep_upload(projects: Projects, name: str, stream: BinaryIO) -> Path:
    """Where it was put: a new folder, in which nothing else is."""
    bare = bare_name(name)
    folder = projects.new_folder(bare.split(".")[0])
    place = folder / ("recipe.toml" if bare.lower().endswith(".toml") else bare)
    try:
        with os.fdopen(system.open_new(place, 0o600), "wb") as file:
            while piece := stream.read(_PIECE):
                file.write(piece)
    except OSError as reason:
        drop_upload(place)
        raise DataError(f"{bare} cannot be kept: {(reason.strerror or 'unknown').lower()}.") from None
    return place


def drop_upload(place: Path) -> None:
    """Take back a file that cannot be opened, with its folder when nothing else is in it."""
    place.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        place.parent.rmdir()
