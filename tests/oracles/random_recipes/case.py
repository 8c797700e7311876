"""One random recipe with its data, as files in a folder, and how a release of it is judged."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import pyarrow as pa

Rows = list[dict[str, Any]]  # of a release: texts, None for a missing value, lists of items
IN_MEMORY = 0.5  # how many cases are handed over as a frame: less work around the core, so that more are tried
CANARY = "canary"  # begins every value of an identifying column: found in no public file


@dataclass(frozen=True, eq=False)
class Case:
    recipe: Mapping[str, Any]
    files: Mapping[str, bytes]  # the data, and hierarchies
    breaches: Callable[[Rows], list[str]]  # what a release breaks, from the definitions
    frame: pa.Table | None = None  # the same data, where it can also be handed over in memory
    tags: tuple[str, ...] = field(default=())  # what the case tries, so that a run can tell what was tried

    def write(self, folder: Path) -> Path:
        """The recipe."""
        for name, content in self.files.items():
            (folder / name).write_bytes(content)
        recipe = folder / "recipe.toml"
        recipe.write_text(toml(self.recipe), encoding="utf-8")
        return recipe


def seeded(kind: str, seed: int, number: int) -> random.Random:
    """A case can be made again from these three."""
    return random.Random(f"{kind}/{seed}/{number}")


def toml(recipe: Mapping[str, Any]) -> str:
    lines = [f"{key} = {_value(value)}" for key, value in recipe.items() if not isinstance(value, dict | list)]
    for key, value in recipe.items():
        for section in value if isinstance(value, list) else [value] if isinstance(value, dict) else []:
            lines.append(f"[[{key}]]" if isinstance(value, list) else f"[{key}]")
            lines += [f"{json.dumps(name, ensure_ascii=False)} = {_value(one)}" for name, one in section.items()]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, dict):
        inside = (f"{json.dumps(key, ensure_ascii=False)} = {_value(one)}" for key, one in value.items())
        return f"{{ {', '.join(inside)} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False)
