"""shoal init: a first recipe for data nobody has described yet."""

from __future__ import annotations

import click

from shoal.cli.output import emit


@click.command()
@click.argument("data", type=click.Path(exists=True))
@click.option(
    "-o",
    "--output",
    default="recipe.toml",
    show_default=True,
    type=click.Path(dir_okay=False),
    help="The recipe to write.",
)
@click.option("--delimiter", help="Of a CSV file, when it is not a comma.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def init(data: str, output: str, delimiter: str | None, as_json: bool) -> None:
    """Look at DATA and write a recipe with suggested roles and hierarchies.

    Each column is marked as a suggestion; `shoal run` refuses the recipe until a person has confirmed every one.
    """
    from pathlib import Path

    from shoal.cli.progress import progress
    from shoal.release.init import propose, write_proposal

    recipe = Path(output)
    with progress(quiet=as_json) as listener:
        proposal = propose(Path(data), recipe, delimiter=delimiter, listener=listener)
    write_proposal(proposal, recipe)
    if as_json:
        columns = {
            s.name: {"role": str(s.role), "hierarchy": s.hierarchy, "reason": s.reason} for s in proposal.suggestions
        }
        emit({"recipe": str(recipe), "columns": columns})
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    for head in ("column", "role", "why"):
        table.add_column(head)
    for suggestion in proposal.suggestions:
        table.add_row(escape(suggestion.name), str(suggestion.role), escape(suggestion.reason))
    Console(stderr=True).print(table)
    click.echo(str(recipe))
    click.echo(
        f"These are guesses. Open {recipe}, check every column and delete `suggested = true` where you agree; "
        f"then `shoal run {recipe}`.",
        err=True,
    )
