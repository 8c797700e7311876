"""A release of item sets ends with a report, a codebook and a manifest, and none of the public ones tells too much."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import jsonschema
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from samples.set_release import PROMISES, baskets, set_recipe
from shoal.report.html import render_html
from shoal.report.json import read_json, render_json
from shoal.report.schema import schema
from shoal.report.sets.facts import Odds, SetFacts
from shoal.report.sets.words import known_limits

METHODS = list(PROMISES)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sets")
    return {method: shoal.run(set_recipe(folder, method)) for method in METHODS}


def _file(release, ending):
    return next(path for path in release.files if path.name.endswith(ending))


@pytest.mark.parametrize("method", METHODS)
def test_report_follows_its_schema_and_is_read_again(made, method):
    text = _file(made[method], ".report.json").read_text()
    jsonschema.validate(json.loads(text), schema("report"), jsonschema.Draft202012Validator)
    facts = read_json(text)
    assert isinstance(facts, SetFacts)
    assert render_json(facts) == text
    assert render_html(facts) == _file(made[method], ".report.html").read_text()
    assert SetFacts.from_json(facts.to_json()) == facts


@pytest.mark.parametrize("method", METHODS)
def test_page_says_what_was_promised_and_has_pictures(made, method):
    page = _file(made[method], ".report.html").read_text()
    assert "Meets the stated guarantee" in page
    for promise in made[method].described.facts.promises:
        assert promise.technical in page.replace("&#39;", "'")
    assert page.count("<svg") >= 3
    assert not re.search(r"<script|https?://(?!www\.w3\.org)", page)
    assert "Sign-off" in page and "Known limits" in page


@pytest.mark.parametrize("method", METHODS)
def test_public_files_name_nothing_that_the_release_does_not_show(made, method):
    release = made[method]
    shown = pq.read_table(release.files[0])
    names = [name for name in shown.column_names if name.startswith("items") and not name.endswith("at_most")]
    published = {item for name in names for cell in shown.column(name).to_pylist() for item in cell}
    told = "".join(_file(release, ending).read_text() for ending in (".report.html", ".report.json"))
    assert ("absinthe" in told) <= ("absinthe" in published)
    facts = release.described.facts
    bars = facts.labels.widest if facts.labels else facts.matching.frequent
    for bar in bars:
        assert getattr(bar, "label", getattr(bar, "item", "")) in published


@pytest.mark.parametrize("method", METHODS)
def test_codebook_explains_every_column(made, method):
    book = json.loads(_file(made[method], ".codebook.json").read_text())
    jsonschema.validate(book, schema("codebook"), jsonschema.Draft202012Validator)
    assert [column["name"] for column in book["columns"]] == pq.read_schema(made[method].files[0]).names


def test_codebook_lists_labels_that_the_release_holds(made):
    release = made["apriori"]
    book = json.loads(_file(release, ".codebook.json").read_text())
    column = next(column for column in book["columns"] if column["name"] == "items")
    shown = {item for cell in pq.read_table(release.files[0]).column("items").to_pylist() for item in cell}
    assert {value["value"] for value in column["values"]} == shown
    groups = [value for value in column["values"] if value["kind"] == "group"]
    assert groups and all(value["raw_values"] == len(value["members"]) for value in groups)


def test_labels_are_counted(made):
    labels = made["apriori"].described.facts.labels
    held = {item for items, _ in baskets() for item in items}
    assert labels.as_they_are + labels.grouped + labels.left_out + labels.varying == len(held)
    assert labels.labels >= 1 and labels.parts == 1


def test_matching_is_described_from_the_release(made):
    for method in ("nonreciprocal", "ring", "cahd"):
        table = pq.read_table(made[method].files[0])
        matching = made[method].described.facts.matching
        at_most = table.column("items:at_most").to_pylist()
        assert matching.exact == at_most.count(0)
        assert sum(place.records for place in matching.thresholds) == len(at_most)
        mean = sum(map(len, table.column("items").to_pylist())) / len(at_most)
        assert mean <= matching.base_size <= mean * 1.01 + 0.01
        assert (matching.joint is not None) == (method == "ring")
    assert made["ring"].described.facts.matching.joint > 1 / 4


def test_risk_before_is_masked_and_after_keeps_the_promise(made):
    for method, release in made.items():
        facts = release.described.facts
        one, two, three, everything = facts.attackers
        assert (one.knows, two.knows, three.knows, everything.knows) == (1, 2, 3, None)
        # the person with absinthe is alone: told, but not counted
        assert one.before is not None and one.before.least == 1 and not isinstance(one.before.unique, int)
        if method == "apriori":
            assert [a.promised for a in facts.attackers] == [True, True, False, False]
            assert two.after is not None and two.after.least >= 5 and (two.after.unique, two.after.small) == (0, 0)
        else:
            assert all(a.promised for a in facts.attackers)
            assert everything.after is not None and everything.after.least >= facts.k


def test_items_that_nearly_everybody_holds_are_not_counted():
    """How many do not hold an item follows from how many do."""
    few = [["tea", "salt"]] * 8 + [["tea", "rice"]] * 8 + [["tea"]] * 4
    told = []
    for without in ([["oil"]] * 3, [["oil"]] * 5):
        frame = pa.table({"items": pa.array(few + without, pa.list_(pa.string()))})
        released = shoal.anonymize(
            frame,
            {"columns": {"items": {"role": "quasi", "kind": "set"}}, "guarantee": [{"name": "k-matching", "k": 5}]},
        )
        told.append({bar.item for bar in released.described.facts.matching.frequent})
    assert "tea" not in told[0] and "tea" in told[1]


def test_what_parts_of_the_records_tell_is_a_known_limit(made):
    facts = made["apriori"].described.facts
    divided = replace(facts, labels=replace(facts.labels, parts=3))
    assert any("makes out the part of a record" in limit for limit in known_limits(divided))
    assert not any("makes out the part of a record" in limit for limit in known_limits(facts))


def test_groups_that_depend_on_values_are_a_known_limit(made):
    for method, release in made.items():
        facts = release.described.facts
        depends = facts.matching is not None and bool(facts.protected)
        assert any("depend on who has which value" in limit for limit in known_limits(facts)) == depends, method


def test_small_counts_are_refused(made):
    facts = made["apriori"].described.facts
    bad = replace(facts.attackers[0], before=Odds(1, 0.5, 1, 20))
    with pytest.raises(ValueError, match="masked"):
        replace(facts, attackers=(bad, *facts.attackers[1:]))


@pytest.mark.parametrize("method", METHODS)
def test_losses_are_those_that_say_something(made, method):
    names = set(made[method].described.losses)
    assert names == ({"item-ncp", "ul", "qe", "are"} if method == "apriori" else {"er", "qe", "are"})
    assert made[method].loss == pytest.approx(made[method].described.losses[made[method].described.loss_name])


@pytest.mark.parametrize("method", METHODS)
def test_result_speaks_of_items(made, method):
    release = made[method]
    told = release.to_json()
    assert told["levels"] == {} and told["tried"] == [] and told["floor"] is None
    assert told["sets"]["column"]["name"] == "items"
    assert (told["sets"]["labels"] is not None) == (method == "apriori")
    json.dumps(told)
    assert "items shown" in repr(release)
    assert "what was done" in release._repr_html_()


def test_private_manifest_says_how_to_make_it_again(made):
    manifest = json.loads(_file(made["apriori"], ".manifest.private.json").read_text())
    assert manifest["recoding"]["kind"] == "items"
