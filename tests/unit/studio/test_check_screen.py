"""The page "check": anyone's release, against a promise."""

from __future__ import annotations

import pytest
from page_text import words

ROWS = [
    ("[20, 30[", "13***", "flu"),
    ("[20, 30[", "13***", "asthma"),
    ("[20, 30[", "13***", "flu"),
    ("30-39", "2****", "flu"),
    ("30-39", "2****", "<b>gout</b>"),
    ("30-39", "2****", "asthma"),
    ("*", "*", "flu"),
]


def arx_like(rows=ROWS) -> bytes:
    return "\n".join(";".join(row) for row in [("age", "zip", "disease"), *rows]).encode() + b"\n"


def finish(studio, address: str, job: str):
    """The page once the work has ended."""
    project = studio.projects.find_check(address.rstrip("/").rsplit("/", 1)[-1])
    studio.finish(project, job)
    return studio.get(address)


def open_release(studio, content: bytes, name: str = "arx.csv", **fields):
    answer = studio.post("/check/upload", fields, files={"release": (name, content, "text/csv")})
    assert answer.status_code == 200, words(answer)
    return answer.url.path


@pytest.mark.slow
def test_an_arx_like_file_with_a_planted_breach(studio) -> None:
    address = open_release(studio, arx_like())
    page = finish(studio, address, "look")
    assert "its values are blurred" in words(page) and "What could others know" in words(page)
    assert "<b>gout</b>" not in page.text
    answer = studio.post(f"{address}/promise", {"k": "3", "l": "2"})
    page = finish(studio, address, "check")
    said = words(page)
    assert "Does not meet the stated guarantee." in said and "Who could be picked out".lower() in said.lower()
    assert "1 record has this combination; 3 are promised." in said and '<td class="num">7</td>' in page.text
    assert "<svg" in page.text and "Nobody has signed it" in said
    # rows of stars that do not count: the promise is kept
    studio.post(f"{address}/promise", {"k": "3", "l": "2", "exempt_suppressed": "yes"})
    assert "✓ Meets the stated guarantee." in words(finish(studio, address, "check"))
    assert answer.status_code == 200


@pytest.mark.slow
def test_a_release_of_ours_is_checked_by_the_recipe_beside_it(studio) -> None:
    project = studio.open_example()
    studio.change(project, "publish/make")
    studio.finish(project, "publish")
    release = project.recipe.parent / "release/patients.csv"
    answer = studio.post("/check/upload", {"release_path": str(release), "original_path": str(project.recipe)})
    page = finish(studio, answer.url.path, "check")
    said = words(page)
    assert "✓ Meets the stated guarantee." in said and "nothing lost or invented" in said
    assert "1,473" in said
    text = release.read_text().splitlines()
    release.write_text("\n".join([text[0], *text[2:]]) + "\n")
    studio.post(f"{answer.url.path}/again")
    assert "Does not meet the stated guarantee" in words(finish(studio, answer.url.path, "check"))


def test_what_is_not_there_is_said_on_the_form(studio) -> None:
    for fields, problem in (
        ({}, "Which release?"),
        ({"release_path": "/nowhere/at/all.csv"}, "There is nothing at the path of the release"),
        ({"release_path": "relative.csv"}, "There is nothing at the path of the release"),
    ):
        answer = studio.post("/check/upload", fields)
        assert answer.status_code == 422 and problem in words(answer)
    assert not list(studio.projects.folder.glob(".studio/check-*"))


def test_a_check_that_is_not_known(studio) -> None:
    for number in ("0" * 16, "zz"):
        assert studio.get(f"/check/{number}").status_code == 422


def test_what_is_no_table_says_so(studio) -> None:
    address = open_release(studio, b"\x00\x01\x02 no table", "junk.csv")
    said = words(finish(studio, address, "look"))
    assert "It could not be checked" in said


def test_a_promise_that_is_none(studio) -> None:
    address = open_release(studio, arx_like())
    finish(studio, address, "look")
    for fields in ({"k": "1"}, {"k": "x"}, {"k": "3", "role-0": "boss"}, {"k": "3", "l": "-1"}):
        assert studio.post(f"{address}/promise", fields).status_code == 422


def test_an_upload_is_private_and_its_name_harmless(studio) -> None:
    open_release(studio, arx_like(), "../../evil\\..\\x.csv")
    (copy,) = studio.projects.folder.glob(".studio/check-*/release/*")
    assert copy.name == "x.csv" and copy.stat().st_mode & 0o777 == 0o600
