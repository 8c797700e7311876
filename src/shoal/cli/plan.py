"""shoal plan: what a recipe would do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from shoal.cli.output import console, echo, emit, empty_rows

if TYPE_CHECKING:
    from shoal.release.recipe.sections import EngineName


@click.command()
@click.argument("recipe", type=click.Path(dir_okay=False))
@click.option("--engine", type=click.Choice(["local", "spark"]), help="Plan for this one, whatever the recipe says.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def plan(recipe: str, engine: EngineName | None, as_json: bool) -> None:
    """Resolve a recipe against its data and print what would run. Nothing is written."""
    from shoal.release.preview import preview
    from shoal.release.suggest.advice import columns_in_words

    view = preview(recipe, engine=engine)
    if as_json:
        emit(view.to_json())
        return
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    for head in ("column", "role", "what happens", "values", "missing", "levels"):
        table.add_column(head, justify="right" if head in ("values", "missing", "levels") else "left")
    for column in view.columns:
        table.add_row(
            column.name,
            column.role,
            column.what,
            f"{column.distinct:,}" if column.distinct is not None else "",
            f"{column.missing:,}" if column.missing else "",
            f"{column.levels}" if column.levels is not None else "",
        )
    echo(f"{view.records:,} records from {view.source}")
    if view.empty_rows:
        echo(f"{empty_rows(view.empty_rows)}.")
    console().print(table)
    echo("Promise")
    for sentence in view.promises:
        echo(f"  {sentence}")
    echo(
        f"Method {view.method}, least {view.loss} loss{f', {view.lattice:,} combinations of levels' if view.lattice else ''}; "
        f"at most {view.limit:,} records ({view.limit_share:g}) may be suppressed."
    )
    echo(f"Would write {view.output or 'nothing: the recipe names no output'}")
    if view.engine == "spark":
        echo("Would run on Spark")
    for warning in view.warnings:
        echo(f"Warning: {warning}", fg="yellow", err=True)
    if view.unconfirmed:
        echo(f"Not confirmed yet: {columns_in_words(view.unconfirmed)}", fg="yellow")
