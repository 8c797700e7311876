"""shoal run: the one path, from a recipe to a published release."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from shoal.cli.output import emit

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.release.result import Release
    from shoal.release.sections import EngineName


@click.command()
@click.argument("recipe", type=click.Path(dir_okay=False))
@click.option("--replace", is_flag=True, help="Replace an earlier release at the output path.")
@click.option("--engine", type=click.Choice(["local", "spark"]), help="Run on this one, whatever the recipe says.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def run(recipe: str, replace: bool, engine: EngineName | None, as_json: bool) -> None:
    """Make a release, verify the written file, and publish it with its report.

    Nothing is at the output path unless the verifier passed what is there.
    """
    from shoal.cli.progress import progress
    from shoal.io.location import name_of
    from shoal.release.run import run as run_recipe

    with progress(quiet=as_json) as listener:
        release = run_recipe(recipe, replace=replace, engine=engine, listener=listener)
    if as_json:
        emit(release.to_json())
        return
    click.secho("Meets the stated guarantee.", fg="green", bold=True, err=True)
    for check in release.verdict.checks:
        _say(f"  {check.name}: {check.detail}")
    _say(f"{release.records_out:,} of {release.records_in:,} records published, {release.suppressed:,} suppressed.")
    share = f"{release.loss:.1%}" if release.loss <= 1 else f"{release.loss:,.0f}"
    _say(f"Loss ({release.described.loss_name}): {share}{_proved(release)}.")
    _say("Why:")
    for sentence in release.described.why[:3]:
        _say(f"  {sentence}")
    for warning in release.warnings:
        click.secho(f"Warning: {warning}", fg="yellow", err=True)
    _say("Published:")
    for file in release.files:
        click.echo(_shown(file))
    names = [name_of(file) for file in release.files]
    report = next(name for name in names if name.endswith(".report.html"))
    private = " and ".join(name for name in names if ".private." in name)
    _say(f"Read {report} before you sign; keep {private} to yourself.")


def _proved(release: Release) -> str:
    """What is known of better releases: with one level per column, and in groups of any kind."""
    from shoal.report.words import at_most

    known = ""
    if release.decision.optimal:
        known += ", the least possible with one level per column"
    elif release.decision.bound > 0:
        known += f"; with one level per column at least {release.decision.bound:.4f} is proved"
    if release.floor is not None:
        known += (
            f"; at most {at_most(release.floor.at_most_above)} above the best possible release along these hierarchies"
        )
    return known


def _say(text: str) -> None:
    click.echo(text, err=True)


def _shown(file: Path | str) -> str:
    """Relative to here when it lies below, as people type it; a URI as it is."""
    import os

    if isinstance(file, str):
        return file
    text = str(file)
    here = os.path.relpath(text)
    return text if here.startswith("..") else here
