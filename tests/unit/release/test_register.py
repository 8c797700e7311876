"""A register of the population in the recipe: read, compared along the hierarchies, and told as counts."""

from __future__ import annotations

import json

import pytest

import shoal
from shoal.cli.errors import run_command
from shoal.cli.root import shoal as command
from shoal.errors import DataError, RecipeError

RECIPE = """
[input]
path = "people.csv"
[output]
path = "release/people.csv"
[columns]
name = {{ role = "identifying" }}
age = {{ role = "quasi", hierarchy = {{ intervals = [10], from = 0, to = 100 }} }}
town = {{ role = "quasi", hierarchy = "towns.csv" }}
illness = {{ role = "sensitive" }}
[[guarantee]]
name = "k-anonymity"
k = 2
[method]
name = "optimal"
[population]
{population}
"""
TOWNS = "Ulm;south;*\nGreiz;east;*\nGera;east;*\n"
PEOPLE = [(31, "Ulm"), (32, "Ulm"), (33, "Ulm"), (55, "Greiz"), (56, "Greiz"), (57, "Greiz")]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "towns.csv").write_text(TOWNS)
    rows = [f"n{at},{age},{town},flu" for at, (age, town) in enumerate(PEOPLE)]
    (tmp_path / "people.csv").write_text("\n".join(["name,age,town,illness", *rows]) + "\n")
    (tmp_path / "recipe.toml").write_text(RECIPE.format(population='file = "register.csv"'))
    return tmp_path


def register(folder, people, head="age,town,id"):
    rows = [",".join(map(str, one)) for one in people]
    (folder / "register.csv").write_text("\n".join([head, *rows]) + "\n")


def everybody(*more):
    return [(age, town, f"kanari{at}") for at, (age, town) in enumerate([*PEOPLE, *more])]


def attacked(folder):
    shoal.run(folder / "recipe.toml")
    return shoal.attack(str(folder / "release/people.csv"), folder / "recipe.toml")


def test_a_register_of_the_same_people_makes_a_k_map_of_the_classes(folder):
    register(folder, everybody())
    found = attacked(folder).register
    assert (found.people, found.columns) == (6, ("age", "town"))
    assert (found.k_map, found.records_below_k, found.records_unmatched) == (3, 0, 0)
    assert (found.lowest_presence, found.highest_presence, found.absent_people) == (1, 1, 0)
    assert (found.highest, found.average) == (1 / 3, 1 / 3)


def test_more_people_of_a_kind_lower_the_risk_and_others_match_nothing(folder):
    register(folder, everybody((38, "Ulm"), (39, "Ulm"), (39, "Ulm"), (80, "Gera")))
    found = attacked(folder).register
    assert found.k_map == 3
    assert found.average == pytest.approx((3 / 6 + 3 / 3) / 6)
    assert (found.lowest_presence, found.highest_presence, found.absent_people) == (0, 1, 1)


def test_columns_that_the_register_lacks_are_not_compared(folder):
    register(folder, [(age,) for age, _ in PEOPLE] + [(55,)], head="age")
    found = attacked(folder).register
    assert found.columns == ("age",)
    assert found.k_map == 3


def test_values_that_a_hierarchy_does_not_know_match_nothing_but_everything(folder):
    """Jena is not in the file, and nobody is 130; where both are shown as `*` they match."""
    register(folder, [(130, "Ulm", 0), (31, "Jena", 1), (31, "Ulm", 2)])
    found = attacked(folder).register
    assert (found.k_map, found.records_unmatched, found.absent_people) == (0, 3, 2)
    (folder / "hidden.csv").write_text("name,age,town,illness\n" + "x,*,*,flu\n" * 2)
    assert shoal.attack(str(folder / "hidden.csv"), folder / "recipe.toml").register.k_map == 3


def test_a_missing_value_of_the_register_matches_the_top_only(folder):
    register(folder, [("", "Ulm", 0), (31, "Ulm", 1)])
    assert attacked(folder).register.absent_people == 1


