"""shoal verify: check a published file, of this tool or another."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from shoal.cli.output import emit
from shoal.cli.place import Place

if TYPE_CHECKING:
    from shoal.release.sections import EngineName
    from shoal.verify.verdict import Verdict


@click.command()
@click.argument("release", type=Place())
@click.option("--recipe", required=True, type=click.Path(dir_okay=False), help="Says the roles and what was promised.")
@click.option(
    "--original",
    type=Place(),
    help="Also check that nothing was lost or invented. The data as it was before; or the recipe, for what its [input] names, "
    "also tables with keys and a database.",
)
@click.option(
    "--assignment",
    type=Place(),
    help="With --original, where each group of people shows values of its own: the file `….assignment.private.parquet` that `shoal "
    "run` wrote beside the release. It says which original records are shown as what. Checked, not believed. Of trees the one "
    "beside RELEASE is taken by itself.",
)
@click.option(
    "--rules",
    type=click.Path(exists=True, dir_okay=False),
    help="With --original, of trees: the private manifest of the release. By default the one beside it. Checked, not believed.",
)
@click.option("--delimiter", help="Of a published CSV file; found by itself when it is not given.")
@click.option(
    "--engine",
    type=click.Choice(["local", "spark"]),
    help="Count here, or in Spark as [engine] of the recipe says. Here when it is not given, unless RELEASE is a URI.",
)
@click.option("--exempt-suppressed", is_flag=True, help="Do not count rows whose quasi-identifiers are all '*'.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def verify(
    release: str,
    recipe: str,
    original: str | None,
    assignment: str | None,
    rules: str | None,
    delimiter: str | None,
    engine: EngineName | None,
    exempt_suppressed: bool,
    as_json: bool,
) -> int:
    """Read RELEASE as a stranger would and check that it keeps the promises of the recipe.

    RELEASE is a CSV or Parquet file, of trees also JSON lines, or a folder of Parquet files; on Spark also a URI such as hdfs://…
    Understands hierarchy labels, intervals such as [20, 30[ or 20-29, masks such as 2*, sets such as {A, B}, and *.
    Exit code 0: it does; 1: it does not, and a witness is shown.
    """
    from shoal.cli.progress import progress
    from shoal.release.check import check_release

    started = time.monotonic()
    with progress(quiet=as_json) as listener:
        verdict = check_release(
            release,
            recipe,
            original=original,
            assignment=assignment,
            rules=rules,
            delimiter=delimiter,
            engine=engine,
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
        for line in witness.drawn:
            click.echo(f"    {line}")
        for name, value in () if witness.drawn else witness.values:
            click.echo(f"    {name} = {value if value is not None else '(missing)'}")
        if witness.rows:
            click.echo(
                f"    rows {', '.join(map(str, witness.rows))}{' …' if witness.size > len(witness.rows) else ''}"
            )
    for warning in verdict.warnings:
        click.secho(f"Warning: {warning}", fg="yellow")
    if "different_trees" in verdict.facts:
        click.echo(f"{verdict.records:,} records, which show {verdict.facts['different_trees']:,} different trees.")
    elif "distinct_sets" in verdict.facts:
        click.echo(f"{verdict.records:,} records, which show {verdict.facts['distinct_sets']:,} different sets.")
    else:
        click.echo(
            f"{verdict.records:,} records in {verdict.classes:,} classes; the smallest has {verdict.smallest_class:,}."
        )
