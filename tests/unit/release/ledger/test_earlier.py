"""A release beside the earlier ones of the same people: whom both tell apart, counted by hand; what is said of it, and where."""

from __future__ import annotations

import csv
import json
import random
import sqlite3
from collections import Counter

import pytest

import shoal
from shoal.errors import AnswerIsNo, DataError
from shoal.release.ledger.book import read

RECIPE = """
[input]
path = "{data}"
[output]
path = "{name}/people.csv"
[columns]
id = {{ role = "identifying" }}
age = {{ role = "{age}"{intervals} }}
city = {{ role = "{city}" }}
job = {{ role = "{job}" }}
ill = {{ role = "sensitive" }}
[[guarantee]]
name = "k-anonymity"
k = 5
[method]
name = "optimal"
[ledger]
path = "private/ledger.jsonl"
{more}
"""
INTERVALS = ", hierarchy = { intervals = [10, 20], from = 0, to = 100 }"


def write_people(folder, name="people.csv", people=range(400), seed=7):
    """One and the same person has the same values in every file."""
    rows = []
    for person in people:
        chance = random.Random(f"{seed} {person}")
        rows.append(
            {
                "id": f"p{person}",
                "age": chance.randrange(20, 60),
                "city": chance.choice(["Ulm", "Bonn", "Kiel"]),
                "job": chance.choice(["cook", "nurse", "clerk", "smith"]),
                "ill": chance.choice(["flu", "cold", "none", "none"]),
            }
        )
    with (folder / name).open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return rows


def publish(folder, name, *, data="people.csv", hide=(), more="", **options):
    roles = {column: "identifying" if column in hide else "quasi" for column in ("age", "city", "job")}
    intervals = "" if "age" in hide else INTERVALS
    text = RECIPE.format(name=name, data=data, intervals=intervals, more=more, **roles)
    (folder / f"{name}.toml").write_text(text)
    return shoal.run(folder / f"{name}.toml", **options)


def classes(release, rows):
    """What each person shows, by the levels that were chosen; nobody is suppressed here."""
    levels = release.levels
    width = {1: 10, 2: 20}

    def shown(row, column):
        if column == "age":
            return row["age"] // width[levels["age"]] if levels["age"] in width else row["age"] * (levels["age"] == 0)
        return row[column] if levels[column] == 0 else "*"

    return [tuple(shown(row, column) for column in levels) for row in rows]


def told_apart(first, second, k):
    pairs = Counter(zip(first, second, strict=True))
    return sum(n for n in pairs.values() if n < k)


def earlier_of(folder, name, edition="manifest.private.json"):
    said = json.loads((folder / name / f"people.{edition}").read_text())
    return said.get("facts", said)["earlier"]


def test_the_count_is_that_of_a_plain_group_by(tmp_path):
    rows = write_people(tmp_path)
    first = publish(tmp_path, "first", hide=("job",))
    second = publish(tmp_path, "second", hide=("city",))
    number = told_apart(classes(first, rows), classes(second, rows), 5)
    assert number >= 5
    (warning,) = [said for said in second.warnings if "Earlier release" in said]
    assert (
        f"people.csv of {read(tmp_path / 'private/ledger.jsonl').entries[0].day}: {number} people can be told apart"
        in warning
    )
    (found,) = earlier_of(tmp_path, "second")["releases"]
    assert found["together"] == number and found["examined"]


def test_what_is_found_stays_with_the_custodian(tmp_path):
    write_people(tmp_path)
    publish(tmp_path, "first", hide=("job",))
    publish(tmp_path, "second", hide=("city",))
    assert earlier_of(tmp_path, "second", "report.json") == {"checked": True, "releases": [], "withheld": True}
    public = (tmp_path / "second/people.report.html").read_text()
    private = (tmp_path / "second/people.report.private.html").read_text()
    assert "the custodian has the result" in public and "can be told apart" not in public
    assert "can be told apart: fewer than 5 lie in the same class of both" in private


def test_private_facts_that_both_give_away_are_counted(tmp_path):
    rows = write_people(tmp_path)
    first = publish(tmp_path, "first", hide=("job",))
    publish(tmp_path, "second", hide=("city",))
    second = shoal.run(tmp_path / "second.toml", replace=True)
    pairs = list(zip(classes(first, rows), classes(second, rows), strict=True))
    held = {pair: {row["ill"] for row, one in zip(rows, pairs, strict=True) if one == pair} for pair in pairs}
    number = sum(len(held[pair]) < 2 for pair in pairs)
    assert number
    found = earlier_of(tmp_path, "second")["releases"][0]
    assert found["given_away"] == (number if number >= 5 else "below k")


