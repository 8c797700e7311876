"""Where data lie, as an argument: what is there is checked before anything is read."""

from __future__ import annotations

from typing import Any

import click


class Place(click.Path):
    """A file or folder that is there; or a URI, which only Spark can look at, or the address of a database."""

    def __init__(self) -> None:
        super().__init__(exists=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """A URI stays what it is."""
        from shoal.io.location import is_uri

        return value if is_uri(str(value)) else super().convert(value, param, ctx)
