"""The page of the search: a plot whose points are links, a preview, and a recipe that makes what was chosen."""

from __future__ import annotations

import re

import pytest


def _searched(studio, example="table"):
    project = studio.open_example(example)
    document = project.document()
    if example == "table":  # without the promise about a private fact: the exact frontier
        document.put_guarantees([{"name": "k-anonymity", "k": 5}]).save()
    assert "<job-progress" in studio.get(f"/r/{project.key}/search").text
    job = studio.finish(project, "search", 120)
    assert job.state == "done", job.error
    return project, job.result


@pytest.mark.slow
def test_from_a_point_to_a_recipe_that_makes_its_release(studio) -> None:
    from shoal.release.run import run

    project, result = _searched(studio)
    page = studio.get(f"/r/{project.key}/search").text
    assert 'id="point-' in page and "style=" not in page
    assert "Your promise" in page  # already chosen: a steward can go straight on
    place = len(result["points"]) // 2
    point = result["points"][place]
    looked = studio.get(f"/r/{project.key}/search?point={place}").text
    assert f"groups of at least {point['k']:,} people" in looked
    assert looked.count("≈") >= 1
    studio.change(project, "search/use", point=str(place))
    values = project.document().values
    assert values["method"]["name"] == "frontier"
    assert values["guarantee"] == [{"name": "k-anonymity", "k": point["k"]}]
    assert "Your recipe makes this release" in studio.get(f"/r/{project.key}/search").text
    release = run(project.recipe)
    assert release.to_json()["loss"] == pytest.approx(point["loss"])
    assert release.to_json()["suppressed"] == point["suppressed"]
    # what was found still holds: k and the method are no part of what it rests on
    assert "as it was before your last changes" not in studio.get(f"/r/{project.key}/search").text
    studio.change(project, "search", limit="0")
    assert project.document().values["suppression"]["limit"] == 0
    studio.finish(project, "search", 120)
    studio.change(project, "search/take", method="auto")
    assert project.document().values["method"]["name"] == "auto"


@pytest.mark.slow
@pytest.mark.parametrize("example", ["baskets", "trees"])
def test_other_kinds_have_releases_for_several_numbers(studio, example) -> None:
    project, result = _searched(studio, example)
    own = next(g["k"] for g in project.document().values["guarantee"] if "k" in g)
    assert own in [point["k"] for point in result["points"]]
    assert all(point["preview"]["rows"] for point in result["points"])
    page = studio.get(f"/r/{project.key}/search?point=0").text
    studio.change(project, "search/use", point="0")
    assert any(g.get("k") == result["points"][0]["k"] for g in project.document().values["guarantee"])
    assert not project.document().problems
    assert re.search(r"at most 1 in|1 in ", page)


@pytest.mark.slow
def test_methods_side_by_side(studio) -> None:
    project, _ = _searched(studio)
    studio.change(project, "search/methods")
    job = studio.finish(project, "methods", 180)
    assert job.state == "done", job.error
    page = studio.get(f"/r/{project.key}/search").text
    assert "mondrian" in page and "loses least" in page


def test_a_point_that_is_not_there_changes_nothing(studio) -> None:
    project = studio.open_example()
    before = project.document().text
    studio.change(project, "search/use", point="99999")
    assert project.document().text == before
    for point in ("x", "-1", "9" * 40):
        assert studio.get(f"/r/{project.key}/search?point={point}").status_code == 200