def test_the_risk_of_data_as_it_is(folder, capsys):
    register(folder, everybody((31, "Ulm"), (32, "Ulm")))
    found = shoal.risk(folder / "people.csv", folder / "recipe.toml")
    assert found.risk.sample_uniques == found.register.sample_uniques == 6
    assert found.register.population_uniques == 4
    assert found.register.k_map == 1
    arguments = ["risk", str(folder / "people.csv"), "--recipe", str(folder / "recipe.toml")]
    assert run_command(command, arguments) == 0
    assert "of these unique in the register too: 4" in capsys.readouterr().out
    assert run_command(command, [*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["register"]["population_uniques"] == 4


def test_a_planted_leak_is_found(folder, capsys):
    """A release that lets one person stand alone, whom the register names."""
    register(folder, everybody())
    rows = ["x,[30-40),south,flu"] * 2 + ["x,57,Greiz,flu"]
    (folder / "leak.csv").write_text("name,age,town,illness\n" + "\n".join(rows) + "\n")
    found = shoal.attack(str(folder / "leak.csv"), folder / "recipe.toml")
    journalist = next(one for one in found.attacks if one.name == "journalist: a register")
    assert (found.register.k_map, found.register.population_uniques, found.register.highest) == (1, 1, 1)
    assert journalist.meter.attacks >= 10_000
    assert not journalist.kept
    arguments = ["attack", str(folder / "leak.csv"), "--recipe", str(folder / "recipe.toml")]
    assert run_command(command, arguments) == 1
    assert "1-map" in capsys.readouterr().out


def test_the_report_tells_it_to_the_custodian_alone(folder):
    register(folder, everybody((38, "Ulm"), (80, "Gera")))
    release = shoal.run(folder / "recipe.toml")
    facts, public = release.described.facts, release.described.public
    assert facts.risk.journalist.highest == 0.334  # three digits, up
    assert "a register of 8 people, compared by age, town" in facts.risk.journalist.population
    assert any(one.name == "journalist: a register" for one in facts.attacks)
    assert public.risk.journalist is None
    assert not any("register" in one.name for one in public.attacks)
    files = list((folder / "release").iterdir())
    assert not any(b"kanari" in file.read_bytes() for file in files)
    assert not any("compared by age" in file.read_text() for file in files if "private" not in file.name)
    assert "compared by age, town" in (folder / "release/people.report.private.html").read_text()


def test_what_is_wrong_with_a_register_is_said(folder):
    register(folder, [("a",)], head="id")
    with pytest.raises(RecipeError, match=r"population\.file: the register has none of the columns .* age, town"):
        shoal.run(folder / "recipe.toml")
    register(folder, [])
    with pytest.raises(DataError):
        shoal.run(folder / "recipe.toml")
    (folder / "register.csv").unlink()
    with pytest.raises(DataError, match=r"register\.csv"):
        shoal.run(folder / "recipe.toml")


def test_size_and_file_are_two_ways_to_say_it(folder):
    (folder / "recipe.toml").write_text(RECIPE.format(population='file = "register.csv"\nsize = 9'))
    with pytest.raises(RecipeError, match="cannot both be given"):
        shoal.Recipe.load(folder / "recipe.toml")


def test_a_register_is_for_tables_and_is_not_written_over(folder):
    text = RECIPE.format(population='file = "register.csv"').replace('"release/people.csv"', '"register.csv"')
    (folder / "recipe.toml").write_text(text)
    register(folder, everybody())
    with pytest.raises(RecipeError, match="would be written over the register"):
        shoal.run(folder / "recipe.toml")
    sets = {
        "columns": {"items": {"role": "quasi", "kind": "set"}},
        "guarantee": [{"name": "km-anonymity", "k": 2, "m": 2}],
        "population": {"file": "register.csv"},
    }
    with pytest.raises(RecipeError, match=r"population\.file: a register is held against tables"):
        shoal.Recipe.of(sets)


def test_of_a_size_alone_the_report_has_estimates(folder):
    (folder / "recipe.toml").write_text(RECIPE.format(population="size = 600"))
    release = shoal.run(folder / "recipe.toml")
    told = release.described.facts.risk.journalist
    assert 0 < told.average <= told.highest < 1 / 3
    assert "600 people, of whom nothing else is known" in told.population
    assert (
        "unique in the population: about 6 of the records, and 100.00% of all people" in told.population
    )  # all differ
    assert release.described.public.risk.journalist is None
    assert "of whom nothing else is known" in (folder / "release/people.report.private.html").read_text()


def test_a_size_below_the_records_is_no_population(folder):
    (folder / "recipe.toml").write_text(RECIPE.format(population="size = 5"))
    assert shoal.run(folder / "recipe.toml").described.facts.risk.journalist is None
