"""shoal losses: how the detail that was lost is measured."""

from __future__ import annotations

import click

from shoal.cli.output import emit


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def losses(as_json: bool) -> None:
    """List the losses a recipe can minimize, with their formulas."""
    from shoal.cli.listing import show
    from shoal.loss import LOSSES

    if as_json:
        emit({"losses": {name: loss.formula for name, loss in LOSSES.items()}})
        return
    show({name: f"{loss.title}: {loss.formula}" for name, loss in LOSSES.items()})
