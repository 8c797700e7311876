"""`shoal risk` and `shoal plan` of a mixed table."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations

import pyarrow as pa
import pytest
from click.testing import CliRunner

import shoal
from samples.mixed_release import ALONE, SENSITIVE, mixed_recipe, patients
from shoal.cli.root import shoal as command
from shoal.release.preview import preview
from shoal.report.mixed.risk import MixedAssessment


def _said(*args):
    done = CliRunner().invoke(command, [str(arg) for arg in args])
    assert done.exit_code == 0, done.output
    return done.stdout


def _rows(two):
    """Values, and the items that somebody may know."""
    for age, town, ill, drugs, _ in patients():
        items = {("ill", item) for item in ill if item not in SENSITIVE} | {("drugs", item) for item in drugs if two}
        yield (age, town), frozenset(items)


def _fits(rows, known):
    for values, items in rows:
        inside = [other for mine, other in rows if mine == values]
        if known is None:
            yield sum(other == items for other in inside)
        else:
            some = [frozenset(c) for size in range(known + 1) for c in combinations(items, size)]
            yield min(sum(one <= other for other in inside) for one in some)


@pytest.mark.parametrize("way", ["sets", "two"])
def test_risk_counts_who_is_found(tmp_path, way):
    recipe = mixed_recipe(tmp_path, way)
    found = shoal.risk(tmp_path / "patients.csv", recipe)
    assert isinstance(found, MixedAssessment)
    rows = list(_rows(way == "two"))
    assert [one.items for one in found.known] == [0, 1, 2, None]
    for one in found.known:
        fits = list(_fits(rows, one.items))
        assert (one.smallest, one.unique_records) == (min(fits), fits.count(1))
        assert one.records_at_risk == sum(fit < found.k for fit in fits)
        assert one.average == pytest.approx(sum(1 / fit for fit in fits) / len(fits))
    assert found.risk.classes == len(set(rows)) and found.risk.records == len(rows)
    assert found.risk.sample_uniques == found.known[-1].unique_records
    held = Counter(item for _, items in rows for item in items)
    assert (found.items.different, found.items.held_by_one) == (len(held), list(held.values()).count(1))
    assert {name for one in found.riskiest.combinations for name in one.columns} == {"age", "town"}
    assert found.columns == ("age", "town", "ill", "drugs")[: 4 if way == "two" else 3]


def test_nothing_is_named(tmp_path):
    recipe = mixed_recipe(tmp_path, "two")
    found = shoal.risk(tmp_path / "patients.csv", recipe)
    told = json.dumps(found.to_json()) + repr(found) + found._repr_html_()
    assert ALONE not in told and not any(item in told for item in SENSITIVE)
    assert "unique, values and 2 items known" in told and "unique, values known" in told


def test_risk_of_a_frame_is_that_of_the_file(tmp_path):
    recipe = mixed_recipe(tmp_path, "two")
    names = ("age", "town", "ill", "drugs", "insurance")
    frame = pa.table(dict(zip(names, map(list, zip(*patients(), strict=True)), strict=True)))
    assert shoal.risk(frame, recipe) == shoal.risk(tmp_path / "patients.csv", recipe)


def test_a_release_is_safer_than_the_data(tmp_path):
    recipe = mixed_recipe(tmp_path, "two")
    release = shoal.run(recipe)
    after = shoal.risk(release.files[0], recipe)
    told = release.described.facts.attackers
    for one in after.known:
        odds = next(attacker.after for attacker in told if attacker.knows == one.items)
        assert (one.smallest, one.unique_records, one.records_at_risk) == (odds.least, odds.unique, odds.small)


def test_the_commands(tmp_path):
    mixed_recipe(tmp_path, "two")
    recipe, data = next(tmp_path.glob("*.toml")), tmp_path / "patients.csv"
    told = _said("risk", data, "--recipe", recipe)
    assert "unique on age, town" in told and "all their items in ill, drugs" in told and ALONE not in told
    assert "  none  " in told and "  up to 2 " in told and "Columns that single people out" in told
    assert json.loads(_said("risk", data, "--recipe", recipe, "--json"))["sets"] == ["ill", "drugs"]
    planned = " ".join(_said("plan", recipe).split())
    assert "Method rum-bound, least item-ncp loss;" in planned and "sensitive ones as they are" in planned


def test_plan_says_what_happens(tmp_path):
    seen = {way: preview(mixed_recipe(tmp_path, way)) for way in ("hierarchy", "two")}
    ill = {way: next(column for column in one.columns if column.name == "ill") for way, one in seen.items()}
    assert (
        ill["hierarchy"].what == "items shown as labels, 2 sensitive ones as they are" and ill["hierarchy"].levels == 3
    )
    assert ill["two"].what == "items shown as sets of items, 2 sensitive ones as they are" and ill["two"].levels is None
    assert (seen["hierarchy"].loss, seen["two"].loss) == ("ncp", "item-ncp")
    assert seen["two"].lattice == 0
