"""The page of today's risk: the work starts by itself, its figures are those of `shoal risk`, and it is done again when it must."""

from __future__ import annotations

import pytest

from shoal.release.assess import risk


@pytest.mark.parametrize("example", ["table", "baskets", "patients", "trees"])
def test_the_page_says_what_the_command_says(studio, example) -> None:
    project = studio.open_example(example)
    assert "<job-progress" in studio.get(f"/r/{project.key}/risk").text
    job = studio.finish(project, "risk")
    assert job.state == "done", job.error
    page = studio.get(f"/r/{project.key}/risk").text
    assessment = risk(project.recipe)
    assert assessment.headline[1:] in page
    assert f"{assessment.risk.sample_uniques:,}" in page
    for grid in assessment.grids():
        assert grid.title in page
    assert page.count("<table") == len(assessment.grids()) + 1  # beside the picture


def test_it_is_counted_again_when_the_promise_changes_and_not_when_words_do(studio) -> None:
    project = studio.open_example()
    studio.get(f"/r/{project.key}/risk")
    studio.finish(project, "risk")
    studio.change(project, "promise", purpose="Another")
    assert "<job-progress" not in studio.get(f"/r/{project.key}/risk").text
    studio.change(project, "promise", **{"k-0": "9"})
    assert "<job-progress" in studio.get(f"/r/{project.key}/risk").text
    studio.finish(project, "risk")
    assert "fewer than 9" in studio.get(f"/r/{project.key}/risk").text


def test_a_recipe_that_is_not_ready_says_why(studio) -> None:
    project = studio.open_example()
    studio.change(project, "promise", **{"k-0": "1"})
    page = studio.get(f"/r/{project.key}/risk").text
    assert "not ready" in page and "must be an integer of at least 2" in page
    assert studio.jobs.find(project, "risk") is None


def test_cancelled_work_can_be_started_again(studio) -> None:
    project = studio.open_example()
    studio.get(f"/r/{project.key}/risk")
    studio.change(project, "jobs/risk/cancel", step="risk")
    job = studio.jobs.find(project, "risk")
    if job.state == "cancelled":  # it may have been done before
        assert "Count the risk" in studio.get(f"/r/{project.key}/risk").text
    studio.change(project, "risk")
    assert studio.finish(project, "risk").state == "done"
