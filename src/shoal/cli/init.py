"""shoal init: a first recipe for data nobody has described yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from shoal.cli.output import echo, emit

if TYPE_CHECKING:
    from shoal.release.suggest.summary import Suggestion


class _Data(click.Path):
    """A path, or the address of a database, at which there is nothing to look before it is opened."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if "://" in str(value) else super().convert(value, param, ctx)


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
@click.option("--delimiter", help="Of a CSV file; found by itself unless the file can be read with several.")
@click.option(
    "--encoding", help="Of a CSV file: utf-8, utf-16, windows-1252 or latin-1; found by itself where its bytes tell."
)
@click.option(
    "--table", "tables", multiple=True, metavar="NAME=FILE", help="One of several tables that make up records."
)
@click.option("--url", default="", help="A database; --table then names a table of it.")
@click.option("--query", default="", help="Of a database: a query that only reads, whose rows are the records.")
@click.option("--record", default="", help="The table with a row for each person; in XML, the element of a record.")
@click.option("--key", "keys", multiple=True, help='How tables hang together: "orders.customer = customer.id".')
@click.option("--mapping", default="", help='Of FHIR files: "fhir-r4", or a mapping file.')
@click.option(
    "--accept",
    "accepted",
    multiple=True,
    type=click.Choice(["identifying", "quasi", "sensitive", "plain", "all"]),
    help="Confirm the suggestions of this role, except what is unclear. May be given several times.",
)
@click.option("--look", is_flag=True, help="Print a table of all columns, and write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def init(
    data: str | None,
    output: str,
    delimiter: str | None,
    encoding: str | None,
    tables: tuple[str, ...],
    url: str,
    query: str,
    record: str,
    keys: tuple[str, ...],
    mapping: str,
    accepted: tuple[str, ...],
    look: bool,
    as_json: bool,
) -> None:
    """Look at DATA and write a recipe with suggested roles and hierarchies.

    Each column is marked as a suggestion; `shoal run` refuses the recipe until a person has confirmed every one.

    DATA is a file, a folder, or a database: postgresql://user@host/name, duckdb:///file.duckdb or sqlite:///file.db, with --table
    or --query for the rows that are meant. Records of trees are spread over tables: of PostgreSQL, --record names the table that
    has a row for each person, and tables that keys tie to it come along; of files, give each by --table, with --record and --key.

    `shoal init recipe.toml --accept quasi` confirms all suggestions of a role in a recipe that init wrote, once you have looked at
    them. What init marked as unclear stays for you to decide.
    """
    if data is not None and data.lower().endswith(".toml"):
        _accept(data, accepted, look=look, as_json=as_json)
        return
    from pathlib import Path

    from shoal.cli.progress import progress
    from shoal.cli.proposal import confirmed_lines, outline, table_of
    from shoal.release.accept import accept, roles_named
    from shoal.release.init import Proposal, given_input, propose, write_proposal

    recipe = Path(output)
    given = given_input(data, tables=tables, url=url, record=record, keys=keys, mapping=mapping, query=query)
    with progress(quiet=as_json) as listener:
        proposal = propose(given, recipe, delimiter=delimiter, encoding=encoding, listener=listener)
    acceptance = accept(proposal.text, roles_named(accepted))
    if not look:
        write_proposal(Proposal(acceptance.text, proposal.suggestions), recipe)
    confirmed = {name for names in acceptance.confirmed.values() for name in names}
    if as_json:
        columns = {one.name: _facts(one, one.name in confirmed) for one in proposal.suggestions}
        emit({"recipe": None if look else str(recipe), "columns": columns, "notes": list(proposal.notes)})
        return
    if look:
        table_of(proposal.suggestions, confirmed)
        return
    outline(proposal.suggestions)
    for note in proposal.notes:
        echo(note, err=True)
    for line in confirmed_lines(acceptance) if accepted else ():
        echo(line, err=True)
    echo(str(recipe))
    if acceptance.unclear or acceptance.waiting:
        echo(
            f"These are guesses. Open {recipe}, check every column and delete `suggested = true` where you agree, or confirm a "
            f"role at once with `shoal init {recipe} --accept ROLE`; then `shoal run {recipe}`.",
            err=True,
        )


def _accept(recipe: str, accepted: tuple[str, ...], *, look: bool, as_json: bool) -> None:
    """In a recipe that was written before."""
    from pathlib import Path

    from shoal.cli.proposal import confirmed_lines
    from shoal.release.accept import accept_in, roles_named

    if look or not accepted:
        raise click.UsageError(
            f"{recipe} is a recipe. `shoal plan {recipe}` shows its columns; --accept ROLE confirms what is suggested."
        )
    acceptance = accept_in(Path(recipe), roles_named(accepted))
    if as_json:
        emit(
            {
                "recipe": recipe,
                "confirmed": {role: list(names) for role, names in acceptance.confirmed.items()},
                "unclear": list(acceptance.unclear),
                "waiting": list(acceptance.waiting),
            }
        )
        return
    for line in confirmed_lines(acceptance):
        echo(line, err=True)
    echo(recipe)


def _facts(one: Suggestion, confirmed: bool) -> dict[str, Any]:
    """Of a column, for scripts."""
    nested = {"kind": one.kind, "path": one.path, "parent": one.parent} if one.path else {}
    return {
        "role": str(one.role),
        "hierarchy": one.hierarchy,
        "reason": one.reason,
        "what": one.what,
        "blur": one.blur,
        "advice": [advice.text for advice in one.advice],
        "values": one.values,
        "distinct": one.distinct,
        "missing": one.empty,
        "codes": list(one.codes),
        "state": "confirmed" if confirmed else "unclear" if one.unclear else "suggested",
    } | nested
