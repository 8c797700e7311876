"""shoal measure: what anyone's table attains, without a recipe."""

from __future__ import annotations

import click

from shoal.cli.arguments import Place
from shoal.cli.output import echo, emit


@click.command()
@click.argument("data", type=Place())
@click.option("--quasi", required=True, metavar="A,B", help="The columns that others could know of a person.")
@click.option("--sensitive", metavar="A,B", help="Columns of private facts, of which l and t are measured.")
@click.option("--original", type=Place(), help="What DATA was made of: also measure what was lost against it.")
@click.option(
    "--hierarchy",
    "hierarchies",
    multiple=True,
    metavar="COLUMN=FILE",
    help="With --original: the hierarchy file that a column was blurred by. May be given several times.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def measure(
    data: str,
    quasi: str,
    sensitive: str | None,
    original: str | None,
    hierarchies: tuple[str, ...],
    as_json: bool,
) -> None:
    """Print the k that DATA attains by some columns; of private columns the l, in three forms, and the t.

    DATA is a file of any kind that is read, original or released by any tool; encoding and delimiter are found by themselves.
    Nothing is promised or judged: `shoal verify` does that.

    With --original the losses are measured too. A release does not tell which record became which: a loss that needs to know that
    is not measured, and the reason is printed.
    """
    from shoal.cli.progress import progress
    from shoal.release.short.measure import measure as measured
    from shoal.release.short.roles import listed_names

    with progress(quiet=as_json) as listener:
        attained = measured(
            data,
            quasi={**dict.fromkeys(listed_names(quasi) or ()), **dict(map(_rule, hierarchies))},
            sensitive=listed_names(sensitive),
            original=original,
            listener=listener,
        )
    if as_json:
        emit(attained.to_json())
        return
    for line in attained.lines():
        style = {"bold": True} if line.bold else {}
        echo(line.text, **style)


def _rule(text: str) -> tuple[str, str]:
    """COLUMN=FILE, split."""
    column, mark, file = text.rpartition("=")
    if not (column and mark and file):
        raise click.BadParameter("write COLUMN=FILE, such as age=age.csv.", param_hint="--hierarchy")
    return column, file
