"""The release that would be made, beside the original."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.release.rehearsal.compared import compare_with_original

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.methods.method import Listener


def compare(recipe: Path, options: dict[str, Any], listener: Listener) -> Any:
    """Figures, pictures, two columns crossed, and what is hidden."""
    return compare_with_original(recipe, listener)
