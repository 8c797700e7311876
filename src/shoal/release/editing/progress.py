"""How far the work on a recipe is, told from its text and from what lies beside it."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.data.documents import MAX_TOML, read_text, read_toml

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class RecipeProgress:
    """`columns`: 0 of a recipe that cannot be read."""

    columns: int = 0
    waiting: int = 0  # still to be confirmed
    published: dt.date | None = None

    @property
    def sentence(self) -> str:
        """For a list of recipes."""
        if self.published is not None:
            return f"Published on {self.published:%-d %B %Y}"
        if not self.columns:
            return "Cannot be read"
        if self.waiting:
            return f"{self.columns - self.waiting:,} of {self.columns:,} columns confirmed"
        return f"All {self.columns:,} columns confirmed, not published yet"

    @property
    def step(self) -> str:
        """The page on which it goes on."""
        if self.published is not None:
            return "publish"
        return "open" if not self.columns else "columns" if self.waiting else "promise"


def progress_of(recipe: Path) -> RecipeProgress:
    """Never an error: a recipe that cannot be read is told as such."""
    try:
        values = read_toml(read_text(recipe, MAX_TOML))
    except (OSError, ValueError):
        return RecipeProgress()
    columns = values.get("columns")
    entries = [one for one in columns.values() if isinstance(one, dict)] if isinstance(columns, dict) else []
    output = values.get("output")
    place = output.get("path") if isinstance(output, dict) else None
    published = None
    if isinstance(place, str) and "://" not in place:
        try:
            published = dt.date.fromtimestamp((recipe.parent / place).stat().st_mtime)
        except (OSError, ValueError):
            published = None
    return RecipeProgress(len(entries), sum(bool(one.get("suggested")) for one in entries), published)
