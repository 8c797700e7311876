"""shoal losses: how the detail that was lost is measured."""

from __future__ import annotations

import click

from shoal.cli.output import emit


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def losses(as_json: bool) -> None:
    """List the losses a recipe can minimize, and the figures that are only read: of tables, sets, both together, and trees."""
    from shoal.cli.listing import show
    from shoal.loss import FIGURES, LOSSES, MIXED_LOSSES, SET_LOSSES, TREE_LOSSES

    if as_json:
        emit(
            {
                "losses": {name: loss.formula for name, loss in LOSSES.items()},
                "figures": {name: figure.formula for name, figure in FIGURES.items()},
                "sets": {name: loss.formula for name, loss in SET_LOSSES.items()},
                "mixed": {name: loss.formula for name, loss in MIXED_LOSSES.items()},
                "trees": {name: loss.formula for name, loss in TREE_LOSSES.items()},
            }
        )
        return
    lines = {name: f"{loss.title}: {loss.formula}" for name, loss in LOSSES.items()}
    lines |= {name: f"{figure.title}, only read: {figure.formula}" for name, figure in FIGURES.items()}
    lines |= {f"{name} (sets)": f"{loss.title}: {loss.formula}" for name, loss in SET_LOSSES.items()}
    known = {name: (loss.formula, "a table") for name, loss in LOSSES.items()}
    known |= {name: (loss.formula, "item sets") for name, loss in SET_LOSSES.items() if name not in known}
    for name, both in MIXED_LOSSES.items():
        formula, of = known.get(name, ("", ""))
        lines[f"{name} (both)"] = f"{both.title}: {f'as of {of}' if formula == both.formula else both.formula}"
    lines |= {f"{name} (trees)": f"{loss.title}: {loss.formula}" for name, loss in TREE_LOSSES.items()}
    show(lines.items())
