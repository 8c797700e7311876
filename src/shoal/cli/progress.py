"""Progress on stderr: a bar where someone is looking, nothing in a log."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from shoal.methods.method import Progress

_STAGES = {
    "load": "Reading",
    "count": "Counting",
    "blocks": "Working",
    "search": "Searching",
    "apply": "Blurring",
    "write": "Writing",
    "verify": "Verifying",
    "bound": "Bounding",
    "report": "Reporting",
}


@contextmanager
def progress(quiet: bool = False) -> Iterator[Callable[[Progress], None]]:
    """Yields a listener. On a terminal one line moves; elsewhere nothing is printed."""
    if quiet or not sys.stderr.isatty():  # then the bar need not even be loaded
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar
    from rich.table import Column

    console = Console(stderr=True)
    if not console.is_terminal:  # or one that cannot move a line
        yield lambda _: None
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.fields[stage]:<9}"),
        BarColumn(bar_width=12),
        TimeElapsedColumn(),
        # rows, rows a second and time left fit a line of 80 signs; what does not is cut off, for the line moves up otherwise
        TextColumn(
            "{task.description}", style="dim", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis")
        ),
    )
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None, stage="")

        def listen(event: Progress) -> None:
            bar.update(
                task,
                description=event.message,
                stage=_STAGES.get(event.stage, event.stage),
                total=None if event.done is None else 1.0,
                completed=event.done or 0.0,
            )

        yield listen
