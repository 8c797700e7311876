"""A list of names and what they mean, on the terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def show(entries: Iterable[tuple[str, str]]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True, style="bold")
    table.add_column()
    for name, meaning in entries:
        table.add_row(escape(name), escape(meaning))
    Console().print(table)


def first_line(thing: type) -> str:
    """What the file of a class says it is, in its first line."""
    module = sys.modules[thing.__module__]
    return (module.__doc__ or "").strip().splitlines()[0]
