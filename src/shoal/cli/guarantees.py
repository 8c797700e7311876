"""shoal guarantees: what can be promised."""

from __future__ import annotations

import click

from shoal.cli.output import emit


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def guarantees(as_json: bool) -> None:
    """List the guarantees a recipe can ask for, with their parameters."""
    import dataclasses

    from shoal.cli.listing import first_line, show
    from shoal.guarantees import GUARANTEES

    listed = {name: [f.name for f in dataclasses.fields(made)] for name, made in GUARANTEES.items()}
    if as_json:
        emit({"guarantees": listed})
        return
    show((f"{name} ({', '.join(listed[name])})", first_line(made)) for name, made in GUARANTEES.items())
