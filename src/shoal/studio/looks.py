"""What the pages know of the data: kept in the private folder of a project, and looked at again when the data is read otherwise."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from shoal.release.looking.opening import suggestions_json
from shoal.release.looking.profile import Profile, profile, reading_of
from shoal.release.looking.rows import FirstRows, first_rows

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.release.init import Proposal
    from shoal.studio.projects import Project


def keep_proposal(project: Project, proposal: Proposal) -> None:
    """What was seen when a recipe was proposed, so that it need not be looked at twice."""
    project.remember("suggestions", suggestions_json(proposal.suggestions))
    project.remember("notes", list(proposal.notes))
    project.remember("profile", profile(project.recipe, tallies=proposal.tallies).to_json())


def profile_of(project: Project) -> Profile:
    """Of the columns as they are read now."""
    kept = _kept_profile(project.private / "profile.json")
    if kept is not None and kept.reading == reading_of(project.recipe):
        return kept
    fresh = profile(project.recipe)
    project.remember("profile", fresh.to_json())
    return fresh


def _kept_profile(place: Path) -> Profile | None:
    try:
        return _parsed_profile(place, place.stat().st_mtime_ns)
    except (OSError, ValueError, KeyError, TypeError):
        return None


@lru_cache(maxsize=4)
def _parsed_profile(place: Path, changed: int) -> Profile:
    """It may list a million values, and every answer to a border that moved needs it."""
    return Profile.from_json(json.loads(place.read_text(encoding="utf-8")))


def rows_of(project: Project) -> FirstRows:
    """The first ones as they are read now."""
    kept = project.recall("rows")
    if kept is not None and kept.get("reading") == reading_of(project.recipe):
        return FirstRows.from_json(kept)
    fresh = first_rows(project.recipe)
    project.remember("rows", fresh.to_json())
    return fresh


def suggestions_of(project: Project) -> dict[str, dict[str, Any]]:
    """By column, what was proposed and why; empty for recipes that were written elsewhere."""
    kept = project.recall("suggestions")
    return kept if isinstance(kept, dict) else {}
