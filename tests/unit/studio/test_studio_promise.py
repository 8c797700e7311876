"""The page of promises: sentences that write `[[guarantee]]`, with what is wrong said at the sentence."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest


def words(response: Any) -> str:
    """What a person reads on a page."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", response.text)).split())


def test_a_sentence_shows_the_number_of_the_recipe_and_changes_it(studio) -> None:
    project = studio.open_example()
    page = studio.get(f"/r/{project.key}/promise")
    assert 'name="k-0" type="number" min="2" step="1" value="5"' in page.text
    assert "What could an attacker do?" in words(page)
    assert studio.change(project, "promise", **{"k-0": "7"}).status_code == 200
    assert project.document().values["guarantee"][0] == {"name": "k-anonymity", "k": 7}


def test_next_keeps_and_goes_on(studio) -> None:
    project = studio.open_example()
    answer = studio.change(project, "promise/next", **{"k-0": "8"})
    assert answer.url.path.endswith("/risk")
    assert project.document().values["guarantee"][0]["k"] == 8


@pytest.mark.parametrize("kind", ["table", "baskets", "patients", "trees"])
def test_only_what_fits_the_data_is_offered_and_added(studio, kind: str) -> None:
    from shoal.release.editing.promises import fitting
    from shoal.report.steward.promises import PROMISES

    project = studio.open_example(kind)
    page = studio.get(f"/r/{project.key}/promise")
    assert page.status_code == 200
    before = project.document().values["guarantee"]
    made = {guarantee["name"] for guarantee in before}
    for name in fitting(project.document()).names:
        assert (f'<option value="{name}">' in page.text) == (name not in made or "column" in PROMISES[name].sentence)
        studio.change(project, "promise/add", add=name)
        added = project.document().values["guarantee"]
        assert added[:-1] == before and added[-1]["name"] == name
        assert not [p for p in project.document().problems if p.startswith(f"guarantee.{len(before)}")]
        studio.change(project, f"promise/remove/{len(before)}")
        assert project.document().values["guarantee"] == before


def test_a_promise_that_does_not_fit_is_not_added(studio) -> None:
    project = studio.open_example()
    before = project.document().text
    studio.change(project, "promise/add", add="km-anonymity")
    assert project.document().text == before


def test_a_wrong_number_is_told_at_its_sentence(studio) -> None:
    project = studio.open_example()
    page = studio.change(project, "promise", **{"k-0": "1"})
    assert 'id="wrong-0"' in page.text
    assert "must be an integer of at least 2" in words(page)


def test_forms_of_diversity_ask_for_what_they_need(studio) -> None:
    project = studio.open_example()
    values = project.document().values["guarantee"]
    place = next(i for i, g in enumerate(values) if g["name"] == "l-diversity")
    page = studio.change(project, "promise", **{f"variant-{place}": "recursive"})
    assert f'name="c-{place}"' in page.text
    assert project.document().values["guarantee"][place]["c"] == 3.0
    page = studio.change(project, "promise", **{f"variant-{place}": "entropy", f"c-{place}": "3"})
    assert f'name="c-{place}"' not in page.text
    assert "c" not in project.document().values["guarantee"][place]
    assert not project.document().problems


def test_who_is_left_out_and_who_gets_it(studio) -> None:
    project = studio.open_example()
    studio.change(
        project, "promise", limit="2.5", access="restricted", recipients="Ward 3", purpose="Study", threshold="9"
    )
    values = project.document().values
    assert values["suppression"]["limit"] == 0.025
    assert values["context"] == {"access": "restricted", "recipients": "Ward 3", "purpose": "Study", "threshold": 0.09}
    studio.change(project, "promise", recipients="", threshold="")
    assert project.document().values["context"] == {"access": "restricted", "purpose": "Study"}


def test_a_button_that_has_the_focus_does_nothing_when_a_number_changes(studio) -> None:
    """htmx sends name and address of a focused button with every request of its form, so none has any."""
    project = studio.open_example()
    page = studio.get(f"/r/{project.key}/promise").text.split("<main", 1)[1]
    assert not re.findall(r"<button[^>]* (?:name|formaction)=", page)


def test_keys_and_comments_of_a_person_survive(studio) -> None:
    project = studio.open_example()
    text = project.recipe.read_text(encoding="utf-8").replace("[[guarantee]]", "# agreed in March\n[[guarantee]]", 1)
    project.recipe.write_text(text, encoding="utf-8")
    studio.change(project, "promise", **{"k-0": "6"})
    assert "# agreed in March" in project.document().text


def test_two_tabs_do_not_overwrite_each_other(studio) -> None:
    project = studio.open_example()
    old = project.document().revision
    studio.change(project, "promise", **{"k-0": "6"})
    answer = studio.post(f"/r/{project.key}/promise", {"revision": old, "k-0": "9"})
    assert answer.status_code == 409
    assert project.document().values["guarantee"][0]["k"] == 6


def test_nothing_promised_offers_what_is_usual(studio) -> None:
    project = studio.open_example()
    document = project.document()
    document.put_guarantees([]).save()
    assert "Promise what is usual" in words(studio.get(f"/r/{project.key}/promise"))
    studio.change(project, "promise/usual")
    assert project.document().values["guarantee"][0]["name"] == "k-anonymity"
