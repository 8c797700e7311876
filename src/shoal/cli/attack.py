"""shoal attack: simulated attacks on a release."""

from __future__ import annotations

import click

from shoal.cli.arguments import Place, Time
from shoal.cli.output import echo, emit


@click.command()
@click.argument("release", type=Place())
@click.option("--recipe", type=click.Path(dir_okay=False), required=True, help="Says the roles and what was promised.")
@click.option("--original", type=Place(), help="The data as it was before, for attacks that undo the blur of a table.")
@click.option("--population", type=click.IntRange(min=1), help="How many people the data was drawn from.")
@click.option(
    "--budget",
    type=Time(zero=True),
    help='After this time no further attack is begun, such as "60s" or "5m"; 0: none is.',
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def attack(
    release: str, recipe: str, original: str | None, population: int | None, budget: float | None, as_json: bool
) -> int:
    """Attack RELEASE and print how often that succeeds, beside guessing and what the recipe promises.

    Nobody is named and no value printed: rates only. Exit code 0: every promise is kept as far as was measured; 1: an attack
    succeeds more often than is promised.
    """
    from shoal.cli.progress import progress
    from shoal.release.attacking.attack import attack as attack_release

    with progress(quiet=as_json) as listener:
        attacked = attack_release(
            release, recipe, original=original, population=population, budget=budget, listener=listener
        )
    if as_json:
        emit(attacked.to_json())
    else:
        for line in attacked.lines():
            echo(line.text, **({"bold": True} if line.bold else {}))
    return 1 if attacked.broken else 0