def test_the_same_release_again_tells_nothing_new(tmp_path):
    write_people(tmp_path)
    publish(tmp_path, "first")
    again = publish(tmp_path, "second", more='earlier = "refuse"')
    assert not [said for said in again.warnings if "Earlier" in said]
    assert "nobody is told apart" in earlier_of(tmp_path, "second")["releases"][0]["note"]


def test_refuse_publishes_nothing_and_writes_nothing_down(tmp_path):
    write_people(tmp_path)
    publish(tmp_path, "first", hide=("job",))
    before = (tmp_path / "private/ledger.jsonl").read_bytes()
    with pytest.raises(AnswerIsNo, match=r"can be told apart.*Publish the same columns") as refused:
        publish(tmp_path, "second", hide=("city",), more='earlier = "refuse"')
    assert refused.value.exit_code == 1 and "Nothing was published" in str(refused.value)
    assert not list((tmp_path / "second").glob("*")) and (tmp_path / "private/ledger.jsonl").read_bytes() == before


def test_ignore_looks_at_nothing(tmp_path):
    write_people(tmp_path)
    publish(tmp_path, "first", hide=("job",))
    second = publish(tmp_path, "second", hide=("city",), more='earlier = "ignore"')
    assert not [said for said in second.warnings if "Earlier" in said]
    assert earlier_of(tmp_path, "second")["checked"] is False
    assert len(read(tmp_path / "private/ledger.jsonl").entries) == 2


def test_people_of_another_original_are_known_by_the_column_that_names_them(tmp_path):
    """In another order, and half of them others: those in both count."""
    person = 'person = "id"'
    rows = {row["id"]: row for row in write_people(tmp_path)}
    first = publish(tmp_path, "first", hide=("job",), more=person)
    later = [*range(399, 199, -1), *range(400, 600)]
    rows |= {row["id"]: row for row in write_people(tmp_path, "later.csv", later)}
    second = publish(tmp_path, "second", data="later.csv", hide=("city",), more=person)
    both = [rows[f"p{one}"] for one in range(200, 400)]
    (found,) = earlier_of(tmp_path, "second")["releases"]
    assert found["together"] == told_apart(classes(first, both), classes(second, both), 5) >= 5


def test_another_original_without_a_column_that_names_people_is_not_examined(tmp_path):
    write_people(tmp_path)
    publish(tmp_path, "first", hide=("job",))
    write_people(tmp_path, "later.csv", range(1, 401))
    second = publish(tmp_path, "second", data="later.csv", hide=("city",))
    assert "not examined: it is of another original" in next(said for said in second.warnings if "Earlier" in said)
    with pytest.raises(AnswerIsNo, match=r"not examined.*`ledger\.person`"):
        publish(tmp_path, "third", data="later.csv", hide=("city",), more='earlier = "refuse"')


def test_the_same_original_is_known_by_its_rows_although_only_one_recipe_names_people(tmp_path):
    rows = write_people(tmp_path)
    first = publish(tmp_path, "first", hide=("job",))
    second = publish(tmp_path, "second", hide=("city",), more='person = "id"')
    (found,) = earlier_of(tmp_path, "second")["releases"]
    assert found["together"] == told_apart(classes(first, rows), classes(second, rows), 5)


def test_a_file_of_people_that_was_changed_is_refused(tmp_path):
    write_people(tmp_path)
    publish(tmp_path, "first", hide=("job",))
    (file,) = (tmp_path / "private/ledger.people").iterdir()
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    with pytest.raises(DataError, match="it was changed"):
        publish(tmp_path, "second", hide=("city",))
    file.unlink()
    with pytest.raises(DataError, match="is gone"):
        publish(tmp_path, "second", hide=("city",))
    assert not list((tmp_path / "second").glob("*"))


def test_local_recodings_are_followed_too(tmp_path):
    """Every class shows values of its own, and people with the same values may lie in several: nobody is missed."""
    rows = write_people(tmp_path)
    text = RECIPE.format(
        name="first", data="people.csv", intervals=INTERVALS, more="", age="quasi", city="quasi", job="identifying"
    )
    (tmp_path / "first.toml").write_text(text.replace('"optimal"', '"mondrian"'))
    shoal.run(tmp_path / "first.toml")
    publish(tmp_path, "second", hide=("city",))
    (found,) = earlier_of(tmp_path, "second")["releases"]
    assert found["examined"] and len(rows) == 400


def test_one_person_who_left_is_counted(tmp_path):
    person = 'person = "id"'
    write_people(tmp_path)
    publish(tmp_path, "first", more=person)
    write_people(tmp_path, "later.csv", range(1, 400))
    second = publish(tmp_path, "second", data="later.csv", more=person)
    (found,) = earlier_of(tmp_path, "second")["releases"]
    assert found["changed"] == "below k"
    (warning,) = [said for said in second.warnings if "Earlier" in said]
    assert "1 person came or left" in warning and "until they are 5 or more" in warning


