"""shoal report: write the report of a release again."""

from __future__ import annotations

import click

from shoal.cli.output import emit


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(exists=True, file_okay=False))
@click.option("--pdf", is_flag=True, help="Also print it to PDF, with a browser that is installed.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def report(folder: str, pdf: bool, as_json: bool) -> None:
    """Render the HTML report of every release in DIR again from its JSON."""
    from pathlib import Path

    from shoal.release.rewrite import rewrite_reports

    written = rewrite_reports(Path(folder), pdf=pdf)
    if as_json:
        emit({"files": [path.name for path in written]})
        return
    for path in written:
        click.echo(str(path))
