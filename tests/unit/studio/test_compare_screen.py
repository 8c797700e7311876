"""The page "compare": before and after, of all kinds of data."""

from __future__ import annotations

import json

import pytest
from page_text import words

from shoal.studio.screens.compare import _tinted

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("example", "seen"),
    [
        ("table", "How many look the same"),
        ("baskets", "How many records hold an item"),
        ("patients", "How many items a record has"),
        ("trees", "A record before and after"),
    ],
)
def test_every_kind_is_compared(studio, example, seen) -> None:
    project = studio.open_example(example)
    assert "Make it and compare" in words(studio.get(f"/r/{project.key}/compare"))
    studio.change(project, "compare/make")
    assert studio.finish(project, "compare").state == "done"
    page = studio.get(f"/r/{project.key}/compare")
    assert seen in words(page) and "As a table" in words(page) and page.text.count("<svg") >= 3
    assert "style=" not in page.text
    assert "Before you sign" in words(studio.get(f"/r/{project.key}/publish"))
    result = project.private / "compare.result.json"
    assert result.stat().st_mode & 0o777 == 0o600 and result.stat().st_size < 500_000
    assert not (project.recipe.parent / "release").exists()
    document = project.document()
    project.save(document, document.put("0.3", "suppression", "limit"))
    assert "The recipe has changed since" in words(studio.get(f"/r/{project.key}/compare"))


def test_two_columns_are_chosen_by_their_place(studio) -> None:
    project = studio.open_example()
    studio.change(project, "compare/make")
    studio.finish(project, "compare")
    crossed = json.loads((project.private / "compare.result.json").read_text())["crossed"]
    for place in ("1", "999", "-1", "x", "1" * 50):
        page = studio.get(f"/r/{project.key}/compare?pair={place}")
        one = crossed[int(place) if place == "1" else 0]
        assert page.status_code == 200 and f"{one['first']} \\ {one['second']}" in words(page)


def test_a_promise_that_nothing_keeps(studio) -> None:
    project = studio.open_example()
    document = project.document()
    project.save(document, document.put_guarantees([{"name": "k-anonymity", "k": 5000}]))
    studio.change(project, "compare/make")
    assert studio.finish(project, "compare").state == "failed"
    assert "There is no such release" in words(studio.get(f"/r/{project.key}/compare"))


def test_the_more_records_the_darker() -> None:
    side = {"rows": ["a"], "columns": ["b", "c", "d"], "counts": [[0, 1, 100]]}
    tinted = _tinted({"first": "x", "second": "y", "before": None, "after": side})
    assert tinted["after"]["counts"] == [[(0, 0), (1, 4), (100, 1)]]
