"""shoal init: a first recipe for data nobody has described yet."""

from __future__ import annotations

from typing import Any

import click

from shoal.cli.output import emit


class _Data(click.Path):
    """A path, or the address of a database, at which there is nothing to look before it is opened."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if str(value).startswith(("postgresql://", "postgres://")) else super().convert(value, param, ctx)


@click.command()
@click.argument("data", type=_Data(exists=True), required=False)
@click.option(
    "-o",
    "--output",
    default="recipe.toml",
    show_default=True,
    type=click.Path(dir_okay=False),
    help="The recipe to write.",
)
@click.option("--delimiter", help="Of a CSV file, when it is not a comma.")
@click.option(
    "--table", "tables", multiple=True, metavar="NAME=FILE", help="One of several tables that make up records."
)
@click.option("--url", default="", help="A database; --table then names a table of it.")
@click.option("--record", default="", help="The table with a row for each person; in XML, the element of a record.")
@click.option("--key", "keys", multiple=True, help='How tables hang together: "orders.customer = customer.id".')
@click.option("--mapping", default="", help='Of FHIR files: "fhir-r4", or a mapping file.')
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def init(
    data: str | None,
    output: str,
    delimiter: str | None,
    tables: tuple[str, ...],
    url: str,
    record: str,
    keys: tuple[str, ...],
    mapping: str,
    as_json: bool,
) -> None:
    """Look at DATA and write a recipe with suggested roles and hierarchies.

    Each column is marked as a suggestion; `shoal run` refuses the recipe until a person has confirmed every one.

    DATA is a file, a folder, or a database, postgresql://user@host/name, with --record for the table that has a row for each
    person; tables that keys tie to it come along. Records that are spread over other tables are given by --table instead, with
    --record and --key.
    """
    from pathlib import Path

    from shoal.cli.progress import progress
    from shoal.release.init import given_input, propose, write_proposal

    recipe = Path(output)
    given = given_input(data, tables=tables, url=url, record=record, keys=keys, mapping=mapping)
    with progress(quiet=as_json) as listener:
        proposal = propose(given, recipe, delimiter=delimiter, listener=listener)
    write_proposal(proposal, recipe)
    if as_json:
        columns = {
            s.name: {"role": str(s.role), "hierarchy": s.hierarchy, "reason": s.reason}
            | ({"kind": s.kind, "path": s.path, "parent": s.parent} if s.path else {})
            for s in proposal.suggestions
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
