"""The page: escaped, closed to the outside, honest in its words, and without small counts."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass, replace
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samples.example_facts import AFTER, EXAMPLE, local, wide
from shoal.report.answers import NOT_MEASURED
from shoal.report.facts import AttackRate, Context, Earlier, EarlierRelease, Floor, Promise, Search, Tried
from shoal.report.html import render_html
from shoal.report.json import render_json
from shoal.report.outcome import CheckFacts, VerdictFacts
from shoal.report.tables import tally
from shoal.report.tables.answers import answers
from shoal.report.tables.facts import Facts
from shoal.report.tables.figures import JournalistRisk, Why
from shoal.report.tables.words import attention

PAYLOADS = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</style><script>alert(1)</script>",
    "</svg><iframe src=//evil.example>",
    "</title><b>bold</b><!--",
    "{{ 7 * 7 }}{% raw %}",
    "]]><a href=javascript:alert(1)>x</a>",
    "&lt;b&gt;&#60;script&#62;",
    "\u202egnp.exe\u0000\ud800\x1b[31m",
]

# Strings that are not free text: the dataclasses refuse anything else there.
FIXED = {
    "sha256",
    "recipe_sha256",
    "day",
    "role",
    "missing",
    "suppressed",
    "threshold",
    "limit",
    "access",
    "question",
    "column",
    "minimality",
}


def full() -> Facts:
    """Facts in which every optional part is present."""
    return replace(
        EXAMPLE,
        risk=replace(EXAMPLE.risk, journalist=JournalistRisk("the district, 100,000 people", 0.05, 0.01, 0)),
        attacks=(AttackRate("inference", "guess the diagnosis", 10_000, 0.12, 0.11, 0.13, 0.1),),
        earlier=Earlier(True, (EarlierRelease("2025-11-15", "patients-2025.parquet", "shares no group"),)),
        limits=("A limit of this release.",),
        tried=(Tried("optimal", 0.312, 0.3, "all levels", kept=True), Tried("mstk", 0.4, 1.0, "spanning tree")),
        floor=Floor(0.3, 0.04, "It is proved."),
    )


def poisoned(value: Any, payload: str, name: str = "") -> Any:
    """The same facts with the payload in every free text."""
    if isinstance(value, str):
        return value if name in FIXED else payload
    if isinstance(value, tuple):
        return tuple(poisoned(item, payload, name) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        changed = {field.name: poisoned(getattr(value, field.name), payload, field.name) for field in fields(value)}
        return type(value)(**changed)
    return value


def attacked(payload: str, facts: Facts) -> Facts:
    """Column names stay different from each other and agree between the parts; file names cannot hold a slash."""
    columns = tuple(replace(poisoned(column, payload), name=f"{payload} {i}") for i, column in enumerate(facts.columns))
    name = {old.name: new.name for old, new in zip(facts.columns, columns, strict=True)}
    file_name = payload.replace("/", "∕").replace("\\", "∖")
    rest = {
        field.name: poisoned(getattr(facts, field.name), payload, field.name)
        for field in fields(facts)
        if field.name not in ("columns", "identity", "distributions", "why", "private_facts")
    }
    return Facts(
        **rest,
        columns=columns,
        identity=replace(
            facts.identity,
            files=tuple(replace(file, name=file_name, what=payload) for file in facts.identity.files),
            versions=((payload, payload),),
        ),
        distributions=tuple(replace(poisoned(d, payload), column=name[d.column]) for d in facts.distributions),
        why=Why(
            tuple(replace(poisoned(f, payload), column=name[f.column]) for f in facts.why.finer), facts.why.trade_offs
        ),
        private_facts=tuple(replace(p, column=name[p.column]) for p in facts.private_facts),
    )


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.words: list[str] = []
        self._skip = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self._skip = tag == "style"

    def handle_endtag(self, tag: str) -> None:
        self._skip = False

    def handle_data(self, data: str) -> None:
        if not self._skip:
            self.words.append(data)


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    return reader


both = pytest.mark.parametrize("clean", [full(), local()], ids=["full", "local"])


@both
@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_payload_in_every_text_stays_text(payload: str, clean: Facts) -> None:
    facts = attacked(payload, clean)
    html = render_html(facts)
    found, known = read(html), read(render_html(clean))
    assert set(found.tags) <= set(known.tags)
    assert {(tag, name) for tag, name, _ in found.attributes} <= {(tag, name) for tag, name, _ in known.attributes}
    assert not re.search(r"<(script|img|iframe|b)\b", html)
    assert "49" not in " ".join(found.words).split()  # nobody calculated 7 * 7
    html.encode()
    render_json(facts).encode()


@both
@pytest.mark.parametrize("payload", PAYLOADS)
def test_every_picture_is_well_formed_and_described(payload: str, clean: Facts) -> None:
    pictures = re.findall(r"<svg.*?</svg>", render_html(attacked(payload, clean)), re.DOTALL)
    assert len(pictures) > 10
    for picture in pictures:
        root = ElementTree.fromstring(picture)
        assert root.tag.endswith("svg")
        assert [child.tag.rpartition("}")[2] for child in root][:2] == ["title", "desc"]


@pytest.mark.parametrize("facts", [full(), wide(), local()], ids=["full", "wide", "local"])
def test_nothing_refers_to_anything_outside(facts: Facts) -> None:
    html = render_html(facts).replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not re.search(r"https?:|//|url\(|@import|<script|<link|<img|src=", html)
    hrefs = [value for _, name, value in read(html).attributes if name == "href"]
    assert hrefs
    assert all(value.startswith("#") and f'id="{value[1:]}"' in html for value in hrefs)


def test_the_page_forbids_everything_but_its_own_style() -> None:
    html = render_html(EXAMPLE)
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    assert policy in html
    assert html.index(policy) < html.index("<style>")


def test_colours_are_presentation_attributes() -> None:
    pictures = re.findall(r"<svg.*?</svg>", render_html(EXAMPLE), re.DOTALL)
    assert not any(re.search(r'style=|class="', picture) for picture in pictures)


def words_of(facts: Facts) -> str:
    return " ".join(" ".join(read(render_html(facts)).words).split())


def test_the_first_screen_answers_the_five_questions() -> None:
    first = words_of(EXAMPLE).partition("1 Promise")[0]
    for answer in (
        "11,941 of 12,000 records",
        "Everyone looks like at least 4 others",
        "Meets the stated guarantee",
        "4 of 4 checks passed",
        "1 in 5",
        "31.2 %",
    ):
        assert answer in first.replace("\u00a0", " ")


def test_honest_words() -> None:
    text = words_of(EXAMPLE).lower()
    assert "meets the stated guarantee" in text
    assert "is anonymous" not in text
    assert "not assessed" in text
    assert text.count(NOT_MEASURED.lower()) == 3
    assert "no ledger was asked" in text


def test_a_failed_verdict_says_so() -> None:
    failed = CheckFacts("5-anonymity", False, "2 groups have fewer than 5 records.")
    facts = replace(EXAMPLE, verdict=VerdictFacts(False, (failed,)))
    text = words_of(facts)
    assert "Does not meet the stated guarantee" in text
    assert "Meets the stated guarantee" not in text
    assert "The release meets" not in text
    assert attention(facts)[0] == "The check 5-anonymity failed."


def test_attack_rates_are_printed_when_they_were_measured() -> None:
    text = words_of(full()).replace("\u00a0", " ")
    assert "12 % (11 % to 13 %)" in text
    assert text.count(NOT_MEASURED) == 2


def test_a_promise_about_a_private_fact_is_named() -> None:
    promise = Promise("l-diversity", "Each group has 3 different diagnoses.", "distinct 3-diversity", "diagnosis")
    facts = replace(EXAMPLE, promises=(*EXAMPLE.promises, promise))
    inference = answers(facts)[2]
    assert promise.sentence in inference.answered
    assert not any("No promise" in line for line in inference.open)
    assert any("No promise was made about diagnosis" in line for line in answers(EXAMPLE)[2].open)
    assert not any("No promise protects" in point for point in attention(facts))


def test_without_a_private_fact_inference_is_not_answered() -> None:
    assert answers(replace(EXAMPLE, private_facts=()))[2].status == "not answered"


def test_an_unfinished_search_says_how_far_it_may_be_from_the_best() -> None:
    text = words_of(replace(EXAMPLE, search=Search("optimal", "GLM", 10, 240, 0.013, 60.0)))
    assert "proved" not in text.lower().replace("not proved", "")
    assert "no such way that keeps the promise loses less than 29.9" in text


def test_groups_blurred_by_themselves_are_told_as_such() -> None:
    text = words_of(local()).replace("\u00a0", " ")
    assert "0 of 0" not in text
    assert "one level" not in text
    assert "Differs from group to group: 33.6 % exact, 15.9 % step 2, 11.1 % between step 2 and step 3," in text
    assert "Method: auto; decided in 12.3 s." in text
    assert "The best of 3 methods tried. At most 34 % above the best possible." in text
    assert "Values overlap in age , zip : the same original value" in text
    assert "3 wider values" in text
    assert "the same original value appears under several published values" in text
    assert "What each group shows was chosen" in text
    assert "What one step more of detail would cost" not in text


def test_what_was_tried_is_a_table_with_the_one_that_was_kept() -> None:
    text = words_of(local()).replace("\u00a0", " ")
    assert "optimal 47.13 % 0.3 240 of 240 combinations of levels loses 51.1 % more" in text
    assert "mstk 31.2 % 8.1 spanning tree kept: loses least" in text
    assert "cluster – 3.9 ran out of time no release to compare" in text
    assert "No release loses less than 23.34 % , so this one is at most 34 % above the best possible" in text
    assert "What was tried" not in words_of(EXAMPLE)
    assert "How close to the best possible" not in words_of(EXAMPLE)


def test_the_best_there_is_is_not_called_unknown() -> None:
    text = words_of(replace(EXAMPLE, floor=Floor(0.312, 0.0, "So it is.")))
    assert "Proved: nothing better is possible." in text
    assert "is not known" not in text


def test_a_method_that_proves_nothing_claims_no_bound() -> None:
    text = words_of(replace(EXAMPLE, search=Search("poka", "GLM", 10, 240, EXAMPLE.losses[0].value, 60.0)))
    assert "not proved optimal among them." in text
    assert "the bound is" not in text


def test_a_proof_among_levels_is_not_called_a_proof_among_all() -> None:
    text = words_of(EXAMPLE)
    assert "Proved: no release within the limits that has one level for each column loses less." in text
    assert "proved optimal among them" in text


def test_hidden_records_are_not_counted_where_values_overlap() -> None:
    pictures = re.findall(r"<desc>(.*?)</desc>", render_html(local()), re.DOTALL)
    (age,) = (text for text in pictures if text.startswith("*: 3,301 published"))
    assert "hidden" not in age
    (sex,) = (text for text in pictures if text.startswith("female: "))
    assert "hidden" in sex


def test_an_empty_context_is_not_hidden() -> None:
    text = words_of(replace(EXAMPLE, context=Context()))
    assert "The recipe does not say who receives the release." in text
    assert text.count("Not stated in the recipe.") == 3


# Small counts of a kind that occurs nowhere else in the page, so that a leak is seen wherever it appears.
K = 97
SMALL = (61, 67, 71, 73, 79, 83, 89)


@given(st.lists(st.sampled_from((0, *SMALL, 101, 211)), min_size=3, max_size=3), st.sampled_from(SMALL), st.booleans())
@settings(max_examples=25, deadline=None)
def test_no_small_count_is_printed(hidden: list[int], uniques: int, vanish: bool) -> None:
    rows = [(f"{c}****", 1000 + n, 1000) for c, n in zip("abc", hidden, strict=True)]
    rows += [("d****", 61, 0)] if vanish else []
    suppressed = sum(hidden) + 61 * vanish
    read_ = 3000 + suppressed
    facts = replace(
        EXAMPLE,
        k=K,
        promises=(Promise("k-anonymity", "A promise.", "97-anonymity"),),
        verdict=VerdictFacts(True, (CheckFacts("97-anonymity", True, "Kept."),)),
        records=replace(EXAMPLE.records, read=read_, published=3000, suppressed=suppressed, limit_records=500),
        risk=tally.risk({1: uniques, read_ - uniques: 1}, {1000: 3}, K),
        distributions=(tally.distribution("zip", rows, K),),
        why=Why((tally.finer("zip", {"a****": hidden[0]}, {"a****": 1000}, K),)),
        private_facts=(),
        search=Search("optimal", "GLM", 200, 240, 0.0, 0.5),
    )
    visible = re.sub(r"[\d.,]+…?\s*%", "", words_of(facts))
    shown = {int(number) for number in re.findall(r"(?<![\w.,#])\d+(?![\w.,])", visible.replace(",", ""))}
    assert shown.isdisjoint(set(SMALL) - {suppressed})
    report = render_json(facts)
    assert not {int(n) for n in re.findall(r": (\d+),?\n", report)} & (set(SMALL) - {suppressed})


def test_the_fixture_is_consistent() -> None:
    assert sum(size * classes for size, classes in AFTER.items()) == EXAMPLE.records.published
