"""Every page of every kind of data answers, in words, before anything was done on it."""

from __future__ import annotations

import pytest

from shoal.studio.steps import STEPS


@pytest.mark.parametrize("example", ["table", "baskets", "patients", "trees"])
def test_every_step_of_a_new_project_has_a_page(studio, example) -> None:
    project = studio.open_example(example)
    for step in STEPS:
        answer = studio.get(f"/r/{project.key}/{step.name}")
        assert answer.status_code == 200, step.name
        assert answer.text.count("<h1") == 1, step.name
        assert 'aria-current="step"' in answer.text


def test_the_pages_that_belong_to_no_project(studio) -> None:
    for place in ("/", "/check", "/colours.css", "/static/studio.css"):
        assert studio.get(place).status_code == 200, place
    assert studio.get("/nowhere").status_code == 404
    assert studio.get("/r/0123456789ab/open").status_code == 422
