"""shoal frontier: what each k costs; of a mixed table, what each delta costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from shoal.cli.arguments import Time
from shoal.cli.output import console, echo, emit

if TYPE_CHECKING:
    from collections.abc import Callable

    from shoal.release.kinds.mixed.frontier import MixedFrontierResult
    from shoal.release.kinds.tables.frontier import FrontierResult
    from shoal.release.searching.frontier import SweptFrontierResult


@click.command()
@click.argument("recipe", type=click.Path(dir_okay=False))
@click.option(
    "--plot",
    type=click.Path(dir_okay=False),
    help="Draw the frontier into this file (.svg). Replaces a picture of shoal only.",
)
@click.option("--budget", type=Time(), help='The longest time the search may take, such as "60s" or "5m".')
@click.option("--points", type=int, help="Mixed tables: how many deltas to try; 9 without it.")
@click.option("--deltas", help='Mixed tables: which deltas to try, such as "0.3,0.5,0.8".')
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def frontier(
    recipe: str, plot: str | None, budget: float | None, points: int | None, deltas: str | None, as_json: bool
) -> int:
    """Print every release that is best for its k, from the data as it is to everything hidden, and what each step costs.

    No other combination of levels has as large a k for less loss. The k of the recipe is not needed for this; it is marked.
    Nothing is published. Where it promises distinct l-diversity of one column, every pair of k and l that is worth choosing is
    shown as well.

    Of a mixed table (single values and sets of items): what each delta loses on both sides. Every release is made, verified and
    let go; pick one, and put its line into the recipe.

    Of item sets and trees: what one k after the other costs by the recipe's own method, each release verified.
    """
    from pathlib import Path

    from shoal.cli.progress import progress
    from shoal.io.publishing.overwrite import PICTURE, overwrite, refuse_foreign
    from shoal.release.frontier import frontier as find
    from shoal.release.kinds.mixed.frontier import MixedFrontierResult
    from shoal.release.kinds.tables.frontier import FrontierResult
    from shoal.release.searching.frontier import SweptFrontierResult

    show: dict[type, Callable[[Any, str | None], None]] = {
        FrontierResult: _show,
        MixedFrontierResult: _show_deltas,
        SweptFrontierResult: _show_swept,
    }

    if plot is not None and not plot.endswith(".svg"):
        raise click.UsageError("--plot writes SVG; give the file a name that ends in .svg.")
    if plot is not None:
        refuse_foreign(Path(plot), PICTURE)
    with progress(quiet=as_json) as listener:
        result = find(Path(recipe), budget=budget, points=points, deltas=_numbers(deltas), listener=listener)
    if plot is not None:
        overwrite(Path(plot), result.picture.encode())
    if as_json:
        emit({**result.to_json(), **({"plot": plot} if plot is not None else {})})
    else:
        show[type(result)](result, plot)
    return 0 if result.passed else 1


def _numbers(text: str | None) -> list[float] | None:
    if text is None:
        return None
    try:
        return [float(one) for one in text.split(",") if one.strip()]
    except ValueError:
        raise click.UsageError("--deltas takes numbers with commas between them.") from None


def _show(result: FrontierResult, plot: str | None) -> None:
    from rich.table import Table

    from shoal.report.tables.frontier import how_sure

    facts = result.facts
    table = Table(box=None, header_style="bold", pad_edge=False)
    for head in ("k", "loss", "hidden", "classes", "levels"):
        table.add_column(head, justify="left" if head == "levels" else "right", no_wrap=head != "levels")
    chosen = facts.chosen
    for point, measured in zip(result.found.points, facts.points, strict=True):
        open_end = "" if point.proved else "?"
        table.add_row(
            f"{point.k:,}",
            f"{facts.lost(measured.loss)}{open_end}",
            f"{point.suppressed:,}",
            f"{point.classes:,}",
            " ".join(map(str, point.levels)),
            style="bold" if measured is chosen else None,
        )
    console().print(table)
    echo(f"Levels of {', '.join(result.found.columns)}; 0 is exact, the highest of each column is hidden.")
    if chosen is not None:
        echo(f"The recipe asks for k = {facts.asked_k:,}; the point that reaches it has k = {chosen.k:,}.")
    _show_diverse(result)
    echo("What the next step costs:")
    for step in result.steps:
        echo(f"  {step}")
    echo(how_sure(facts))
    for warning in result.warnings:
        echo(f"Warning: {warning}", fg="yellow", err=True)
    if plot is not None:
        echo(plot)


def _show_diverse(result: FrontierResult) -> None:
    """Where the recipe promises distinct l-diversity: what every pair of k and l costs."""
    from rich.table import Table

    diverse = result.diverse
    if diverse is None:
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for head in ("l", "k", "loss", "hidden", "classes", "levels"):
        table.add_column(head, justify="left" if head == "levels" else "right", no_wrap=head != "levels")
    for point in diverse.points:
        row = (
            f"{point.l:,}",
            f"{point.k:,}",
            result.facts.lost(float(point.loss)),
            f"{point.suppressed:,}",
            f"{point.classes:,}",
        )
        table.add_row(*row, " ".join(map(str, point.levels)), style="bold" if point == result.reaching else None)
    echo(f"With different values of '{diverse.column}' in every class, at least l:")
    console().print(table)
    if diverse.complete:
        echo("No other release has as large a k and l for less loss; these are proved to be all.")
    else:
        echo("The time was up before all of k and l were looked at: others may lose less.")


def _show_deltas(result: MixedFrontierResult, plot: str | None) -> None:
    from rich.table import Table

    from shoal.report.mixed.frontier import cells, heads, notes

    facts = result.facts
    table = Table(box=None, header_style="bold", pad_edge=False)
    for place, head in enumerate(heads(facts)):
        table.add_column(head, justify="right" if 0 < place < len(heads(facts)) - 1 else "left", no_wrap=not place)
    for point in facts.points:
        table.add_row(*cells(facts, point), style="bold" if point in facts.front else "dim")
    console().print(table)
    for note in notes(facts):
        echo(note)
    for warning in result.warnings:
        echo(f"Warning: {warning}", fg="yellow", err=True)
    if plot is not None:
        echo(plot)


def _show_swept(result: SweptFrontierResult, plot: str | None) -> None:
    from rich.table import Table

    found = result.found
    table = Table(box=None, header_style="bold", pad_edge=False)
    for head in (found.letter, "loss", "hidden"):
        table.add_column(head, justify="right", no_wrap=True)
    for point in result.points:
        own = "bold" if point.k == result.asked else None
        table.add_row(f"{point.k:,}", found.lost(point.loss), f"{point.suppressed:,}", style=own)
    if result.points:
        console().print(table)
        echo(f"By the method {result.method}; each release was verified. Loss: {found.loss_title}.")
    else:
        echo("There is no release for any of these.")
    if found.others:
        beaten = ", ".join(f"{number:,}" for number, _ in found.others)
        echo(f"Another is as safe and loses no more: {found.letter} = {beaten}.")
    for number, why in found.refused:
        echo(f"{found.letter} = {number:,}: {why}")
    for warning in (*found.notes, *result.warnings):
        echo(f"Warning: {warning}", fg="yellow", err=True)
    if plot is not None:
        echo(plot)