def joined(before, after):
    """The class of each person in either release → a number for what hangs together, by plain relabelling."""
    part = {("before", one): number for number, one in enumerate(sorted(set(before.values())))}
    part |= {("after", one): -1 - number for number, one in enumerate(sorted(set(after.values())))}
    for person in before.keys() & after.keys():
        old, new = part["after", after[person]], part["before", before[person]]
        part = {key: new if value == old else value for key, value in part.items()}
    return part


def test_who_came_or_left_is_counted_by_what_hangs_together(tmp_path):
    person = 'person = "id"'
    rows = {row["id"]: row for row in write_people(tmp_path)}
    first = publish(tmp_path, "first", hide=("job",), more=person)
    later = [one for one in range(430) if one % 29]
    rows |= {row["id"]: row for row in write_people(tmp_path, "later.csv", later)}
    second = publish(tmp_path, "second", data="later.csv", hide=("job",), more=person)
    ids = [f"p{one}" for one in range(400)], [f"p{one}" for one in later]
    before, after = (
        dict(zip(names, classes(release, [rows[name] for name in names]), strict=True))
        for names, release in zip(ids, (first, second), strict=True)
    )
    part, number = joined(before, after), 0
    for here, there, side in ((before, after, "before"), (after, before, "after")):
        gone = Counter(part[side, shown] for name, shown in here.items() if name not in there)
        number += sum(n for n in gone.values() if n < 5)
    assert number >= 5
    assert earlier_of(tmp_path, "second")["releases"][0]["changed"] == number


def test_attacks_take_both_releases_together(tmp_path):
    """The rate is what picking in the groups of both gives on the average; with the same release twice no more than one gives."""
    rows = write_people(tmp_path)
    first = publish(tmp_path, "first", hide=("job",))
    second = publish(tmp_path, "second", hide=("city",))
    sizes = Counter(zip(classes(first, rows), classes(second, rows), strict=True))
    expected = len(sizes) / len(rows)
    (made,) = composition(tmp_path, "second")
    low, high = made.meter.interval
    assert low <= expected <= high and made.baseline < low and not made.public
    publish(tmp_path, "first_again", hide=("job",), more="")
    assert len(composition(tmp_path, "first_again")) == 2


def composition(folder, name):
    attacked = shoal.attack(folder / name / "people.csv", folder / f"{name}.toml")
    return [one for one in attacked.attacks if one.name.startswith("composition")]


def test_attacks_without_a_ledger_or_an_earlier_release_are_the_usual_ones(tmp_path):
    write_people(tmp_path)
    publish(tmp_path, "first", hide=("job",))
    assert not composition(tmp_path, "first")


def test_a_person_who_asks_to_be_removed_is_not_betrayed_in_silence(tmp_path):
    write_people(tmp_path)
    person = 'person = "id"'
    publish(tmp_path, "first", more=person)
    (tmp_path / "gone.csv").write_text("id\np3\n")
    second = publish(tmp_path, "second", more=person, without=tmp_path / "gone.csv")
    assert second.records_in == 399
    (warning,) = [said for said in second.warnings if "Earlier" in said]
    assert "1 person came or left" in warning
    with pytest.raises(AnswerIsNo, match="came or left"):
        publish(tmp_path, "third", more=f'{person}\nearlier = "refuse"', without=tmp_path / "gone.csv")


def test_people_of_a_database_are_known_by_the_column_that_names_them(tmp_path):
    """It leaves the database though it is not published; no order of rows says who is who."""
    rows = write_people(tmp_path)
    with sqlite3.connect(tmp_path / "people.db") as con:
        con.execute("CREATE TABLE people (id TEXT, age INTEGER, city TEXT, job TEXT, ill TEXT)")
        con.executemany("INSERT INTO people VALUES (:id, :age, :city, :job, :ill)", rows)
    con.close()
    releases = []
    for name, hidden in (("first", "job"), ("second", "city")):
        roles = {column: "identifying" if column == hidden else "quasi" for column in ("age", "city", "job")}
        text = RECIPE.format(name=name, data="people.csv", intervals=INTERVALS, more='person = "id"', **roles)
        source = 'url = "sqlite:///people.db"\ntable = "people"'
        (tmp_path / f"{name}.toml").write_text(text.replace('path = "people.csv"', source))
        releases.append(shoal.run(tmp_path / f"{name}.toml"))
    (found,) = earlier_of(tmp_path, "second")["releases"]
    assert found["together"] == told_apart(*(classes(release, rows) for release in releases), 5) >= 5
    assert "p17" not in (tmp_path / "second/people.csv").read_text()
