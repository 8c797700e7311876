"""A release of a mixed table ends with a report, a codebook and a manifest, and none of the public ones tells too much."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import combinations

import jsonschema
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import shoal
from samples.mixed_release import ALONE, SENSITIVE, WAYS, mixed_recipe, patients
from shoal.errors import Infeasible
from shoal.report.html import render_html
from shoal.report.json import read_json, render_json
from shoal.report.masking import refuse_small
from shoal.report.mixed.facts import MixedFacts
from shoal.report.mixed.words import attention, known_limits
from shoal.report.schema import schema
from shoal.report.sets.facts import LabelBar, Odds

DIVERSE = '[[guarantee]]\nname = "k-lm-diversity"\nk = 3\nl = 2\nm = 1\ncolumn = "ill"\n'


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mixed")
    return {way: shoal.run(mixed_recipe(folder, way)) for way in WAYS}


def _file(release, ending):
    return next(path for path in release.files if path.name.endswith(ending))


def _published(release):
    """Of each published record the values shown, and the labels with their column, without sensitive items."""
    table = pq.read_table(release.files[0]) if release.files else release.data
    facts = release.described.facts
    rows = []
    for row in table.to_pylist():
        labels = {(name, text) for name in facts.known_items for text in row[name] if text not in SENSITIVE}
        rows.append((tuple(str(row[column.name]) for column in facts.quasi), frozenset(labels)))
    return rows


@pytest.mark.parametrize("way", WAYS)
def test_report_follows_its_schema_and_is_read_again(made, way):
    text = _file(made[way], ".report.json").read_text()
    jsonschema.validate(json.loads(text), schema("report"), jsonschema.Draft202012Validator)
    facts = read_json(text)
    assert isinstance(facts, MixedFacts)
    assert render_json(facts) == text
    assert render_html(facts) == _file(made[way], ".report.html").read_text()
    assert MixedFacts.from_json(facts.to_json()) == facts


@pytest.mark.parametrize("way", WAYS)
def test_page_says_what_was_promised_and_has_pictures(made, way):
    page = _file(made[way], ".report.html").read_text()
    assert "Meets the stated guarantee" in page and "(4, 4^2)-anonymity" in page
    assert page.count("<svg") >= 6
    assert not re.search(r"<script|https?://(?!www\.w3\.org)", page)
    assert "Sign-off" in page and "Known limits" in page and "By the single values alone" in page
    assert page.count("<section") == page.count("</section>") and page.count("<table") == page.count("</table>")


@pytest.mark.parametrize("way", WAYS)
def test_public_files_name_nothing_that_few_share(made, way):
    """The one with a diagnosis of their own is in no report, unless behind a label that many show."""
    facts = made[way].described.facts
    shown = Counter(label for _, labels in _published(made[way]) for label in labels)
    for column in facts.sets:
        for bar in column.labels.widest:
            assert bar.records == shown[column.name, bar.label] >= facts.k
            assert bar.items == len(bar.label.split(",")) or way == "hierarchy"
    for ending in (".report.html", ".report.json"):
        told = _file(made[way], ending).read_text()
        for bar in (bar for column in facts.sets for bar in column.labels.widest):
            told = told.replace(bar.label, "")
        told = re.sub(r"\([^()<]*…", "", told)  # a label that was too long for its picture
        assert ALONE not in told
        assert not any(item in told for item in SENSITIVE)


@pytest.mark.parametrize("way", WAYS)
def test_attackers_find_in_the_release_what_is_told(made, way):
    """Counted from the published file."""
    facts, rows = made[way].described.facts, _published(made[way])
    groups = defaultdict(list)
    for values, labels in rows:
        groups[values].append(labels)
    assert [one.knows for one in facts.attackers] == [0, 1, 2, 3, None]
    assert [one.promised for one in facts.attackers] == [True, True, True, False, False]
    for one in facts.attackers:
        fits = []
        for values, labels in rows:
            some = [labels] if one.knows is None else []
            for size in range((one.knows or 0) + 1) if one.knows is not None else ():
                some += map(frozenset, combinations(labels, size))
            exact = one.knows is None
            fits.append(min(sum(s == g if exact else s <= g for g in groups[values]) for s in some))
        assert one.after.least == min(fits)
        assert (one.after.unique, one.after.small) == (fits.count(1), sum(f < facts.k for f in fits))
        assert one.after.average == pytest.approx(sum(1 / f for f in fits) / len(fits), rel=0.01)
    assert facts.promised.knows == 2 and facts.promised.after.least >= facts.k
    assert Counter(map(len, groups.values())) and facts.risk.after.classes == len(groups)


def test_before_is_masked(made):
    for release in made.values():
        facts = release.described.facts
        for one in facts.attackers:
            refuse_small("unique", one.before.unique, facts.k)
            refuse_small("small", one.before.small, facts.k)
        # the one with a diagnosis of their own is told of, and not counted
        assert facts.supports[0].before == "below k"


@pytest.mark.parametrize("way", WAYS)
def test_items_are_counted(made, way):
    ill = made[way].described.facts.sets[0]
    held = {item for row in patients() for item in row[2] if item not in SENSITIVE}
    labels = ill.labels
    assert ill.items == len(held) == labels.as_they_are + labels.grouped + labels.left_out + labels.varying
    assert ill.sensitive_items == 2
    shown = {text for _, found in _published(made[way]) for name, text in found if name == "ill"}
    assert ill.published == len(shown)
    raw = sum(len(set(row[2]) - set(SENSITIVE)) for row in patients())
    kept = sum(text in held for _, found in _published(made[way]) for name, text in found if name == "ill")
    assert kept / raw - 0.001 <= labels.share_as_they_are <= kept / raw
    assert labels.parts == made[way].verdict.classes


def test_each_column_of_sets_has_its_own_figures(made):
    ill, drugs = made["two"].described.facts.sets
    assert (ill.name, drugs.name, drugs.items, drugs.reason) == ("ill", "drugs", 3, "from the shelf")
    assert any("in drugs" in line for line in made["two"].described.why)


@pytest.mark.parametrize("way", WAYS)
def test_codebook_explains_every_column(made, way):
    book = json.loads(_file(made[way], ".codebook.json").read_text())
    jsonschema.validate(book, schema("codebook"), jsonschema.Draft202012Validator)
    table = pq.read_table(made[way].files[0])
    assert [column["name"] for column in book["columns"]] == table.column_names
    for column in book["columns"]:
        if column["name"] in made[way].described.facts.known_items:
            shown = {text for cell in table.column(column["name"]).to_pylist() for text in cell}
            assert {value["value"] for value in column["values"]} == shown
            for value in column["values"]:
                assert value["kind"] in ("exact", "set", "group", "any")
                if value["kind"] == "set":
                    assert value["value"] == f"({','.join(value['members'])})"
                    assert value["raw_values"] == len(value["members"])
                if value["kind"] == "group":
                    assert value["members"]  # stated by the file
            assert "(a,b)" in column["means"]


@pytest.mark.parametrize("way", WAYS)
def test_losses_of_both_sides(made, way):
    release = made[way]
    assert list(release.described.losses) == ["ncp", "item-ncp", "ul", "are-1-0", "are-0-2", "are-1-2"]
    assert release.loss == pytest.approx(release.described.losses[release.described.loss_name])
    facts = release.described.facts
    assert [loss.minimised for loss in facts.losses] == [True] + [False] * 5
    assert any("1 value and 2 items" in loss.title for loss in facts.losses)


@pytest.mark.parametrize("way", WAYS)
def test_result_speaks_of_both(made, way):
    release = made[way]
    told = release.to_json()
    assert set(told["levels"]) == {"age", "town"} and told["sets"]["columns"][0]["name"] == "ill"
    json.dumps(told)
    assert "(4, 4^2)-anonymity" in repr(release)
    html = release._repr_html_()
    assert "ill, as they are" in html and "levels" in html and ALONE not in html


def test_private_manifest_says_how_to_make_it_again(made):
    manifest = json.loads(_file(made["sets"], ".manifest.private.json").read_text())
    assert manifest["recoding"]["kind"] == "mixed"


def test_small_counts_and_rare_labels_are_refused(made):
    facts = made["sets"].described.facts
    first, *others = facts.attackers
    with pytest.raises(ValueError, match="masked"):
        replace(facts, attackers=(first, replace(others[0], before=Odds(1, 0.5, 1, 20)), *others[1:]))
    column = facts.sets[0]
    rare = replace(column, labels=replace(column.labels, widest=(LabelBar("(a,b)", 2, facts.k - 1),)))
    with pytest.raises(ValueError, match="names a label"):
        replace(facts, sets=(rare,))
    with pytest.raises(ValueError, match="give away alone"):
        replace(facts, attackers=tuple(others))
    with pytest.raises(ValueError, match="same name"):
        replace(facts, sets=(column, column))


def test_sensitive_items_are_a_limit_and_measured(made, tmp_path):
    facts = made["sets"].described.facts
    (fact,) = facts.private_items
    assert fact.column == "ill" and fact.classes == facts.risk.after.classes and fact.same_classes == 0
    assert any("sensitive are published as they are" in limit for limit in known_limits(facts))
    bare = replace(facts, private_items=(replace(fact, same_classes=1, same_records=20),))
    assert any("No promise protects the sensitive items in ill" in point for point in attention(bare))
    promised = shoal.run(mixed_recipe(tmp_path, "sets", promises=DIVERSE)).described.facts
    assert promised.protected == {"ill"} and promised.m == 1
    kept = replace(promised, private_items=bare.private_items)
    assert not any("No promise protects the sensitive items" in point for point in attention(kept))


def test_groups_in_which_everyone_holds_a_sensitive_item_are_counted():
    rows = [("1", ["a", "hiv"])] * 4 + [("2", ["a", "hiv"])] * 2 + [("2", ["a"])] * 3
    frame = pa.table(
        {"age": [age for age, _ in rows], "ill": pa.array([held for _, held in rows], pa.list_(pa.string()))}
    )
    release = shoal.anonymize(
        frame,
        {
            "columns": {
                "age": {"role": "quasi"},
                "ill": {"role": "quasi", "kind": "set", "sensitive_items": ["hiv", "gout"]},
            },
            "guarantee": [{"name": "k-km-anonymity", "k": 3, "m": 1}],
        },
    )
    (fact,) = release.described.facts.private_items
    assert (fact.classes, fact.same_classes, fact.same_records) == (2, 1, 4)
    (column,) = [one for one in release.described.codebook()["columns"] if one["name"] == "ill"]
    assert [value["value"] for value in column["values"]] == ["a", "hiv"]
    assert "for 44.4" in " ".join(attention(release.described.facts)).lower()


def test_page_escapes_what_people_wrote(made):
    facts = made["two"].described.facts
    evil = "<img src=x onerror=alert(1)>"
    column = facts.sets[0]
    labels = replace(column.labels, widest=(LabelBar(evil, 2, 50),))
    page = render_html(replace(facts, sets=(replace(column, name=evil, reason=evil, labels=labels), *facts.sets[1:])))
    assert evil not in page and "&lt;img" in page


ROWS = st.lists(
    st.tuples(st.sampled_from("123"), st.frozensets(st.sampled_from("abcdef"), max_size=3), st.booleans()),
    min_size=6,
    max_size=30,
)


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(ROWS, st.integers(2, 3), st.sampled_from(["rum-bound", "tum-bound"]))
def test_whatever_the_data_the_facts_are_those_of_the_release(rows, k, method):
    held = [sorted(items | ({"hiv"} if ill else set())) for _, items, ill in rows]
    frame = pa.table({"age": [row[0] for row in rows], "ill": pa.array(held, pa.list_(pa.string()))})
    recipe = {
        "columns": {
            "age": {"role": "quasi"},
            "ill": {"role": "quasi", "kind": "set", "sensitive_items": ["hiv"]},
        },
        "guarantee": [{"name": "k-km-anonymity", "k": k, "m": 2}],
        "method": {"name": method, "delta": 1.0},
    }
    try:
        release = shoal.anonymize(frame, recipe)
    except Infeasible:
        return
    facts = release.described.facts
    shown = Counter(label for _, labels in _published(release) for label in labels)
    (column,) = facts.sets
    assert column.published == len(shown)
    assert all(shown["ill", bar.label] == bar.records >= k for bar in column.labels.widest)
    items = {item for _, held, _ in rows for item in held}
    assert column.items == len(items)
    assert facts.promised.after.least >= k and facts.promised.after.small == 0
    render_html(facts)
    assert render_json(read_json(render_json(facts))) == render_json(facts)
