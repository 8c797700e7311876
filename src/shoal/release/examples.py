"""Made-up data to try shoal on. Nobody in it exists; the same bytes every time."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from shoal.errors import RecipeError
from shoal.release.kinds.registry import KINDS

if TYPE_CHECKING:
    from pathlib import Path


EXAMPLES = (  # name → in words
    ("table", "Patients, one diagnosis each"),
    ("baskets", "What customers bought together"),
    ("patients", "Patients with several diagnoses each"),
    ("trees", "Visits with diagnoses with treatments"),
)
ORIGIN = (
    "They ship with shoal, which makes them up when they are asked for: nobody in them exists, and nothing is fetched."
)
LICENCE = "Licence: Apache-2.0, as shoal itself. Data of others that examples in the source use: docs/data.md there."


def write_example(name: str, folder: Path) -> tuple[Path, ...]:
    """The files written, the recipe last."""
    examples = {kind.example.name: kind.example for kind in KINDS.values()}
    if name not in examples:
        raise RecipeError(f"There is no example called '{name}'. Examples: {', '.join(examples)}.")
    texts = examples[name].files()
    paths = tuple(folder / file for file in texts)
    taken = [path.name for path in paths if os.path.lexists(path)]
    if taken:
        raise RecipeError(f"{folder.name} has {', '.join(taken)} already. Choose an empty folder.")
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_text(text, encoding="utf-8", newline="")
    return paths
