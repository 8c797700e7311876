"""shoal plan: what a recipe would do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from shoal.cli.output import emit

if TYPE_CHECKING:
    from shoal.release.sections import EngineName


@click.command()
@click.argument("recipe", type=click.Path(dir_okay=False))
@click.option("--engine", type=click.Choice(["local", "spark"]), help="Plan for this one, whatever the recipe says.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def plan(recipe: str, engine: EngineName | None, as_json: bool) -> None:
    """Resolve a recipe against its data and print what would run. Nothing is written."""
    from shoal.release.preview import preview

    seen = preview(recipe, engine=engine)
    if as_json:
        emit(seen.to_json())
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console()
    table = Table(box=None, header_style="bold", pad_edge=False)
    for head in ("column", "role", "what happens", "values", "missing", "levels"):
        table.add_column(head, justify="right" if head in ("values", "missing", "levels") else "left")
    for column in seen.columns:
        table.add_row(
            escape(column.name),
            column.role,
            escape(column.what),
            f"{column.distinct:,}" if column.distinct is not None else "",
            f"{column.missing:,}" if column.missing else "",
            f"{column.levels}" if column.levels is not None else "",
        )
    console.print(f"{seen.records:,} records from {escape(seen.source)}")
    console.print(table)
    console.print("Promise")
    for sentence in seen.promises:
        console.print(f"  {escape(sentence)}")
    console.print(
        f"Method {seen.method}, least {seen.loss} loss{f', {seen.lattice:,} combinations of levels' if seen.lattice else ''}; "
        f"at most {seen.limit:,} records ({seen.limit_share:g}) may be suppressed."
    )
    console.print(f"Would write {escape(seen.output or 'nothing: the recipe names no output')}")
    if seen.engine == "spark":
        console.print("Would run on Spark")
    for warning in seen.warnings:
        click.secho(f"Warning: {warning}", fg="yellow", err=True)
    for column_name in seen.unconfirmed:
        console.print(f"[yellow]Not confirmed yet: {escape(column_name)}[/yellow]")
