"""The files of a release on disk, and what each holds."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from shoal.errors import DataError
from shoal.io.folder import sha256_of
from shoal.io.publishing.names import SIDECARS, SIGNATURES, family, sidecar, sidecar_name
from shoal.release.signature.statement import SignedFile

if TYPE_CHECKING:
    from pathlib import Path


def released_files(release: Path) -> tuple[SignedFile, ...]:
    """All files of the release, the data first; tables of a folder one by one. What signs is not among them."""
    signatures = {sidecar_name(release.name, kind) for kind in SIGNATURES}
    files: list[SignedFile] = []
    try:
        for name in family(release.name):
            place = release.with_name(name)
            if name in signatures or not place.exists():
                continue
            if not place.is_dir():
                files.append(SignedFile(name, sha256_of(place)))
            elif name == release.name:
                listing = "".join(f"{sha256_of(part)}  {part.name}\n" for part in _parts(place))
                files.append(SignedFile(name, hashlib.sha256(listing.encode()).hexdigest()))
            else:
                files += [SignedFile(f"{name}/{part.name}", sha256_of(part)) for part in _parts(place)]
    except OSError as fault:
        raise DataError(f"The files of {release.name} cannot be read: {fault.strerror}.") from None
    return tuple(files)


def file_beside(release: Path, kind: str) -> Path | None:
    """A file of the release by its kind, such as "report.html"; "data" is the release itself. None where there is none."""
    if kind != "data" and kind not in (*SIDECARS, *SIGNATURES):
        return None
    place = release if kind == "data" else sidecar(release, kind)
    return place if place.is_file() and not place.is_symlink() else None


def _parts(folder: Path) -> list[Path]:
    """As every reader of such folders sees them: what begins with `_` or `.` is no data."""
    return sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith(("_", ".")))
