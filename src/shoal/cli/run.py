"""shoal run: the one path, from a recipe to a published release."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from shoal.cli.output import echo, echo_prose, emit, empty_rows

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.release.recipe.sections import EngineName
    from shoal.release.result import Release


@click.command()
@click.argument("recipe", type=click.Path(dir_okay=False))
@click.option("--replace", is_flag=True, help="Replace an earlier release at the output path; nothing else is.")
@click.option("--engine", type=click.Choice(["local", "spark"]), help="Run on this one, whatever the recipe says.")
@click.option(
    "--without",
    type=click.Path(exists=True, dir_okay=False),
    help="A CSV file with one column, named like an identifying column of the data: these people are left out.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def run(recipe: str, replace: bool, engine: EngineName | None, without: str | None, as_json: bool) -> int:
    """Make a release, verify the written file, and publish it with its report.

    Nothing is at the output path unless the verifier passed what is there.
    """
    from shoal.cli.progress import progress
    from shoal.io.location import name_of

    with progress(quiet=as_json) as listener:
        from shoal.release.run import run as run_recipe  # takes its time: someone may be looking

        release = run_recipe(recipe, replace=replace, engine=engine, without=without, listener=listener)
    if as_json:
        emit(release.to_json())
        return 0
    echo("Meets the stated guarantee.", fg="green", bold=True, err=True)
    for check in release.verdict.checks:
        _say(f"  {check.name}: {check.detail}")
    _say(f"{release.records_out:,} of {release.records_in:,} records published, {release.suppressed:,} suppressed.")
    if release.empty_rows:
        _say(f"{empty_rows(release.empty_rows)}.")
    _say(f"Loss ({release.described.loss_name}): {_lost(release)}{_proved(release)}.")
    _say("Why:")
    for sentence in release.described.why[:3]:
        _say(f"  {sentence}")
    for warning in release.warnings:
        echo_prose(f"Warning: {warning}", fg="yellow", err=True)
    _say("Published:")
    for file in release.files:
        echo(_shown(file))
    names = [name_of(file) for file in release.files]
    report = next(name for name in names if name.endswith(".report.private.html"))
    private = " and ".join(name for name in names if ".private." in name and name != report)
    _say(f"Read {report} before you sign; keep it and {private} to yourself.")
    return 0  # the release is there, whatever becomes of these words


def _lost(release: Release) -> str:
    """As `compare` prints it; a share also in per cent."""
    from shoal.report.words import loss_figure

    main = release.described.facts.main_loss
    share = main is not None and main.share
    figure = loss_figure(release.loss, share=share)
    return f"{release.loss:.1%} ({figure})" if share else figure


def _proved(release: Release) -> str:
    """What is known of better releases: with one level per column, and in groups of any kind."""
    from shoal.report.words import floor_words

    known = ""
    if release.decision.optimal:
        known += ", the least possible with one level per column"
    elif release.decision.bound > 0:
        known += f"; with one level per column at least {release.decision.bound:.4f} is proved"
    close = "" if release.floor is None else floor_words(release.floor.at_most_above)
    return f"{known}; {close} along these hierarchies" if close else known


def _say(text: str) -> None:
    echo_prose(text, err=True)


def _shown(file: Path | str) -> str:
    """Relative to here when it lies below, as people type it; a URI as it is."""
    import os

    if isinstance(file, str):
        return file
    text = str(file)
    try:
        here = os.path.relpath(text)
    except FileNotFoundError:  # the folder we are in has been removed
        return text
    return text if here.startswith("..") else here
