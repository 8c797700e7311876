"""The page "blur rules": every kind of rule, mistakes said at the column, and nothing but numbers of values in addresses."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("starlette", reason="the extra `studio` is not installed")

from shoal.studio.app import make_app  # noqa: F401  # the app that is tested

if TYPE_CHECKING:
    from shoal.studio.projects import Project

JOBS = ["baker", "nurse", "teacher", "pilot <b>&"]
RECIPE = """
shoal = 1
# a comment that stays
[input]
path = "people.csv"
[output]
path = "release/people.csv"
[columns]
name = { role = "identifying" }
age = { role = "quasi", suggested = true, hierarchy = { intervals = [10, 20], from = 0, to = 100 } }  # years
job = { role = "quasi" }
born = { role = "quasi", hierarchy = { dates = ["year"] } }
plz = { role = "quasi", hierarchy = { mask = "right" } }
illness = { role = "sensitive" }
[[guarantee]]
name = "k-anonymity"
k = 2
"""
AGE, JOB, BORN, PLZ = 1, 2, 3, 4


@pytest.fixture
def project(studio: Any, tmp_path: Path) -> Project:
    rows = [
        f'P{i},{20 + i},"{JOBS[i % 4]}",19{50 + i}-03-0{1 + i % 9},{10115 + i % 3},{"flu" if i % 2 else "cold"}'
        for i in range(40)
    ]
    (tmp_path / "people.csv").write_text("\n".join(["name,age,job,born,plz,illness", *rows]) + "\n")
    (tmp_path / "recipe.toml").write_text(RECIPE)
    opened: Project = studio.projects.open(tmp_path / "recipe.toml")
    return opened


def rule_of(project: Project, name: str) -> Any:
    return project.document().columns[name].get("hierarchy")


def change(studio: Any, project: Project, number: int, address: str, part: str = "", **fields: Any) -> Any:
    return studio.post(
        f"/r/{project.key}/blur/{number}/{address}",
        {"revision": project.document().revision, **fields},
        headers={"hx-request": "true", "hx-target": part} if part else {},
    )


def test_the_page_shows_the_rule_step_by_step(studio: Any, project: Project) -> None:
    page = studio.get(f"/r/{project.key}/blur").text
    assert "How may each column be blurred?" in page
    assert page.count("<svg") == 1 and "border-chart" in page
    assert "ranges of 10 and 20, from 0 to 100" in page
    assert re.search(r"\d+ → \d+-\d+ → \d+-\d+ → \*", page)
    assert "style=" not in page and "not fit yet" not in page
    assert "names a person" not in page and ">name<" not in page  # what is removed is not blurred
    assert studio.get(f"/r/{project.key}/blur/0").status_code == 404
    assert studio.get(f"/r/{project.key}/blur/99").status_code == 404


def test_values_are_escaped(studio: Any, project: Project) -> None:
    page = studio.get(f"/r/{project.key}/blur/{JOB}?show=groups").text
    assert "pilot &lt;b&gt;&amp;" in page and "<b>&" not in page


def test_borders_of_ones_own(studio: Any, project: Project) -> None:
    fields = {"borders-0": "10 18; 30,40", "borders-1": "30", "from": "0", "to": "100"}
    answer = change(studio, project, AGE, "ranges", **fields)
    assert answer.status_code == 200
    assert rule_of(project, "age") == {"borders": [[10, 18, 30, 40], [30]], "from": 0, "to": 100}
    text = project.recipe.read_text()
    assert "# a comment that stays" in text and "# years" in text and "suggested = true" in text
    part = change(studio, project, AGE, "ranges", "outcome", **{**fields, "borders-0": "10, 30, 40"})
    assert part.text.lstrip().startswith('<div id="outcome"') and "hx-swap-oob" in part.text
    assert part.headers["shoal-revision"] == project.document().revision
    project.undo(project.document().revision)
    assert rule_of(project, "age")["borders"][0] == [10, 18, 30, 40]


def test_equal_widths_rounding_and_steps(studio: Any, project: Project) -> None:
    change(studio, project, AGE, "ranges", **{"borders-0": "11, 19, 33, 52", "borders-1": "", "from": "0", "to": "100"})
    change(studio, project, AGE, "round", unit="5")
    assert rule_of(project, "age")["borders"] == [10, 20, 35, 50]
    change(studio, project, AGE, "coarser")
    assert rule_of(project, "age")["borders"] == [[10, 20, 35, 50], [20, 50]]
    change(studio, project, AGE, "without", at="0")
    assert rule_of(project, "age")["borders"] == [20, 50]
    change(studio, project, AGE, "equal", widths="5, 10", **{"from": "0", "to": "100"})
    assert rule_of(project, "age") == {"intervals": [5, 10], "from": 0, "to": 100}


@pytest.mark.parametrize(
    ("number", "name", "fields", "words"),
    [
        (AGE, "ranges", {"borders-0": "x", "borders-1": "", "from": "0", "to": "100"}, "write numbers"),
        (AGE, "ranges", {"borders-0": "", "borders-1": "", "from": "0", "to": "100"}, "at least one border"),
        (AGE, "ranges", {"borders-0": "10", "borders-1": "", "from": "", "to": "100"}, "one number each"),
        (AGE, "equal", {"widths": "5, 7", "from": "0", "to": "100"}, "not a larger multiple"),
        (AGE, "round", {"unit": "0"}, "above 0"),
        (BORN, "dates", {}, "at least one step"),
        (PLZ, "characters", {"length": "x"}, "a whole number"),
        (JOB, "put", {"name": "x", "reading": "other", "value": "0"}, "read anew"),
        (JOB, "file", {"path": "nothing.csv"}, "no such file"),
        (JOB, "kind", {"kind": "ranges"}, "no numbers"),
    ],
)
@pytest.mark.parametrize("part", ["", "rule"])
def test_mistakes_are_said_at_the_column_and_change_nothing(
    studio: Any, project: Project, number: int, name: str, fields: dict[str, str], words: str, part: str
) -> None:
    before = project.recipe.read_text()
    answer = change(studio, project, number, name, part, **fields)
    assert answer.status_code == 422
    assert words in answer.text and 'id="rule"' in answer.text
    assert ("<html" in answer.text) == (part == "")
    assert project.recipe.read_text() == before


def test_dates_codes_and_kinds(studio: Any, project: Project) -> None:
    change(studio, project, BORN, "dates", date=["year", "month"])
    assert rule_of(project, "born") == {"dates": ["month", "year"]}
    change(studio, project, PLZ, "characters", side="left", length="5")
    assert rule_of(project, "plz") == {"mask": "left", "length": 5}
    change(studio, project, PLZ, "kind", kind="hidden")
    assert rule_of(project, "plz") is None
    change(studio, project, PLZ, "kind", kind="ranges")
    assert "intervals" in rule_of(project, "plz")
    assert change(studio, project, PLZ, "kind", kind="nonsense").status_code == 422


def test_order(studio: Any, project: Project) -> None:
    change(studio, project, JOB, "kind", kind="order")
    assert rule_of(project, "job")["sizes"] == [2]
    change(studio, project, JOB, "order", order="\r\n".join(reversed(JOBS)), sizes="2")
    assert rule_of(project, "job") == {"order": list(reversed(JOBS)), "sizes": [2]}


def test_groups(studio: Any, project: Project) -> None:
    shown = change(studio, project, JOB, "kind", "rule", kind="groups").text
    assert rule_of(project, "job") is None and "Put in one group" in shown
    reading = re.search(r'name="reading" value="(\w*)"', shown)
    assert reading is not None
    numbers = dict(re.findall(r'value="(\d+)"[^>]*><span><span class="value">([^<]*)<', shown))
    ticked = [number for number, value in numbers.items() if value in ("nurse", "teacher")]
    fields = {"reading": reading[1], "show": "groups"}
    answer = change(studio, project, JOB, "put", "rule", value=ticked, name="public service", **fields)
    assert answer.status_code == 200 and "→ <strong>public service</strong>" in answer.text
    assert rule_of(project, "job") == {"groups": ["baker", "pilot <b>&", {"public service": ["nurse", "teacher"]}]}
    change(studio, project, JOB, "take-out", "rule", value=ticked[:1], **fields)
    assert rule_of(project, "job")["groups"][-1] == {"public service": ["teacher"]}
    change(studio, project, JOB, "take-out", "rule", group="0", **fields)
    assert rule_of(project, "job") is None


def test_values_are_searched_for_and_ticks_stay(studio: Any, project: Project) -> None:
    part = change(studio, project, JOB, "values", "values", search="NUR", value="0", show="groups").text
    assert part.startswith('<div id="values">') and "nurse" in part and "teacher" not in part
    assert part.count("checked") == 1  # what was ticked before is still there
    whole = change(studio, project, JOB, "values", search="NUR", show="groups").text
    assert "<html" in whole and "teacher" not in whole


def test_a_file_is_kept_beside_the_recipe_and_its_faults_are_told(studio: Any, project: Project) -> None:
    sound = "".join(f"{job};{job[0] < 'n'};*\n" for job in JOBS).encode()
    for content, words in (
        (sound, "Nothing is wrong"),
        (b"baker;some;*\nbaker;other;*\n", "Fault"),
        (b"\x00\xff", "Fault"),
    ):
        answer = studio.browser.post(
            f"/r/{project.key}/blur/{JOB}/upload",
            data={"revision": project.document().revision},
            files={"file": ("../../jobs of.csv", content)},
            headers={"hx-request": "true", "hx-target": "rule"},
        )
        assert answer.status_code == 200 and words in answer.text
        place = project.recipe.parent / rule_of(project, "job")
        assert place.parent == project.recipe.parent / "hierarchies" and place.read_bytes() == content
    change(studio, project, JOB, "file", path=str(place))
    assert rule_of(project, "job") == f"hierarchies/{place.name}"


def test_a_rule_can_be_taken_away_as_a_file(studio: Any, project: Project) -> None:
    answer = studio.get(f"/r/{project.key}/blur/{PLZ}/download?format=arx")
    assert answer.text.startswith("10115;1011*;101**;")
    assert "attachment" in answer.headers["content-disposition"]
    assert studio.get(f"/r/{project.key}/blur/{PLZ}/download?format=doc").status_code == 404


def test_two_windows_do_not_undo_each_other(studio: Any, project: Project) -> None:
    old = project.document().revision
    change(studio, project, PLZ, "characters", side="left")
    late = studio.post(
        f"/r/{project.key}/blur/{PLZ}/characters", {"revision": old, "side": "right"}, headers={"hx-target": "rule"}
    )
    assert late.status_code == 409 and late.headers["hx-retarget"] == "body"
    assert rule_of(project, "plz") == {"mask": "left"}


def test_a_rule_that_does_not_fit_is_said(studio: Any, project: Project) -> None:
    project.save(project.document(), project.document().change_column("job", hierarchy={"groups": {"A": ["baker"]}}))
    page = studio.get(f"/r/{project.key}/blur/{JOB}").text
    assert "does not fit the column yet" in page and "3 of the 4 values are in no group" in page
    assert "1 rule does not fit yet" in studio.get(f"/r/{project.key}/blur/{AGE}").text
    project.save(project.document(), project.document().change_column("job", hierarchy={"intervals": "x"}))
    assert studio.get(f"/r/{project.key}/blur/{JOB}").status_code == 200


def test_nothing_to_blur(studio: Any, project: Project) -> None:
    document = project.document()
    for name in ("age", "job", "born", "plz"):
        document = document.change_column(name, role="plain")
    project.save(project.document(), document)
    page = studio.get(f"/r/{project.key}/blur").text
    assert "There is no column to blur" in page and "Choose roles" in page


@pytest.mark.parametrize("example", ["table", "baskets", "patients", "trees"])
def test_every_kind_of_data(studio: Any, example: str) -> None:
    project = studio.open_example(example)
    page = studio.get(f"/r/{project.key}/blur")
    assert page.status_code == 200
    for number in re.findall(r"/blur/(\d+)\"", page.text):
        one = studio.get(f"/r/{project.key}/blur/{number}")
        assert one.status_code == 200 and "does not fit" not in one.text
