"""shoal report: write the report of a release again."""

from __future__ import annotations

import click

from shoal.cli.output import echo, emit


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(exists=True, file_okay=False))
@click.option(
    "--recipe",
    type=click.Path(dir_okay=False),
    help="Where the private manifest is not beside a report: verify the release by this recipe again, before it is rendered.",
)
@click.option("--pdf", is_flag=True, help="Also print it to PDF, with a browser that is installed.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def report(folder: str, recipe: str | None, pdf: bool, as_json: bool) -> None:
    """Render the HTML report of every release in DIR again from its JSON.

    Refused when the data beside it have another SHA-256, or when nothing binds what the JSON says: neither the private manifest,
    which has its SHA-256, nor the recipe.
    """
    from pathlib import Path

    from shoal.release.rewrite import rewrite_reports

    written = rewrite_reports(Path(folder), recipe=recipe, pdf=pdf)
    if as_json:
        emit({"files": [path.name for path in written]})
        return
    for path in written:
        echo(str(path))
