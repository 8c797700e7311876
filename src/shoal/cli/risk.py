"""shoal risk: the risk of data as it is."""

from __future__ import annotations

import click

from shoal.cli.arguments import Place
from shoal.cli.output import echo, emit, empty_rows


@click.command()
@click.argument("data", type=Place())
@click.option(
    "--recipe",
    type=click.Path(dir_okay=False),
    help="Says which columns others could know. Needed unless DATA is the recipe.",
)
@click.option("--population", type=click.IntRange(min=1), help="How many people the data was drawn from.")
@click.option(
    "--threshold",
    type=click.FloatRange(min=0, max=1, min_open=True),
    help="A chance to compare with; 1/k if not given.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def risk(data: str, recipe: str | None, population: int | None, threshold: float | None, as_json: bool) -> None:
    """Print how easily people in DATA could be picked out as it is today: original or released.

    DATA is a file or folder; or a recipe, for what its [input] names: also tables with keys, and a database.
    """
    from shoal.cli.progress import progress
    from shoal.release.assess import risk as assess

    with progress(quiet=as_json) as listener:
        assessment = assess(data, recipe, population=population, threshold=threshold, listener=listener)
    if as_json:
        emit(assessment.to_json())
        return
    for line in assessment.lines():
        style = {"bold": True} if line.bold else {}
        echo(line.text, **style)
    if assessment.empty_rows:
        echo(f"{empty_rows(assessment.empty_rows)}.")
