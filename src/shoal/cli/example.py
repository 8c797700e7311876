"""shoal example: a small made-up data set with its recipe."""

from __future__ import annotations

import click

from shoal.cli.output import echo, emit


@click.command()
@click.argument(
    "kind", type=click.Choice(["table", "baskets", "patients", "trees"]), metavar="KIND", default=None, required=False
)
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False), default=None, required=False)
@click.option(
    "--list", "listed", is_flag=True, help="List the examples, what is in each, and its licence; write nothing."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def example(kind: str | None, folder: str | None, listed: bool, as_json: bool) -> None:
    """Write a made-up data set of a KIND and its recipe into DIR, to try things out. Nobody in it exists.

    KIND is table (patients, one diagnosis each), baskets (item sets), patients (a table with item sets) or trees (visits with
    diagnoses with treatments).
    """
    from pathlib import Path

    from shoal.release.examples import EXAMPLES, LICENCE, ORIGIN, write_example

    if listed:
        if as_json:
            emit({"examples": dict(EXAMPLES), "origin": ORIGIN, "licence": LICENCE})
            return
        from shoal.cli.listing import show

        show(EXAMPLES)
        echo(f"{ORIGIN} {LICENCE}")
        return
    if kind is None or folder is None:
        raise click.UsageError(
            "Name a KIND and a folder, such as `shoal example table demo`. `--list` shows the kinds."
        )
    files = write_example(kind, Path(folder))
    if as_json:
        emit({"files": [path.name for path in files]})
        return
    for path in files:
        echo(str(path))
    echo(f"Next: shoal run {files[-1]}", err=True)
