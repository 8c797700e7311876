"""The release: the same path that `shoal run` takes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.release.run import run
from shoal.release.signature.files import released_files
from shoal.report.signing.headline import spoken

if TYPE_CHECKING:
    from shoal.methods.method import Listener


def publish(recipe: Path, options: dict[str, Any], listener: Listener) -> Any:
    """What `shoal run --json` prints, where the files lie, and what is said of the release. options: `replace`, whether an earlier
    release goes."""
    release = run(recipe, replace=bool(options.get("replace")), listener=listener)
    data = release.files[0]
    return {
        **release.to_json(),
        "places": [str(file) for file in release.files],
        "spoken": spoken(release.described.facts),
        "hashes": _hashes(data) if isinstance(data, Path) else [],
    }


def _hashes(data: Path) -> list[dict[str, Any]]:
    return [
        {"name": file.name, "bytes": _size(data.parent / file.name), "sha256": file.sha256}
        for file in released_files(data)
    ]


def _size(place: Path) -> int:
    return sum(part.stat().st_size for part in place.iterdir()) if place.is_dir() else place.stat().st_size
