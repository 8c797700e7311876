"""A list of names and what they mean, on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.cli.output import console

if TYPE_CHECKING:
    from collections.abc import Iterable


def show(entries: Iterable[tuple[str, str]]) -> None:
    """Names in one column, meanings in the other."""
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True, style="bold")
    table.add_column()
    for name, meaning in entries:
        table.add_row(name, meaning)
    console().print(table)
