"""shoal example: a small made-up data set with its recipe."""

from __future__ import annotations

import click

from shoal.cli.output import emit


@click.command()
@click.argument("kind", type=click.Choice(["table", "baskets", "patients", "trees"]), metavar="KIND")
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def example(kind: str, folder: str, as_json: bool) -> None:
    """Write a made-up data set of a KIND and its recipe into DIR, to try things out. Nobody in it exists.

    KIND is table (patients, one diagnosis each), baskets (item sets), patients (a table with item sets) or trees (visits with
    diagnoses with treatments).
    """
    from pathlib import Path

    from shoal.release.examples import write_example

    written = write_example(kind, Path(folder))
    if as_json:
        emit({"files": [path.name for path in written]})
        return
    for path in written:
        click.echo(str(path))
    click.echo(f"Next: shoal run {written[-1]}", err=True)
