"""shoal compare: methods side by side on the same data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from shoal.cli.arguments import Time
from shoal.cli.output import console, echo, emit

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shoal.release.comparison import Comparison


@click.command()
@click.argument("recipe", type=click.Path(dir_okay=False))
@click.option(
    "--methods",
    help="With commas between them; without it those for such data (tables: optimal, mstk, mondrian, incognito, cluster, auto).",
)
@click.option(
    "--plots", type=click.Path(file_okay=False), help="Draw one picture for each loss into this folder (.svg)."
)
@click.option("--budget", type=Time(), help='The longest time for each method that takes one, such as "60s" or "5m".')
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def compare(recipe: str, methods: str | None, plots: str | None, budget: float | None, as_json: bool) -> int:
    """Run several methods on the data of a recipe and print what each would publish, by every loss.

    Every release is made and verified in memory and let go; nothing is written. The method that the recipe names is not needed
    for this. A method that cannot keep the promise is a row that says why.
    """
    from pathlib import Path

    from shoal.cli.progress import progress
    from shoal.io.publishing.overwrite import PICTURE, refuse_foreign
    from shoal.release.compare import compare as run_methods

    if plots is not None:
        for there in Path(plots).glob("compare-*.svg"):
            refuse_foreign(there, PICTURE)
    names = None if methods is None else [name.strip() for name in methods.split(",") if name.strip()]
    with progress(quiet=as_json) as listener:
        comparison = run_methods(Path(recipe), methods=names, budget=budget, listener=listener)
    drawn = [] if plots is None else _draw(comparison, Path(plots))
    if as_json:
        emit({**comparison.to_json(), **({"plots": drawn} if plots is not None else {})})
    else:
        _show(comparison)
        for path in drawn:
            echo(path)
    return 0 if comparison.passed else 1


def _draw(comparison: Comparison, folder: Path) -> list[str]:
    from shoal.errors import DataError
    from shoal.io.publishing.overwrite import overwrite

    drawn = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for loss, picture in comparison.pictures.items():
            path = folder / f"compare-{loss}.svg"
            overwrite(path, picture.encode())
            drawn.append(str(path))
    except OSError as reason:
        raise DataError(f"{folder.name} cannot be written to: {reason.strerror or type(reason).__name__}.") from None
    return drawn


def _show(comparison: Comparison) -> None:
    from shoal.report.comparing.facts import cells, heads, notes

    facts = comparison.facts
    echo(f"{facts.records:,} records; {' and '.join(facts.promises)}. Loss of the recipe: {facts.chosen.title}.")
    rows = [heads(facts), *(cells(facts, of) for of in facts.methods)]
    room = console().width if console().is_terminal else 1000
    best = [i for i, of in enumerate(facts.methods, start=1) if of.method in facts.best(facts.chosen.name)]
    for columns in _parts(rows, 2 + len(facts.losses), room):
        _print([[row[c] for c in columns] for row in rows], best)
    for note in notes(facts):
        echo(note)
    for warning in comparison.warnings:
        echo(f"Warning: {warning}", fg="yellow", err=True)


def _parts(rows: Sequence[Sequence[str]], losses: int, room: int) -> list[list[int]]:
    """The columns of one table; or of two, losses and sizes, each with the methods, when one does not fit the terminal."""
    columns = list(range(len(rows[0])))
    width = sum(max(len(row[c]) for row in rows) + 2 for c in columns)
    return [columns] if width <= room else [columns[:losses], [0, *columns[losses:]]]


def _print(rows: list[list[str]], best: list[int]) -> None:
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    for head in rows[0]:
        table.add_column(head, justify="left" if head in ("method", "verdict") else "right", no_wrap=True)
    for i, row in enumerate(rows[1:], start=1):
        table.add_row(*row, style="bold" if i in best else None)
    console(width=None if console().is_terminal else 1000).print(table)
