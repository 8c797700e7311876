"""Values of Python in a recipe dictionary, as a recipe says them: guarantees and blur rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.guarantees import GUARANTEES, as_recipe
from shoal.release.short.blur import Blur


def in_words(values: dict[str, Any]) -> dict[str, Any]:
    """The same dictionary in texts, numbers, lists and tables alone; what is neither a guarantee nor a blur rule stays as it is."""
    if not isinstance(values, dict):
        return values
    words = dict(values)
    if "guarantee" in words:
        words["guarantee"] = promises_in_words(words["guarantee"])
    columns = words.get("columns")
    if isinstance(columns, Mapping):
        words["columns"] = {name: _column(entry) for name, entry in columns.items()}
    return words


def promises_in_words(promises: Any) -> Any:
    """One guarantee, or several."""
    if _is_guarantee(promises):
        return [as_recipe(promises)]
    if isinstance(promises, list | tuple):
        return [as_recipe(one) if _is_guarantee(one) else one for one in promises]
    return promises


def _is_guarantee(value: Any) -> bool:
    return isinstance(value, tuple(GUARANTEES.values()))


def _column(entry: Any) -> Any:
    if isinstance(entry, Mapping) and isinstance(entry.get("hierarchy"), Blur):
        return {**entry, "hierarchy": entry["hierarchy"].spec}
    return entry
