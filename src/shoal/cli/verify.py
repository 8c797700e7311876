"""shoal verify: check a published file, of this tool or another."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from shoal.cli.arguments import Place
from shoal.cli.output import echo, emit

if TYPE_CHECKING:
    from shoal.release.recipe.sections import EngineName
    from shoal.release.signature.check import SignatureCheck
    from shoal.verifier.verdict import Verdict

# by kind of data: the figure that takes the place of classes, and what it counts
_COUNTED = {"trees": ("different_trees", "trees"), "sets": ("distinct_sets", "sets")}

_SIGNATURE = "signature"  # the name of its check


@click.command()
@click.argument("release", type=Place())
@click.option("--recipe", type=click.Path(dir_okay=False), help="Says the roles and what was promised.")
@click.option("--quasi", metavar="A,B", help="In the place of a recipe: the columns that others could know; with --k.")
@click.option("--sensitive", metavar="A,B", help="With --quasi: columns of private facts; with --l or --t.")
@click.option("--k", type=int, help="With --quasi: everyone looks like others, in groups of so many.")
@click.option("--l", "l_", type=float, help="With --sensitive: so many different values in each group.")
@click.option("--t", type=float, help="With --sensitive: as far as this from the values of all.")
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
@click.option("--encoding", help="Of a published CSV file, when it is not the one that the recipe says.")
@click.option(
    "--engine",
    type=click.Choice(["local", "spark"]),
    help="Count here, or in Spark as [engine] of the recipe says. Here when it is not given, unless RELEASE is a URI.",
)
@click.option("--exempt-suppressed", is_flag=True, help="Do not count rows whose quasi-identifiers are all '*'.")
@click.option(
    "--any-order",
    is_flag=True,
    help="The rows of RELEASE were shuffled: do not ask that records that show the same stand together.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def verify(
    release: str,
    recipe: str | None,
    quasi: str | None,
    sensitive: str | None,
    k: int | None,
    l_: float | None,
    t: float | None,
    original: str | None,
    assignment: str | None,
    rules: str | None,
    delimiter: str | None,
    encoding: str | None,
    engine: EngineName | None,
    exempt_suppressed: bool,
    any_order: bool,
    as_json: bool,
) -> int:
    """Read RELEASE as a stranger would and check that it keeps the promises of the recipe.

    RELEASE is a CSV or Parquet file, a workbook or a file of SPSS or Stata, of trees also JSON lines, or a folder of Parquet files,
    also in a store (s3://…); on Spark also a URI such as hdfs://…
    Understands hierarchy labels, intervals such as [20, 30[ or 20-29, masks such as 2*, sets such as {A, B}, and *.
    Where someone signed it (`shoal sign`), the hashes of its files are checked too.
    Exit code 0: it does; 1: it does not, and a witness is shown, or a file was changed after signing.
    """
    from shoal.cli.progress import progress

    started = time.monotonic()
    with progress(quiet=as_json) as listener:
        from shoal.release.check import check_release  # takes its time: someone may be looking
        from shoal.release.short.roles import listed_names

        verdict = check_release(
            release,
            recipe,
            quasi=listed_names(quasi),
            sensitive=listed_names(sensitive),
            k=k,
            l=int(l_) if l_ is not None and l_.is_integer() else l_,
            t=t,
            original=original,
            assignment=assignment,
            rules=rules,
            delimiter=delimiter,
            encoding=encoding,
            engine=engine,
            exempt_suppressed=exempt_suppressed,
            any_order=any_order,
            listener=listener,
        )
        signature = None if recipe is None else _signature(release, recipe)
    verdict = verdict if signature is None else _with(verdict, signature)
    if as_json:
        emit(
            {
                "records_in": verdict.facts.get("records_in"),
                "records_out": verdict.records,
                "suppressed": verdict.facts.get("suppressed"),
                "seconds": round(time.monotonic() - started, 3),
                **verdict.to_json(),
                "signature": None if signature is None else signature.to_json(),
            }
        )
    else:
        _show(verdict, signature)
    return 0 if verdict.passed else 1


def _signature(release: str, recipe: str) -> SignatureCheck | None:
    """Of a release on a disk; in a store nothing is signed."""
    from pathlib import Path

    from shoal.io.location import is_uri
    from shoal.release.signature.check import check_signature

    return None if is_uri(release) else check_signature(Path(release), Path(recipe))


def _with(verdict: Verdict, signature: SignatureCheck) -> Verdict:
    """A signature is one more check: what was signed must be what lies here."""
    from dataclasses import replace

    from shoal.report.signing.statement import OTHER_RECIPE
    from shoal.verifier.verdict import Check

    check = Check(_SIGNATURE, signature.fits, f"{signature.words()}.")
    warnings = (*verdict.warnings, OTHER_RECIPE) if signature.other_recipe else verdict.warnings
    return replace(
        verdict, passed=verdict.passed and signature.fits, checks=(*verdict.checks, check), warnings=warnings
    )


def _show(verdict: Verdict, signature: SignatureCheck | None) -> None:
    kept = all(check.passed for check in verdict.checks if check.name != _SIGNATURE)
    title = "Meets the stated guarantee" if kept else "Does not meet the stated guarantee"
    if signature is not None and not signature.fits:
        title += f"{', but' if kept else ', and'} is not what was signed"
    echo(f"{title}.", fg="green" if verdict.passed else "red", bold=True)
    for check in verdict.checks:
        echo(f"  {'pass' if check.passed else 'FAIL'}  {check.name}: {check.detail}")
    for witness in verdict.witnesses:
        echo(f"Witness ({witness.guarantee}): {witness.reason}")
        for line in witness.drawn:
            echo(f"    {line}")
        for name, value in () if witness.drawn else witness.values:
            echo(f"    {name} = {value if value is not None else '(missing)'}")
        if witness.rows:
            echo(f"    rows {', '.join(map(str, witness.rows))}{' …' if witness.size > len(witness.rows) else ''}")
    for warning in verdict.warnings:
        echo(f"Warning: {warning}", fg="yellow")
    fact, noun = _COUNTED.get(verdict.kind, ("", ""))
    if fact in verdict.facts:
        echo(f"{verdict.records:,} records, which show {verdict.facts[fact]:,} different {noun}.")
    else:
        echo(
            f"{verdict.records:,} records in {verdict.classes:,} classes; the smallest has {verdict.smallest_class:,}."
        )
