"""The ways in: a path, a file that is dropped, a folder, an example, a recipe; and what was understood, put right."""

import json
import stat

import pytest
from page_text import words

from shoal.release.examples import write_example

GERMAN = "Name;Geburtstag;Größe;PLZ\n" + "".join(
    f"Müller {n};{1 + n % 28:02}.{1 + n % 12:02}.{1950 + n % 40};1{n % 90:02},5;{80000 + n % 7:05}\n" for n in range(60)
)


def only(studio):
    (project,) = studio.projects.recent()
    return project


def test_a_file_is_opened_by_its_path_and_stays_where_it_is(studio, tmp_path):
    data = tmp_path / "leute.csv"
    data.write_bytes(GERMAN.encode("cp1252"))
    page = studio.post("/open/path", {"path": str(data)})
    assert page.status_code == 200
    seen = words(page)
    assert "Is this your data?" in seen
    assert "Müller 0" in seen
    assert "1950-01-01" in seen
    assert 'value=";" selected' in page.text
    assert "<option selected>windows-1252</option>" in page.text
    project = only(studio)
    section = project.document().values["input"]
    assert (section["encoding"], section["delimiter"]) == ("windows-1252", ";")
    assert (project.recipe.parent / section["path"]).resolve() == data
    assert project.document().columns["Geburtstag"]["written"] == "dd.mm.yyyy"
    assert data.read_bytes() == GERMAN.encode("cp1252")


def test_a_dropped_file_goes_into_a_folder_of_its_own_for_this_person_only(studio):
    page = studio.browser.post("/open/upload", files={"file": ("../../x/people.csv", b"age,city\n31,Bonn\n32,Ulm\n")})
    assert page.status_code == 200
    place = only(studio).recipe.parent / "people.csv"
    assert place.read_bytes() == b"age,city\n31,Bonn\n32,Ulm\n"
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    again = studio.browser.post("/open/upload", files={"file": ("people.csv", b"age,city\n1,Rom\n2,Pisa\n")})
    assert again.status_code == 200
    assert len(studio.projects.recent()) == 2
    assert place.read_bytes() == b"age,city\n31,Bonn\n32,Ulm\n"


def test_a_file_that_cannot_be_read_leaves_nothing_and_says_what_to_do(studio, tmp_path):
    page = studio.browser.post("/open/upload", files={"file": ("people.xyz", b"\0\1\2")})
    assert page.status_code == 422
    assert "people.xyz cannot be read" in words(page)
    assert [file.name for file in studio.projects.folder.iterdir()] == [".studio"]
    broken = tmp_path / "broken.csv"
    broken.write_text("a,b\n1,2\n3\n")
    page = studio.post("/open/path", {"path": str(broken)})
    assert page.status_code == 422
    assert "line 3" in words(page)
    assert f'value="{broken}"' in page.text
    assert [file.name for file in studio.projects.folder.iterdir()] == [".studio"]


def test_where_two_readings_fit_the_page_asks_and_the_answer_counts(studio, tmp_path):
    data = tmp_path / "two.csv"
    data.write_text("a;b,c;d\n1;2,3;4\n5;6,7;8\n")
    page = studio.post("/open/path", {"path": str(data)})
    assert page.status_code == 422
    assert "What stands between the columns?" in words(page)
    assert studio.post("/open/path", {"path": str(data), "delimiter": ";"}).status_code == 200
    assert list(only(studio).document().columns) == ["a", "b,c", "d"]


def test_a_dropped_file_waits_for_the_answer(studio):
    page = studio.browser.post("/open/upload", files={"file": ("two.csv", b"a;b,c;d\n1;2,3;4\n5;6,7;8\n")})
    assert "What stands between the columns?" in words(page)
    (place,) = studio.projects.folder.glob("*/two.csv")
    assert studio.post("/open/path", {"path": str(place), "delimiter": ","}).status_code == 200
    assert only(studio).recipe.parent == place.parent


