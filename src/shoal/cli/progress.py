"""Progress on stderr: a bar where someone is looking, nothing in a log."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

from shoal.cli.output import echo
from shoal.cli.terminal.stopping import STOPPING, stop_heard
from shoal.errors import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console

    from shoal.methods.method import Progress

_STAGES = {
    "load": "Reading",
    "compile": "Compiling",
    "count": "Counting",
    "blocks": "Working",
    "search": "Searching",
    "improve": "Improving",
    "decide": "Deciding",
    "apply": "Blurring",
    "write": "Writing",
    "verify": "Verifying",
    "bound": "Bounding",
    "report": "Reporting",
}


_BEFORE = 33  # columns of a terminal that stage, bar and clock take


def fitting(message: str, room: int) -> str:
    """What fits the rest of the line: a longer one would wrap, or push bar and clock aside."""
    from rich.cells import cell_len, set_cell_size

    return message if cell_len(message) <= room else set_cell_size(message, max(room - 1, 0)).rstrip() + "…"


@contextmanager
def progress(quiet: bool = False) -> Iterator[Callable[[Progress], None]]:
    """Yields a listener. On a terminal one line moves, and Ctrl-C is answered; elsewhere nothing is printed."""
    if not sys.stderr.isatty():  # then the bar need not even be loaded
        yield lambda _: None
        return
    if quiet:
        with stop_heard(lambda: echo(STOPPING, err=True)):
            yield lambda _: None
        return
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:  # or one that cannot move a line
        yield lambda _: None
        return
    with _bar(console) as listen:
        yield listen


@contextmanager
def _bar(console: Console) -> Iterator[Callable[[Progress], None]]:
    from rich.progress import BarColumn, ProgressColumn, SpinnerColumn, TextColumn
    from rich.progress import Progress as Bar
    from rich.text import Text

    started = time.monotonic()

    class Clock(ProgressColumn):
        """rich's own stops for good once a bar was full."""

        def render(self, _: object) -> Text:
            return Text(str(timedelta(seconds=int(time.monotonic() - started))), "progress.elapsed")

    columns = (
        SpinnerColumn(),
        TextColumn("{task.fields[stage]:<9}"),
        BarColumn(bar_width=12),
        Clock(),
        TextColumn("{task.description}", style="dim", markup=False),
    )
    stopping = False
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None, stage="Starting")

        def listen(event: Progress) -> None:
            if not stopping:
                done = event.done if event.done is not None and event.done < 1 else None  # full is over; work goes on
                show(_STAGES.get(event.stage, event.stage), event.message, done)

        def show(stage: str, message: str, done: float | None = None) -> None:
            bar.update(
                task,
                description=fitting(visible(message), console.width - _BEFORE),
                stage=stage,
                total=None if done is None else 1.0,
                completed=done or 0.0,
            )

        def stop() -> None:
            nonlocal stopping
            stopping = True
            console.print(STOPPING, highlight=False)
            show("Stopping", "as soon as the step at hand is over")

        with stop_heard(stop):
            yield listen
