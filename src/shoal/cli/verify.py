"""shoal verify: check a published file, of this tool or another."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from shoal.cli.output import emit

if TYPE_CHECKING:
    from shoal.verify.verdict import Verdict


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--recipe", required=True, type=click.Path(dir_okay=False), help="Says the roles and what was promised.")
@click.option(
    "--original", type=click.Path(exists=True, dir_okay=False), help="Also check that nothing was lost or invented."
)
@click.option(
    "--assignment",
    type=click.Path(exists=True, dir_okay=False),
    help="With --original: the private file that says which records show what. It is checked, not believed.",
)
@click.option("--delimiter", help="Of a published CSV file; found by itself when it is not given.")
@click.option("--exempt-suppressed", is_flag=True, help="Do not count rows whose quasi-identifiers are all '*'.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def verify(
    file: str,
    recipe: str,
    original: str | None,
    assignment: str | None,
    delimiter: str | None,
    exempt_suppressed: bool,
    as_json: bool,
) -> int:
    """Read FILE as a stranger would and check that it keeps the promises of the recipe.

    Understands hierarchy labels, intervals such as [20, 30[ or 20-29, masks such as 2*, sets such as {A, B}, and *.
    Exit code 0: it does; 1: it does not, and a witness is shown.
    """
    from pathlib import Path

    from shoal.cli.progress import progress
    from shoal.release.check import check_release

    started = time.monotonic()
    with progress(quiet=as_json) as listener:
        verdict = check_release(
            Path(file),
            Path(recipe),
            original=Path(original) if original else None,
            assignment=Path(assignment) if assignment else None,
            delimiter=delimiter,
            exempt_suppressed=exempt_suppressed,
            listener=listener,
        )
    if as_json:
        emit(
            {
                "records_in": verdict.facts.get("records_in"),
                "records_out": verdict.records,
                "suppressed": verdict.facts.get("suppressed"),
                "seconds": round(time.monotonic() - started, 3),
                **verdict.to_json(),
            }
        )
    else:
        _show(verdict)
    return 0 if verdict.passed else 1


def _show(verdict: Verdict) -> None:
    title = "Meets the stated guarantee." if verdict.passed else "Does not meet the stated guarantee."
    click.secho(title, fg="green" if verdict.passed else "red", bold=True)
    for check in verdict.checks:
        click.echo(f"  {'pass' if check.passed else 'FAIL'}  {check.name}: {check.detail}")
    for witness in verdict.witnesses:
        click.echo(f"Witness ({witness.guarantee}): {witness.reason}")
        for name, value in witness.values:
            click.echo(f"    {name} = {value if value is not None else '(missing)'}")
        if witness.rows:
            click.echo(
                f"    rows {', '.join(map(str, witness.rows))}{' …' if witness.size > len(witness.rows) else ''}"
            )
    for warning in verdict.warnings:
        click.secho(f"Warning: {warning}", fg="yellow")
    click.echo(
        f"{verdict.records:,} records in {verdict.classes:,} classes; the smallest has {verdict.smallest_class:,}."
    )
