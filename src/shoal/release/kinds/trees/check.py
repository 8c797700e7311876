"""What a check of a release of trees takes from beside it: the rules it was made by, or who shows what. Neither is believed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal.data.documents import MAX_JSON, read_json, read_text
from shoal.errors import DataError
from shoal.io.location import beside, name_of
from shoal.io.publishing.names import ASSIGNMENT, sidecar, sidecar_name
from shoal.io.stores.address import is_store
from shoal.io.stores.files import StoreFiles, store_errors

_MANIFEST = "manifest.private.json"


def rules_of(manifest: Any, release: Any) -> Any:
    """The rules that a release was made by: as they are given, or from the private manifest: the given one, or that beside it."""
    if isinstance(manifest, dict):
        return manifest.get("recoding", manifest)
    if manifest is None and isinstance(release, str) and is_store(release):
        return _stored_rules(release)
    if manifest is None:
        if not isinstance(release, Path):
            return None
        manifest = sidecar(release, _MANIFEST)
        if not manifest.exists():
            return None
    path = Path(manifest)
    try:
        text = read_text(path, MAX_JSON)
    except (OSError, ValueError):
        text = ""
    return _recoding(path.name, text)


def _stored_rules(release: str) -> Any:
    files, place = StoreFiles(release), beside(release, sidecar_name(name_of(release), _MANIFEST))
    with store_errors(f"{name_of(place)} cannot be read"):
        entry = files.find(place)
        if entry is None or entry.is_folder or entry.bytes > MAX_JSON:
            return None
        return _recoding(name_of(place), files.read(place).decode("utf-8", "replace"))


def _recoding(name: str, text: str) -> Any:
    try:
        recoding: Any = read_json(text)["recoding"]
        form = recoding["kind"]
    except (ValueError, KeyError, TypeError):
        raise DataError(f"{name} is not the private manifest of a release of trees.") from None
    return recoding if form == "trees" else None  # classes that show one tree have no rules, but an assignment


def assignment_beside(release: Any) -> Path | str | None:
    """Of classes that show one tree: the private file beside the release that says who shows what."""
    if isinstance(release, str) and is_store(release):
        place = beside(release, sidecar_name(name_of(release), ASSIGNMENT))
        return place if StoreFiles(release).find(place) is not None else None
    if not isinstance(release, Path):
        return None
    assignment = sidecar(release, ASSIGNMENT)
    return assignment if assignment.exists() else None
