"""Sets, mixed tables and trees beside an earlier release: whom both tell apart, counted by hand from the original."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from itertools import combinations

import pytest

import shoal
from shoal.errors import AnswerIsNo
from shoal.release.examples import write_example
from shoal.release.ledger.book import read

K, M = 5, 2
LEDGER = '\n[ledger]\npath = "private/ledger.jsonl"\n'


def recipe_of(folder, name, more="", **changes):
    """The recipe of the example under another name, with the ledger; changes: texts that are put in the place of others."""
    text = (folder / "recipe.toml").read_text().replace('"release/', f'"{name}/')
    for old, new in changes.get("instead", {}).items():
        assert old in text
        text = text.replace(old, new)
    (folder / f"{name}.toml").write_text(text + LEDGER + more)
    return folder / f"{name}.toml"


def found_in(folder, name, file):
    manifest = json.loads((folder / name / f"{file}.manifest.private.json").read_text())
    return manifest["facts"]["earlier"]["releases"]


def recoding_of(folder, name, file):
    return json.loads((folder / name / f"{file}.manifest.private.json").read_text())["recoding"]


def fitting(shown):
    """Mark → the people whose records show it."""
    held = defaultdict(set)
    for person, marks in enumerate(shown):
        for mark in marks:
            held[mark].add(person)
    return held


def told_apart(first, second, known, knows):
    """By definition. first, second: of each person what their record shows. known: of each person what may be known; knows: of a
    person and a choice of these, what is asked of either release."""
    held = fitting(first), fitting(second)
    everyone = set(range(len(first)))
    number = 0
    for person, things in enumerate(known):
        for chosen in combinations(sorted(things), min(M, len(things))):
            left = everyone
            for side in range(2):
                for mark in knows(side, person, chosen):
                    left = left & held[side][mark]
            if len(left) < K:
                number += 1
                break
    return number


# ---- sets ------------------------------------------------------------------------------------------------------------


def baskets(folder):
    with (folder / "baskets.csv").open(newline="") as file:
        return [set(filter(None, row["items"].split("|"))) for row in csv.DictReader(file)]


def other_hierarchy(folder):
    """Products by their first letters, not by their shelves."""
    items = sorted({item for one in baskets(folder) for item in one})
    rows = (f"{item};{item[0]}…;{'a–m' if item[0] < 'n' else 'n–z'};*" for item in items)
    (folder / "letters.csv").write_text("\n".join(rows) + "\n")


def count_baskets(folder):
    """Whom both releases tell apart, by the labels that the private manifests name."""
    sets = baskets(folder)
    rules = [recoding_of(folder, name, "baskets") for name in ("first", "second")]
    assert all(len(one["parts"]) == 1 for one in rules)
    shows = [{item: one["parts"][0].get(item, item) for basket in sets for item in basket} for one in rules]
    shown = [[{side[item] for item in basket} - {None} for basket in sets] for side in shows]

    def knows(side, person, chosen):
        return {shows[side][item] for item in chosen} - {None}

    return told_apart(*shown, sets, knows)


@pytest.mark.parametrize("people", [60, 300])
def test_whom_two_releases_of_baskets_tell_apart(tmp_path, people):
    write_example("baskets", tmp_path)
    lines = (tmp_path / "baskets.csv").read_text().splitlines(keepends=True)
    (tmp_path / "baskets.csv").write_text("".join(lines[: people + 1]))
    other_hierarchy(tmp_path)
    method = '\n[method]\nname = "apriori"\n'
    shoal.run(recipe_of(tmp_path, "first", method))
    shoal.run(recipe_of(tmp_path, "second", method, instead={'"products.csv"': '"letters.csv"'}))
    number = count_baskets(tmp_path)
    (found,) = found_in(tmp_path, "second", "baskets")
    assert found["examined"] and found["together"] == (number if number >= K or not number else "below k")


def test_labels_that_cross_tell_people_apart(tmp_path):
    """Three people hold each rare product. Either release shows two products as one; both together show each by itself."""
    write_example("baskets", tmp_path)
    products = ["rye", "rum", "milk", "malt"]
    rows = [f"c{n},{products[n % 4]}|bread,cash" for n in range(12)]
    (tmp_path / "baskets.csv").write_text("\n".join(["card,items,paid", *rows]) + "\n")
    (tmp_path / "products.csv").write_text("rye;R;*\nrum;R;*\nmilk;M;*\nmalt;M;*\nbread;bread;*\n")
    (tmp_path / "letters.csv").write_text("rye;X;*\nmilk;X;*\nrum;Y;*\nmalt;Y;*\nbread;bread;*\n")
    method = '\n[method]\nname = "apriori"\n'
    shoal.run(recipe_of(tmp_path, "first", method))
    second = shoal.run(recipe_of(tmp_path, "second", method, instead={'"products.csv"': '"letters.csv"'}))
    assert count_baskets(tmp_path) == 12
    (found,) = found_in(tmp_path, "second", "baskets")
    assert found["together"] == 12
    (warning,) = [said for said in second.warnings if "Earlier" in said]
    assert "12 people can be told apart: fewer than 5 fit what may be known of them in both" in warning


def test_the_same_release_of_baskets_again_tells_nothing_new(tmp_path):
    write_example("baskets", tmp_path)
    method = '\n[method]\nname = "apriori"\n'
    shoal.run(recipe_of(tmp_path, "first", method))
    again = shoal.run(recipe_of(tmp_path, "second", 'earlier = "refuse"' + method))
    assert not [said for said in again.warnings if "Earlier" in said]
    assert "nobody is told apart" in found_in(tmp_path, "second", "baskets")[0]["note"]


def test_a_matching_is_examined(tmp_path):
    """All items are known then. Two matchings that were drawn anew tell people apart."""
    write_example("baskets", tmp_path)
    matching = {'name = "km-anonymity"\nk = 5\nm = 2': 'name = "k-matching"\nk = 5'}
    shoal.run(recipe_of(tmp_path, "first", instead=matching))
    shoal.run(recipe_of(tmp_path, "second", instead=matching))
    (found,) = found_in(tmp_path, "second", "baskets")
    assert found["examined"]
    assert [entry.known for entry in read(tmp_path / "private/ledger.jsonl").entries] == [0, 0]


def test_a_basket_that_left_is_counted(tmp_path):
    write_example("baskets", tmp_path)
    method = '\n[method]\nname = "apriori"\n'
    person = 'person = "card"'
    shoal.run(recipe_of(tmp_path, "first", person + method))
    lines = (tmp_path / "baskets.csv").read_text().splitlines(keepends=True)
    (tmp_path / "later.csv").write_text("".join([lines[0], *lines[2:]]))
    second = shoal.run(
        recipe_of(tmp_path, "second", person + method, instead={'path = "baskets.csv"': 'path = "later.csv"'})
    )
    assert found_in(tmp_path, "second", "baskets")[0]["changed"] == "below k"
    assert any("1 person came or left" in said for said in second.warnings)


# ---- mixed tables ----------------------------------------------------------------------------------------------------


def patients(folder):
    with (folder / "patients.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def seen(release, rows):
    """Of each person: the class, and the label of each item there; by what the recoding says of records like theirs."""
    recoding = release.decision.recoding
    recoded, columns = recoding.groups.recoded, recoding.groups.columns
    vocabulary = recoding.sets.vocabulary.to_pylist()
    of = defaultdict(list)
    labels = recoding.label_numbers
    for part, codes in enumerate(recoded.codes.tolist()):
        begin, end = recoding.sets.offsets[part : part + 2]
        items = [vocabulary[code] for code in recoding.sets.items[begin:end]]
        shown = dict(zip(items, labels[begin:end].tolist(), strict=True))
        of[tuple(codes), frozenset(items)].append((int(recoded.classes[part]), shown, int(recoded.counts[part])))
    people = []
    for row in rows:
        codes = tuple(h.code(row[name]) for name, h in zip(columns, recoded.hierarchies, strict=True))
        items = frozenset(row["diagnoses"].split("|")) & set(vocabulary) - {"HIV infection", "alcohol dependence"}
        people.append(of[codes, items])
    return people


def test_whom_two_releases_of_a_mixed_table_tell_apart(tmp_path):
    """Those of whom nobody knows in which of several classes they are may count besides."""
    write_example("patients", tmp_path)
    first = shoal.run(recipe_of(tmp_path, "first"))
    second = shoal.run(recipe_of(tmp_path, "second", instead={"delta = 0.2": "delta = 0.4"}))
    rows = patients(tmp_path)
    sides = [seen(release, rows) for release in (first, second)]
    shown = [
        [{(at, None)} | {(at, label) for label in labels.values() if label >= 0} for ((at, labels, _), *_) in side]
        for side in sides
    ]

    def knows(side, person, chosen):
        at, labels, _ = sides[side][person][0]
        return {(at, None)} | {(at, labels[item]) for item in chosen if labels[item] >= 0}

    number = told_apart(*shown, [list(side[0][1]) for side in sides[0]], knows)
    (found,) = found_in(tmp_path, "second", "patients")
    assert number >= K and found["examined"]
    dealt_out = sum(len(one) > 1 for side in sides for one in side)
    assert found["together"] >= number if dealt_out else found["together"] == number


# ---- trees -----------------------------------------------------------------------------------------------------------


def shown_tree(record, rules):
    """Labels of a patient, and which stand on one path; what is left out is passed by."""

    def label(name, value):
        return rules["shown"][name].get(value, value)

    marks = set()
    for clinic, diagnosis, treatment in paths(record):
        path = [(name, label(name, value)) for name, value in (clinic, diagnosis, treatment) if value is not None]
        path = tuple(one for one in path if one[1] is not None)
        marks |= {chosen for size in range(1, len(path) + 1) for chosen in combinations(path, size)}
    for name in ("sex", "born"):
        if label(name, str(record[name])) is not None:
            marks.add(((name, label(name, str(record[name]))),))
    return marks


def paths(record):
    for visit in record["visits"]:
        for diagnosis in visit["diagnoses"]:
            for care in diagnosis["care"] or [None]:
                yield ("clinic", visit["clinic"]), ("diagnosis", diagnosis["name"]), ("treatment", care)


def values(record):
    held = {(name, str(record[name])) for name in ("sex", "born")}
    return held | {one for path in paths(record) for one in path if one[1] is not None}


def test_whom_two_releases_of_trees_tell_apart(tmp_path):
    write_example("trees", tmp_path)
    method = '\n[method]\nname = "gcs"\n'
    shoal.run(recipe_of(tmp_path, "first", method))
    with (tmp_path / "letters.csv").open("w") as file:
        for line in (tmp_path / "diagnoses.csv").read_text().splitlines():
            name = line.split(";")[0]
            file.write(f"{name};{'a–c' if name < 'd' else 'd–z'};*\n")
    shoal.run(recipe_of(tmp_path, "second", method, instead={'"diagnoses.csv"': '"letters.csv"'}))
    rules = [recoding_of(tmp_path, name, "patients") for name in ("first", "second")]
    assert not any(one["apart"] or one.get("out") for one in rules), "counted by hand where nothing is moved"
    records = [json.loads(line) for line in (tmp_path / "patients.jsonl").read_text().splitlines()]
    shown = [[shown_tree(record, one) for record in records] for one in rules]

    def knows(side, person, chosen):
        labels = {(name, rules[side]["shown"][name].get(value, value)) for name, value in chosen}
        return {mark for mark in shown[side][person] if set(mark) <= labels}

    number = told_apart(*shown, [values(record) for record in records], knows)
    (found,) = found_in(tmp_path, "second", "patients")
    assert found["examined"]
    assert found["together"] == (number if number >= K or not number else "below k")
    assert number


@pytest.mark.parametrize("kind", ["baskets", "patients", "trees"])
def test_refuse_holds_for_every_kind(tmp_path, kind):
    """A person who left is given away by the difference, whatever the kind."""
    write_example(kind, tmp_path)
    recipe = tmp_path / "recipe.toml"
    (data,) = [one for one in tmp_path.iterdir() if one.name in ("baskets.csv", "patients.csv", "patients.jsonl")]
    name = "card" if kind == "baskets" else "patient"
    recipe.write_text(recipe.read_text() + LEDGER + f'person = "{name}"\n')
    shoal.run(recipe)
    lines = data.read_text().splitlines(keepends=True)
    data.write_text("".join([lines[0], *lines[2:]]))
    recipe.write_text(recipe.read_text() + 'earlier = "refuse"\n')
    with pytest.raises(AnswerIsNo, match="came or left"):
        shoal.run(recipe, replace=True)
    assert len(read(tmp_path / "private/ledger.jsonl").entries) == 1