def test_days_or_months_first_is_asked_and_read_as_said(studio, tmp_path):
    data = tmp_path / "visits.csv"
    data.write_text("seen,age\n" + "".join(f"{1 + n % 12:02}/{1 + n % 9:02}/2020,{n}\n" for n in range(40)))
    page = studio.post("/open/path", {"path": str(data)})
    assert "can be read in two ways" in words(page)
    project = only(studio)
    page = studio.change(project, "open/written", column="seen", written="mm/dd/yyyy")
    assert "2020-02-02" in words(page)
    assert project.document().columns["seen"]["written"] == "mm/dd/yyyy"
    assert "dates" in project.document().columns["seen"]["hierarchy"]
    page = studio.change(project, "open/written", column="seen", written="dd.mm.yyyy")
    assert page.status_code == 422
    assert project.document().columns["seen"]["written"] == "mm/dd/yyyy"


def test_another_delimiter_gives_other_columns_and_can_be_taken_back(studio, tmp_path):
    data = tmp_path / "two.csv"
    data.write_text("a;b,c;d\n1;2,3;4\n5;6,7;8\n")
    studio.post("/open/path", {"path": str(data), "delimiter": ";"})
    project = only(studio)
    page = studio.change(project, "open/reading", delimiter=",", encoding="utf-8", quote='"')
    assert page.status_code == 200
    assert list(project.document().columns) == ["a;b", "c;d"]
    assert [one["name"] for one in project.recall("profile")["columns"]] == ["a;b", "c;d"]
    studio.change(project, "undo", step="open")
    assert list(project.document().columns) == ["a", "b,c", "d"]


def test_a_wrong_encoding_changes_nothing(studio, tmp_path):
    data = tmp_path / "leute.csv"
    data.write_bytes(GERMAN.encode("cp1252"))
    studio.post("/open/path", {"path": str(data)})
    project = only(studio)
    before = project.document().text
    page = studio.change(project, "open/reading", encoding="utf-8", delimiter=";", quote='"')
    assert page.status_code == 422
    assert "could not be read" in words(page)
    assert project.document().text == before


@pytest.mark.parametrize("name", ["table", "baskets", "patients", "trees"])
def test_every_example_opens(studio, name):
    page = studio.post("/open/example", {"name": name, "for": "risk"})
    assert page.status_code == 200
    assert "The first" in words(page)
    assert only(studio).recall("aim") == "risk"


def test_a_recipe_opens_and_says_where_its_data_is_missing(studio, tmp_path):
    *_, recipe = write_example("table", tmp_path / "mine")
    assert studio.post("/open/path", {"path": str(recipe)}).status_code == 200
    data = recipe.parent / only(studio).document().values["input"]["path"]
    data.rename(tmp_path / "moved.csv")
    project = only(studio)
    page = studio.get(f"/r/{project.key}/open")
    assert "Where is the data?" in words(page)
    page = studio.change(project, "open/place", path=str(tmp_path / "moved.csv"))
    assert "The first rows" in words(page)


def test_a_folder_of_tables_becomes_trees(studio, tmp_path):
    folder = tmp_path / "tables"
    folder.mkdir()
    (folder / "people.csv").write_text("id,sex\n" + "".join(f"{n},{'mf'[n % 2]}\n" for n in range(30)))
    (folder / "visits.csv").write_text("person,ward\n" + "".join(f"{n % 30},W{n % 4}\n" for n in range(90)))
    page = studio.post("/open/path", {"path": str(folder)})
    assert "folder of tables" in words(page)
    fields = {"folder": str(folder), "record": "people", "keys": "visits.person = people.id"}
    page = studio.post("/open/tables", fields)
    assert page.status_code == 200, words(page)
    assert "The first records" in words(page)


def test_cells_are_escaped(studio, tmp_path):
    data = tmp_path / "x.csv"
    data.write_text("name,city\n<script>alert(1)</script>,<b>\nplain,Ulm\n")
    page = studio.post("/open/path", {"path": str(data)})
    assert "<script>alert" not in page.text
    assert "&lt;script&gt;alert" in page.text


def test_what_is_kept_of_the_data_is_for_this_person_only(studio, tmp_path):
    data = tmp_path / "x.csv"
    data.write_text("age,city\n1,Bonn\n2,Ulm\n")
    studio.post("/open/path", {"path": str(data)})
    project = only(studio)
    for file in project.private.rglob("*.json"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        json.loads(file.read_text())
    assert stat.S_IMODE(project.recipe.stat().st_mode) == 0o600
