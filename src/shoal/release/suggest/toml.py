"""Values of a recipe on one line."""

from __future__ import annotations

from typing import Any

import tomlkit


def inline(value: Any) -> str:
    """As TOML writes it; dictionaries and lists too."""
    if isinstance(value, dict):
        return (
            "{ " + ", ".join(f"{tomlkit.key(key).as_string()} = {inline(inner)}" for key, inner in value.items()) + " }"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(inline, value)) + "]"
    return str(tomlkit.item(value).as_string())
