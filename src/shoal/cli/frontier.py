"""shoal frontier: what each k costs; of single values beside sets of items, what each delta costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from shoal.cli.output import emit

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.release.frontier import FrontierResult
    from shoal.release.frontier_mixed import MixedFrontierResult


@click.command()
@click.argument("recipe", type=click.Path(dir_okay=False))
@click.option("--plot", type=click.Path(dir_okay=False), help="Draw the frontier into this file (.svg).")
@click.option("--budget", help='The longest time the search may take, such as "60s" or "5m".')
@click.option("--points", type=int, help="Single values beside sets of items: how many deltas to try; 9 without it.")
@click.option("--deltas", help='Single values beside sets of items: which deltas to try, such as "0.3,0.5,0.8".')
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def frontier(
    recipe: str, plot: str | None, budget: str | None, points: int | None, deltas: str | None, as_json: bool
) -> int:
    """Print every release that is best for its k, from the data as it is to everything hidden, and what each step costs.

    No other combination of levels has as large a k for less loss. The k of the recipe is not needed for this; it is marked.
    Nothing is published.

    Of single values beside sets of items: what each delta loses on both sides. Every release is made, verified and let go; pick
    one, and put its line into the recipe.
    """
    from pathlib import Path

    from shoal.cli.progress import progress
    from shoal.release.frontier import FrontierResult
    from shoal.release.frontier import frontier as find

    if plot is not None and not plot.endswith(".svg"):
        raise click.UsageError("--plot writes SVG; give the file a name that ends in .svg.")
    with progress(quiet=as_json) as listener:
        found = find(Path(recipe), budget=_budget(budget), points=points, deltas=_numbers(deltas), listener=listener)
    if plot is not None:
        _write(Path(plot), found.picture)
    if as_json:
        emit({**found.to_json(), **({"plot": plot} if plot is not None else {})})
    elif isinstance(found, FrontierResult):
        _show(found, plot)
    else:
        _show_deltas(found, plot)
    return 0 if isinstance(found, FrontierResult) or found.passed else 1


def _budget(text: str | None) -> str | float | None:
    """Seconds may be given as a bare number, as in a recipe."""
    return float(text) if text is not None and text.replace(".", "", 1).isdecimal() else text


def _numbers(text: str | None) -> list[float] | None:
    if text is None:
        return None
    try:
        return [float(one) for one in text.split(",") if one.strip()]
    except ValueError:
        raise click.UsageError("--deltas takes numbers with commas between them.") from None


def _write(path: Path, picture: str) -> None:
    from shoal.errors import DataError

    try:
        path.write_text(picture, encoding="utf-8")
    except OSError as reason:
        raise DataError(f"{path.name} cannot be written: {reason.strerror or type(reason).__name__}.") from None


def _show(found: FrontierResult, plot: str | None) -> None:
    from rich.console import Console
    from rich.table import Table

    from shoal.report.frontier import how_sure

    facts = found.facts
    table = Table(box=None, header_style="bold", pad_edge=False)
    for head in ("k", "loss", "hidden", "classes", "levels"):
        table.add_column(head, justify="left" if head == "levels" else "right", no_wrap=head != "levels")
    chosen = facts.chosen
    for point, told in zip(found.found.points, facts.points, strict=True):
        open_end = "" if point.proved else "?"
        table.add_row(
            f"{point.k:,}",
            f"{facts.lost(told.loss)}{open_end}",
            f"{point.suppressed:,}",
            f"{point.classes:,}",
            " ".join(map(str, point.levels)),
            style="bold" if told is chosen else None,
        )
    Console().print(table)
    click.echo(f"Levels of {', '.join(found.found.columns)}; 0 is exact, the highest of each column is hidden.")
    if chosen is not None:
        click.echo(f"The recipe asks for k = {facts.asked_k:,}; the point that reaches it has k = {chosen.k:,}.")
    click.echo("What the next step costs:")
    for step in found.steps:
        click.echo(f"  {step}")
    click.echo(how_sure(facts))
    for warning in found.warnings:
        click.secho(f"Warning: {warning}", fg="yellow", err=True)
    if plot is not None:
        click.echo(plot)


def _show_deltas(found: MixedFrontierResult, plot: str | None) -> None:
    from rich.console import Console
    from rich.table import Table

    from shoal.report.frontier_mixed import cells, heads, notes

    facts = found.facts
    table = Table(box=None, header_style="bold", pad_edge=False)
    for place, head in enumerate(heads(facts)):
        table.add_column(head, justify="right" if 0 < place < len(heads(facts)) - 1 else "left", no_wrap=not place)
    for point in facts.points:
        table.add_row(*cells(facts, point), style="bold" if point in facts.front else "dim")
    Console().print(table)
    for note in notes(facts):
        click.echo(note)
    for warning in found.warnings:
        click.secho(f"Warning: {warning}", fg="yellow", err=True)
    if plot is not None:
        click.echo(plot)
