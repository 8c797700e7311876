"""shoal risk: the risk of data as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from shoal.cli.output import emit
from shoal.cli.place import Place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.attacks.combinations import Riskiest
    from shoal.attacks.risk import Risk
    from shoal.release.assess import Assessment
    from shoal.release.assess_mixed import MixedAssessment
    from shoal.release.assess_sets import ItemCounts, KnownItems, SetAssessment
    from shoal.release.assess_trees import TreeAssessment


@click.command()
@click.argument("data", type=Place())
@click.option(
    "--recipe",
    type=click.Path(dir_okay=False),
    help="Says which columns others could know. Needed unless DATA is the recipe.",
)
@click.option("--population", type=click.IntRange(min=1), help="How many people the data was drawn from.")
@click.option(
    "--threshold",
    type=click.FloatRange(min=0, max=1, min_open=True),
    help="A chance to compare with; 1/k if not given.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def risk(data: str, recipe: str | None, population: int | None, threshold: float | None, as_json: bool) -> None:
    """Print how easily people in DATA could be picked out as it is today: original or released.

    DATA is a file or folder; or a recipe, for what its [input] names: also tables with keys, and a database.
    """
    from shoal.cli.progress import progress
    from shoal.release.assess import Assessment
    from shoal.release.assess import risk as assess
    from shoal.release.assess_mixed import MixedAssessment
    from shoal.release.assess_trees import TreeAssessment

    with progress(quiet=as_json) as listener:
        found = assess(data, recipe, population=population, threshold=threshold, listener=listener)
    if as_json:
        emit(found.to_json())
    elif isinstance(found, Assessment):
        _show(found)
    elif isinstance(found, MixedAssessment):
        _show_mixed(found)
    elif isinstance(found, TreeAssessment):
        _show_trees(found)
    else:
        _show_sets(found)


def _show_sets(found: SetAssessment) -> None:
    risk = found.risk
    share = risk.sample_uniques / risk.records if risk.records else 0.0
    click.secho(
        f"{risk.sample_uniques:,} of {risk.records:,} records ({share:.1%}) are unique by all their items in '{found.column}'.",
        bold=True,
    )
    _show_items(found.items, found.k)
    click.echo("Somebody who knows that the person is in the data, and of their items")
    _show_known(found.known, found.k, 3)
    _show_others(risk)


def _show_mixed(found: MixedAssessment) -> None:
    risk, values = found.risk, found.known[0]
    shares = [one / risk.records if risk.records else 0.0 for one in (values.unique_records, risk.sample_uniques)]
    click.secho(
        f"{values.unique_records:,} of {risk.records:,} records ({shares[0]:.1%}) are unique on {', '.join(found.values)}; "
        f"{risk.sample_uniques:,} ({shares[1]:.1%}) with all their items in {', '.join(found.sets)}.",
        bold=True,
    )
    _show_items(found.items, found.k)
    click.echo("Somebody who knows that the person is in the data, all their values, and of their items")
    _show_known(found.known, found.k, 2)
    _show_others(risk)
    _show_riskiest(found.riskiest)


def _show_trees(found: TreeAssessment) -> None:
    risk, nodes = found.risk, found.nodes
    share = risk.sample_uniques / risk.records if risk.records else 0.0
    click.secho(
        f"{risk.sample_uniques:,} of {risk.records:,} records ({share:.1%}) are unique by their whole tree of "
        f"{', '.join(found.columns)}.",
        bold=True,
    )
    click.echo(
        f"{nodes.different:,} different values, {nodes.per_record:.1f} nodes to a record; {nodes.held_by_one:,} of the values are "
        f"held by one record only, {nodes.held_by_few:,} by fewer than {found.k}."
    )
    click.echo("Somebody who knows that the person is in the data, and, if these are the right ones,")
    for known in found.known:
        pairs = f", {known.relations} of their pairs" if known.relations else ""
        values = f"{known.values} value{'s' if known.values > 1 else ''}"
        sampled = "" if known.looked_at == risk.records else f" of {known.looked_at:,} looked at"
        click.echo(
            f"  {values + pairs:24}  fewer than {found.k} records fit {known.records_at_risk:,} people{sampled} "
            f"({known.share_at_risk:.1%})"
        )
    _show_others(risk)


def _show_items(items: ItemCounts, k: int) -> None:
    click.echo(
        f"{items.different:,} different items, {items.per_record:.1f} to a record; {items.held_by_one:,} of them are held by one "
        f"record only, {items.held_by_few:,} by fewer than {k}."
    )


def _show_known(found: Sequence[KnownItems], k: int, most: int) -> None:
    """most: items that were to be counted."""
    for known in found:
        what = {None: "all", 0: "none", 1: "one"}.get(known.items, f"up to {known.items}")
        click.echo(
            f"  {what:8}  highest 1 in {known.smallest:,}; average {known.average:.4f}; {known.unique_records:,} unique; "
            f"fewer than {k} records fit {known.records_at_risk:,} people ({known.share_at_risk:.1%})"
        )
    counted = [known.items for known in found if known.items is not None]
    if counted and max(counted) < most:
        click.echo(f"  Combinations of more than {max(counted)} were too many to count.")


def _show(found: Assessment) -> None:
    risk = found.risk
    share = risk.sample_uniques / risk.records if risk.records else 0.0
    click.secho(
        f"{risk.sample_uniques:,} of {risk.records:,} records ({share:.1%}) are unique on {', '.join(found.columns)}.",
        bold=True,
    )
    click.echo(f"The {risk.records:,} records form {risk.classes:,} classes; the smallest has {risk.smallest_class:,}.")
    attacker = risk.prosecutor
    click.echo("Prosecutor (knows the person is in the data)")
    click.echo(f"  highest 1 in {risk.smallest_class:,}; average {attacker.average:.4f}")
    if attacker.records_at_risk is not None:
        click.echo(f"  above {risk.threshold:g}: {attacker.records_at_risk:,} records ({attacker.share_at_risk:.1%})")
    _show_others(risk)
    _show_riskiest(found.riskiest)


def _show_others(risk: Risk) -> None:
    """Attackers who do not know that the person is in the data, or want no one in particular."""
    click.echo("Journalist (has a register of the population)")
    if risk.journalist is None:
        click.echo("  not assessed: give --population")
    else:
        click.echo(f"  highest {risk.journalist.highest:.4f}; average {risk.journalist.average:.4f} (estimated)")
    click.echo(f"Marketer (wants many): {risk.marketer:.1%} of the records could be matched rightly.")


def _show_riskiest(riskiest: Riskiest) -> None:
    telling = [c for c in riskiest.combinations if c.unique_records]
    click.echo("Columns that single people out:" if telling else "No one is unique on up to three of the columns.")
    for size, title in ((1, "one column"), (2, "two columns together"), (3, "three columns together")):
        of_size = [c for c in telling if len(c.columns) == size]
        if of_size:
            click.echo(f"  {title}")
        for combination in of_size[:5]:
            names = " + ".join(combination.columns)
            click.echo(f"    {combination.share:7.1%}  {combination.unique_records:>10,} unique  {names}")
