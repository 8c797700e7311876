"""The first page: three ways in, and how far each recipe is."""

import pytest
from page_text import words

from shoal.release.editing.progress import progress_of


def test_it_is_empty_at_first_and_says_what_to_do(studio):
    seen = words(studio.get("/"))
    for text in ("Publish", "Check a release that someone gave me", "How risky is this file?", "Nothing yet"):
        assert text in seen


def test_each_recipe_is_told_with_how_far_it_is(studio, tmp_path):
    data = tmp_path / "people.csv"
    data.write_text("name,age\n" + "".join(f"P{n},{n % 50}\n" for n in range(100)))
    studio.post("/open/path", {"path": str(data)})
    (project,) = studio.projects.recent()
    assert "0 of 2 columns confirmed" in words(studio.get("/"))
    studio.change(project, "columns/change", confirm="1")
    assert "1 of 2 columns confirmed" in words(studio.get("/"))
    studio.change(project, "columns/change", confirm="0")
    assert "All 2 columns confirmed, not published yet" in words(studio.get("/"))
    release = project.recipe.parent / project.document().values["output"]["path"]
    release.parent.mkdir()
    release.write_text("")
    assert "Published on" in words(studio.get("/"))


def test_a_recipe_is_taken_off_the_list_and_stays_on_disk(studio):
    project = studio.open_example("table")
    studio.post("/forget", {"key": project.key})
    assert "Nothing yet" in words(studio.get("/"))
    assert project.recipe.is_file()


@pytest.mark.parametrize("text", ["", "= nonsense", "columns = 3", "[columns]\na = 1\n[output]\npath = 5\n"])
def test_a_recipe_that_cannot_be_read_does_no_harm(tmp_path, text):
    path = tmp_path / "recipe.toml"
    path.write_text(text)
    assert progress_of(path).sentence == "Cannot be read"
