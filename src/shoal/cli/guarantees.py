"""shoal guarantees: what can be promised."""

from __future__ import annotations

import click

from shoal.cli.output import emit


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def guarantees(as_json: bool) -> None:
    """List the guarantees a recipe can ask for, with their parameters."""
    from shoal.cli.listing import show
    from shoal.guarantees import listing

    rows = listing()
    if as_json:
        emit({"guarantees": {row.name: list(row.keys) for row in rows}})
        return
    show((f"{row.name} ({', '.join(row.keys)})", row.title) for row in rows)
