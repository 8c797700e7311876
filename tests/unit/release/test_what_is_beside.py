"""What stands beside a release must say of it what it is, and a page is rendered only from what is bound to the data."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from test_linkable import files

import shoal
from shoal.errors import DataError, NotAnonymous, RecipeError
from shoal.release.rewrite import rewrite_reports
from shoal.verifier.files.sidecars import NAME

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from shoal.verifier import Check


@pytest.fixture(scope="module")
def run_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release")
    shoal.run(files(folder, accept_unique=True, reason="drawn by lot"))
    return folder


@pytest.fixture
def made(run_once: Path, tmp_path: Path) -> Path:
    """The folder of a release, to be changed."""
    shutil.copytree(run_once, tmp_path, dirs_exist_ok=True)
    return tmp_path / "out"


def beside(folder: Path) -> Check:
    verdict = shoal.verify(folder / "people.csv", folder.parent / "recipe.toml")
    (check,) = (one for one in verdict.checks if one.name == NAME)
    assert verdict.passed is check.passed
    return check


def edited(path: Path, change: Callable[[Any], Any]) -> None:
    told = json.loads(path.read_text())
    change(told)
    path.write_text(json.dumps(told))


def promise_more(told: Any) -> None:
    told["facts"]["promises"][0]["technical"] = "50-anonymity"


def test_a_release_with_its_sidecars_passes(made: Path) -> None:
    assert beside(made).passed


def test_a_release_without_sidecars_passes_and_it_is_said(made: Path) -> None:
    for path in made.glob("people.*.*"):
        path.unlink()
    assert beside(made) == beside(made)
    assert beside(made).detail == "No report and no codebook stands beside the release."


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (promise_more, "states another promise than the recipe"),
        (lambda r: r["facts"].update(k=50), "states another k than the recipe"),
        (lambda r: r["facts"]["identity"]["files"][0].update(sha256="0" * 64), "is about other data"),
        (lambda r: r["facts"]["identity"]["files"][1].update(sha256="0" * 64), "codebook.json is not the file"),
        (lambda r: r["facts"]["records"].update(published=6000), "speaks of 6,000 records"),
        (lambda r: r["facts"]["columns"][1].update(role="quasi"), "gives columns other roles"),
        (lambda r: r["facts"]["columns"][0].update(level=0), "name different levels of 'age'"),
        (lambda r: r["facts"]["verdict"].update(passed=False), "says that the release did not pass"),
        (lambda r: r["facts"].pop("identity"), "does not have the form"),
        (lambda r: r.update(format="else"), "is no report of shoal"),
    ],
)
def test_a_report_that_contradicts_the_release_fails(made: Path, change: Callable[[Any], Any], told: str) -> None:
    (made / "people.manifest.private.json").unlink()
    edited(made / "people.report.json", change)
    check = beside(made)
    assert not check.passed and told in check.detail


def test_any_change_fails_beside_the_manifest(made: Path) -> None:
    page = made / "people.report.html"
    page.write_text(page.read_text().replace("5-anonymity", "5-anonymity "))
    assert "people.report.html is not the file of which people.manifest.private.json" in beside(made).detail


def test_a_codebook_that_does_not_know_a_value_fails(made: Path) -> None:
    (made / "people.manifest.private.json").unlink()
    (made / "people.report.json").unlink()
    edited(made / "people.codebook.json", lambda book: book["columns"][0]["values"].pop())
    assert "does not know 1 of the values that 'age' shows" in beside(made).detail


def test_a_page_of_another_release_fails(made: Path) -> None:
    (made / "people.manifest.private.json").unlink()
    page = made / "people.report.html"
    sha256 = json.loads((made / "people.report.json").read_text())["facts"]["identity"]["files"][0]["sha256"]
    page.write_text(page.read_text().replace(sha256, "0" * 64))
    assert "people.report.html is about other data" in beside(made).detail


def test_a_page_is_rendered_from_what_the_manifest_binds(made: Path) -> None:
    before = (made / "people.report.html").read_bytes()
    rewrite_reports(made)
    assert (made / "people.report.html").read_bytes() == before
    assert beside(made).passed


def test_an_edited_report_is_not_rendered(made: Path) -> None:
    before = (made / "people.report.html").read_bytes()
    edited(made / "people.report.json", promise_more)
    with pytest.raises(DataError, match="was changed after it was published"):
        rewrite_reports(made)
    (made / "people.manifest.private.json").unlink()
    with pytest.raises(RecipeError, match="Nothing binds what"):
        rewrite_reports(made)
    with pytest.raises(NotAnonymous, match="states another promise"):
        rewrite_reports(made, recipe=made.parent / "recipe.toml")
    assert (made / "people.report.html").read_bytes() == before


@pytest.mark.parametrize("gone", [True, False])
def test_a_report_of_other_data_is_not_rendered(made: Path, gone: bool) -> None:
    data = made / "people.csv"
    data.unlink() if gone else data.write_bytes(data.read_bytes() + b"x")
    with pytest.raises(DataError, match="does not stand beside it" if gone else "the SHA-256 is another"):
        rewrite_reports(made)


def test_without_the_manifest_the_page_says_what_is_known(made: Path) -> None:
    (made / "people.manifest.private.json").unlink()
    rewrite_reports(made, recipe=made.parent / "recipe.toml")
    first_page = (made / "people.report.html").read_text().split('id="promise"')[0]
    assert "rendered again without the custodian&#39;s manifest" in first_page
