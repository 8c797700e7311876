"""The report of trees: what it says, and what it refuses to say."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import jsonschema
import pytest

from shoal.report.columns import ColumnFacts
from shoal.report.facts import LossFacts, Promise, Search, SizeBin
from shoal.report.html import render_html
from shoal.report.json import read_json, render_json, statements
from shoal.report.outcome import CheckFacts, Identity, Records, ReleasedFile, VerdictFacts
from shoal.report.schema import schema
from shoal.report.trees import facts as t
from shoal.report.trees.words import ABSENCE, BRANCHES, MOVED, PAIRWISE, attention, became
from shoal.verifier.trees.labels import moved_warnings

FACTS = t.TreeFacts(
    kind="trees",
    k=5,
    m=3,
    n=2,
    mode="strict",
    identity=Identity((ReleasedFile("x.parquet", "data", "0" * 64),), "1" * 64, (("shoal", "1"),), "2030-01-01"),
    verdict=VerdictFacts(True, (CheckFacts("columns", True, "All there."),), ()),
    records=Records(100, 100, 0, "0.0", 0),
    classes=(
        t.ClassFacts("place", "", 4, 2, 0, 4, 0, 2, (t.ClassLevel(1, 2, 1.0),)),
        t.ClassFacts("<b>ill", "place", 5, 3, 3, 0, 2, 1, (t.ClassLevel(0, 3, 0.9), t.ClassLevel(None, 0, 0.1))),
        t.ClassFacts("cure", "<b>ill", 2, 0, 0, 0, 2, 0, (t.ClassLevel(None, 0, 1.0),)),
    ),
    columns=(ColumnFacts("age", "plain", ""), ColumnFacts("name", "identifying", "")),
    promises=(Promise("kmn-anonymity", "Whoever knows finds.", "strict 5^(3,2)-anonymity", ""),),
    apart=(t.ApartPair("place", "south", "<b>ill", "flu & co"),),
    relations_kept=0.9,
    attackers=(
        t.KnowingTree(1, 0, True, 0.1, 0.0),
        t.KnowingTree(3, 2, True, 0.4, 0.0),
        t.KnowingTree(4, 2, False, None, 0.03, True),
    ),
    sizes=(SizeBin(0, 1, 20, 10), SizeBin(2, None, 80, 90)),
    losses=(LossFacts("tree loss", "How vague", 0.2, True, "formula", True, minimised=True),),
    search=Search("greedy", "tree loss", 0, 0, None, 1.0),
    example=t.Example(
        (t.DrawnNode("place", "Ulm", -1), t.DrawnNode("<b>ill", "", 0)),
        (t.DrawnNode("place", "south", -1), t.DrawnNode("<b>ill", "flu & co", -1)),
    ),
)


def test_json_comes_back_and_fits_its_schema():
    text = render_json(FACTS)
    assert read_json(text) == FACTS
    jsonschema.validate(json.loads(text), schema("report"))


def test_the_page_says_what_was_done():
    page = render_html(FACTS)
    for told in (
        MOVED,
        BRANCHES,
        "flu &amp; co",
        "left out altogether",
        "made up",
        "not counted",
        "3 values and how 2 pairs",
    ):
        assert told in page
    assert "<b>ill" not in page
    assert page.count("<svg") == 4  # levels, the record before, the record after, sizes
    assert PAIRWISE not in page


def test_levels_are_told_of_hierarchies_alone():
    """A class without one has a label for all its values, which is no level of anything."""
    page = render_html(FACTS)
    assert "of the nodes at level 1 of 2, under 2 labels" in page
    flat = replace(FACTS.classes[0], height=0, levels=(t.ClassLevel(1, 1, 1.0),))
    page = render_html(replace(FACTS, classes=(flat, *FACTS.classes[1:])))
    assert "of the nodes as any value of the class" in page
    assert "level 1 of 0" not in page


def test_pairwise_is_said_plainly():
    pairwise = replace(FACTS, mode="pairwise")
    assert PAIRWISE in attention(pairwise)
    assert PAIRWISE in statements(pairwise).limits
    assert PAIRWISE in render_html(pairwise)


def test_statements():
    said = statements(FACTS)
    assert any("1 pair of labels is kept apart" in line and "fewer than 5" in line for line in said.why)
    assert any("cure: left out altogether" in line for line in said.why)
    assert {answer.question for answer in said.questions} == {"singling out", "linkability", "inference"}
    assert any("4 values" in line for answer in said.questions for line in answer.open)
    assert any("kept apart" in line and "although no record shows it" in line for line in said.limits)
    assert not any(re.search(r"\b[1-4] records\b", line) for line in (*said.why, *said.limits))


def test_what_was_moved_speaks():
    """Where pairs are kept apart, the place of a node tells of what is hidden; where none is, nothing is said."""
    told = [line for line in attention(FACTS) if "1 pair of labels is kept apart" in line]
    assert len(told) == 1
    assert all(part in told[0] for part in ("fewer than 5 records, even a single one", "`ocs`", "`tree-cluster`"))
    assert told[0] in statements(FACTS).limits
    assert MOVED in statements(FACTS).limits
    assert "nothing is said" not in render_json(FACTS) + render_html(FACTS)
    bare = replace(FACTS, apart=())
    assert ABSENCE in statements(bare).limits
    assert ABSENCE in render_html(bare)
    assert not any("can tell which records" in line for line in (*attention(bare), *statements(bare).limits))


def test_before_signing_what_was_moved_is_said_once():
    """The verifier warns of it as well: that stands among the checks, beside its other warnings."""
    (warned,) = moved_warnings({"apart": [[["place", "south"], ["<b>ill", "flu & co"]]]})
    verdict = replace(FACTS.verdict, warnings=(warned, "Something else."), codes=(warned.code, ""))
    facts = replace(FACTS, verdict=verdict)
    points = attention(facts)
    assert points == ("Something else.", *attention(FACTS))
    assert attention(read_json(render_json(facts))) == points
    assert sum("kept apart" in point for point in points) == 1
    assert render_html(facts).count(warned) == 1
    # should the codebook name no pair, nothing but the warning speaks of it
    assert warned in attention(replace(facts, apart=()))


def test_what_was_moved_leaves_singling_out_open():
    def told(facts):
        return [
            answer.question for answer in statements(facts).questions if any("moved" in line for line in answer.open)
        ]

    assert told(FACTS) == ["singling out"]
    (singling_out, *_) = statements(FACTS).questions
    assert any("point at the records" in line and "single one" in line for line in singling_out.open)
    assert "can point at the records that had the hidden relation" in render_html(FACTS)
    assert told(replace(FACTS, apart=())) == []


def test_words_of_classes():
    alone = t.ClassFacts("a", "", 1, 1, 1, 0, 0, 0, (t.ClassLevel(0, 1, 1.0),))
    assert became(alone) == "1 value shown as it is"
    assert became(t.ClassFacts("a", "", 0, 0, 0, 0, 0, 0, ())) == "no record has such a value"
    mixed = t.ClassFacts("a", "", 6, 3, 1, 2, 1, 1, (), varying=2)
    assert became(mixed) == (
        "of 6 values, 1 shown as it is, 2 under labels that stand for several, 2 in several ways, group by group and 1 left out"
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"k": 1},
        {"m": 0},
        {"promises": ()},
        {"classes": ()},
        {"columns": (ColumnFacts("place", "plain", ""),)},
        {"sizes": (SizeBin(0, None, 3, 100),)},
    ],
)
def test_nonsense_and_small_counts_are_refused(wrong):
    with pytest.raises(ValueError):
        replace(FACTS, **wrong)


def test_parts_refuse_nonsense():
    with pytest.raises(ValueError):
        t.Example((t.DrawnNode("a", "x", 0),), ())
    with pytest.raises(ValueError):
        t.KnowingTree(1, 0, True, 1.5, None)
    with pytest.raises(ValueError):
        t.ClassFacts("a", "", 2, 1, 1, 0, 0, 0, ())
