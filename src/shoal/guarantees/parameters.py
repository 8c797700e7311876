"""The parameters of the guarantees on item sets: whole numbers with a least value, and the name of a column."""

from __future__ import annotations

from typing import Any


def problems_of(guarantee: Any, **least: int) -> list[str]:
    """What is wrong with the parameters of a guarantee, in sentences. least: by parameter, the least value it may have."""
    mistakes = []
    for name, bound in least.items():
        value = getattr(guarantee, name)
        if isinstance(value, bool) or not isinstance(value, int) or value < bound:
            mistakes.append(f"`{name}` of {guarantee.name} must be an integer of at least {bound}; got {value!r}.")
    column = getattr(guarantee, "column", "-")
    if not isinstance(column, str) or not column:
        mistakes.append(f"`column` of {guarantee.name} must be the name of a column; got {column!r}.")
    return mistakes
