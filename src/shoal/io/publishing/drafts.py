"""A release in the making, wherever its destination lies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import RecipeError
from shoal.io.location import renames_at_once
from shoal.io.publishing.marked_draft import MarkedDraft
from shoal.io.publishing.publish import Draft
from shoal.io.publishing.renamed_draft import RenamedDraft
from shoal.io.publishing.store_draft import StoreDraft
from shoal.io.publishing.uploaded_draft import UploadedDraft
from shoal.io.stores.address import is_store

if TYPE_CHECKING:
    from shoal.io.location import Location

AnyDraft = Draft | StoreDraft | UploadedDraft


def draft_at(destination: Location, *, replace: bool = False, session: Any = None) -> AnyDraft:
    """`session`: of Spark; what it writes to a URI needs its JVM here, which Spark Connect has not."""
    if isinstance(destination, Path):
        return Draft(destination, replace=replace)
    if session is None and is_store(destination):
        return UploadedDraft(destination, replace=replace)
    if getattr(session, "_jvm", None) is None:
        raise RecipeError(
            "output.path: a URI is written through the Java process of a Spark session, and there is none here. With Spark Connect "
            "(`remote`) give a path on a file system that Spark and this process both see."
        )
    kind = RenamedDraft if renames_at_once(destination) else MarkedDraft
    return kind(session, destination.rstrip("/"), replace=replace)
