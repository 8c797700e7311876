"""The keys a recipe gives a method: which it has, and those many share: a time budget, and the size of blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.errors import RecipeError

if TYPE_CHECKING:
    from collections.abc import Mapping


BLOCKS = (
    "how many different combinations a block has at most, when the table is worked on block by block; 0: never. Without it, "
    "tables with very many combinations are"
)


def key_problems(name: str, keys: Mapping[str, str], options: Mapping[str, Any]) -> list[str]:
    """Keys that a method does not have, a budget that is none, and blocks of no size."""
    known = f"Keys: {', '.join(keys)}." if keys else "It has none."
    problems = [f"`{key}` is not a key of method '{name}'. {known}" for key in options if key not in keys]
    if "budget" in keys:
        try:
            seconds_of(options.get("budget"))
        except RecipeError as mistake:
            problems += mistake.problems
    blocks = options.get("blocks", 0)
    if "blocks" in keys and (isinstance(blocks, bool) or not isinstance(blocks, int) or blocks < 0):
        problems.append(
            f"`blocks` must be a whole number of combinations or records, or 0 for no blocks; got {blocks!r}."
        )
    return problems


def seconds_of(text: str | int | float | None) -> float | None:
    """'60s' → 60.0; '5m' → 300.0; a number is seconds."""
    if text is None:
        return None
    units = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
    for unit in ("ms", "s", "m", "h"):
        if isinstance(text, str) and text.endswith(unit):
            try:
                value = float(text.removesuffix(unit))
            except ValueError:
                break
            if value > 0:
                return value * units[unit]
    if isinstance(text, int | float) and not isinstance(text, bool) and text > 0:
        return float(text)
    raise RecipeError(f'`budget` must be a time such as "60s", "5m" or "2h"; got {text!r}.')
