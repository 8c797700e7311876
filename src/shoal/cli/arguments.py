"""What commands take: where data lie, and how long something may take."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

import click


class Place(click.Path):
    """A file or folder that is there; or a URI, which only Spark can look at, or the address of a database.

    What is there is checked before anything is read.
    """

    def __init__(self) -> None:
        super().__init__(exists=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """A URI stays what it is."""
        from shoal.io.location import is_uri

        return value if is_uri(str(value)) else super().convert(value, param, ctx)


class Time(click.ParamType):  # type: ignore[type-arg]  # generic in newer versions of click only
    """A time as a recipe writes it, such as "60s" or "2m"; or a bare number of seconds. Becomes seconds."""

    name = "time"

    def __init__(self, *, zero: bool = False) -> None:
        """zero: whether no time at all makes sense."""
        self._zero = zero

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        seconds = _seconds(str(value))
        if not (0 < seconds < math.inf or (self._zero and seconds == 0)):
            self.fail(f'{value!r} is no time. Write it as "60s", "5m" or "2h", or as seconds.', param, ctx)
        return seconds


def _seconds(text: str) -> float:
    """Not a number where it is none."""
    from shoal.errors import RecipeError
    from shoal.methods.keys import seconds_of

    with suppress(ValueError):
        return float(text)
    try:
        return seconds_of(text) or math.nan
    except RecipeError:
        return math.nan
