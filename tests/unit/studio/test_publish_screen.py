"""The page "publish": a release is made, its report read, and signed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from page_text import words

from shoal.release.signature.check import check_signature

SIGNER = {"name": "Ada Lovelace", "role": "Data steward", "reason": "For the registry", "read": "yes"}


@pytest.fixture
def published(studio):
    project = studio.open_example()
    answer = studio.change(project, "publish/make")
    assert answer.status_code == 200
    assert studio.finish(project, "publish").state == "done"
    return project


@pytest.mark.slow
def test_a_release_is_made_and_signed(studio, published) -> None:
    _assert_files_are_served(studio, published)
    page = studio.get(f"/r/{published.key}/publish")
    said = words(page)
    assert "Meets the stated guarantee." in said and "Before you sign" in said and "Nobody checked" in said
    assert f"shoal run {published.recipe}" in said and "--original" in said
    result = json.loads((published.private / "publish.result.json").read_text())
    data = Path(result["places"][0])
    assert data.is_file() and all(file["sha256"] in said for file in result["hashes"])
    for change, problem in (
        ({"name": " "}, "say who signs"),
        ({"read": ""}, "Read the report first"),
        ({"review": "2001-01-01"}, "yet to come"),
        ({"sha256": "0" * 64}, "not the release that you looked at"),
    ):
        refusal = studio.change(published, "publish/sign", **{**SIGNER, **change})
        assert refusal.status_code == 422 and problem in words(refusal)
    answer = studio.change(published, "publish/sign", sha256=result["hashes"][0]["sha256"], **SIGNER)
    assert "Signed by Ada Lovelace (Data steward) on 2" in words(answer) and "all 7 hashes fit" in words(answer)
    assert check_signature(data).fits
    data.write_bytes(data.read_bytes() + b"\n")
    assert "patients.csv was changed after signing" in words(studio.get(f"/r/{published.key}/publish"))


def _assert_files_are_served(studio, published) -> None:
    """A report is a page that can do nothing; all else is saved; no other file is served."""
    page = studio.get(f"/r/{published.key}/publish/file/report.private.html")
    assert page.status_code == 200 and page.headers["content-type"].startswith("text/html")
    policy = page.headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none'") and "script" not in policy
    saved = studio.get(f"/r/{published.key}/publish/file/data")
    assert "attachment" in saved.headers["content-disposition"]
    for kind in ("recipe.toml", "%2e%2e%2frecipe.toml", "report", "tables"):
        assert studio.get(f"/r/{published.key}/publish/file/{kind}").status_code == 404


@pytest.mark.slow
def test_an_earlier_release_goes_only_after_a_tick(studio, published) -> None:
    studio.change(published, "publish/make")
    job = studio.finish(published, "publish")
    assert job.state == "failed" and "exists already" in job.error
    assert "No release was made" in words(studio.get(f"/r/{published.key}/publish"))
    studio.change(published, "publish/make", replace="yes")
    assert studio.finish(published, "publish").state == "done"


def test_what_is_missing_is_said_with_the_way_to_it(studio) -> None:
    project = studio.open_example()
    document = project.document()
    project.save(document, document.change_column("age", suggested=True))
    page = studio.get(f"/r/{project.key}/publish")
    assert "1 column is only suggested" in words(page) and f'href="/r/{project.key}/columns">Go to Columns' in page.text
    assert "<button disabled>Make the release" in page.text
    document = project.document()
    project.save(document, document.remove("guarantee"))
    assert f'href="/r/{project.key}/promise">Go to Promise' in studio.get(f"/r/{project.key}/publish").text


@pytest.mark.slow
def test_a_promise_that_nothing_keeps(studio) -> None:
    project = studio.open_example()
    document = project.document()
    project.save(document, document.put_guarantees([{"name": "k-anonymity", "k": 5000}]))
    studio.change(project, "publish/make")
    assert studio.finish(project, "publish").state == "failed"
    said = words(studio.get(f"/r/{project.key}/publish"))
    assert "No release was made" in said and "promise less" in said and "Nothing was published" in said


def test_a_recipe_that_was_changed_is_not_published_unseen(studio) -> None:
    project = studio.open_example()
    answer = studio.post(f"/r/{project.key}/publish/make", {"revision": "0" * 16})
    assert answer.status_code == 422 and "changed meanwhile" in words(answer)


def test_nothing_is_signed_before_there_is_a_release(studio) -> None:
    project = studio.open_example()
    assert "There is no release yet" in words(studio.change(project, "publish/sign", **SIGNER))
    assert studio.get(f"/r/{project.key}/publish/file/data").status_code == 422
