"""Recipes on disk: two tabs, undo, forgetting, folders that cannot be written to."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from shoal.errors import DataError, RecipeError
from shoal.release.editing.document import ChangedMeanwhile
from shoal.studio.projects import UNDONE, Projects, key_of, write_private


def _limit(project) -> object:
    return project.document().values["suppression"]["limit"]


def _set(project, value) -> None:
    before = project.document()
    project.save(before, before.put(value, "suppression", "limit"))


def test_the_second_of_two_tabs_is_told_and_nothing_is_lost(studio) -> None:
    project = studio.open_example("table")
    seen = project.document()  # by both tabs
    project.save(seen, seen.put(0.25, "suppression", "limit"))
    with pytest.raises(ChangedMeanwhile, match="changed meanwhile"):
        project.save(seen, seen.put(0.5, "suppression", "limit"))
    assert _limit(project) == 0.25


def test_many_tabs_at_once_never_tear_the_recipe(studio) -> None:
    project = studio.open_example("table")
    seen = project.document()
    start = threading.Barrier(8)

    def change(number: int) -> bool:
        start.wait()
        try:
            project.save(seen, seen.put(0.5 + number / 100, "suppression", "limit"))
        except ChangedMeanwhile:
            return False
        return True

    with ThreadPoolExecutor(8) as tabs:
        saved = list(tabs.map(change, range(1, 9)))
    assert sum(saved) == 1
    assert _limit(project) == 0.5 + (saved.index(True) + 1) / 100
    project.undo(project.document().revision)
    assert project.document().text == seen.text and not project.can_undo


def test_a_page_that_is_out_of_date_answers_409_with_a_way_on(studio) -> None:
    project = studio.open_example("table")
    _set(project, 0.25)
    answer = studio.post(f"/r/{project.key}/undo", {"revision": "of long ago", "step": "columns"})
    assert answer.status_code == 409 and "changed meanwhile" in answer.text
    assert f'href="/r/{project.key}/columns"' in answer.text
    assert _limit(project) == 0.25


def test_undo_brings_back_text_after_text(studio) -> None:
    project = studio.open_example("table")
    first = project.document().text
    for value in (0.1, 0.2, 0.3):
        _set(project, value)
    assert studio.change(project, "undo", step="columns").url.path == f"/r/{project.key}/columns"
    assert _limit(project) == 0.2
    studio.change(project, "undo")
    studio.change(project, "undo")
    assert project.document().text == first and not project.can_undo
    studio.change(project, "undo")
    assert project.document().text == first


def test_undo_never_takes_back_what_an_editor_wrote(studio) -> None:
    project = studio.open_example("table")
    _set(project, 0.25)
    by_hand = project.recipe.read_text() + "\n# a note of mine\n"
    project.recipe.write_text(by_hand)
    assert not project.can_undo
    assert studio.change(project, "undo").status_code == 409
    assert project.recipe.read_text() == by_hand
    _set(project, 0.5)
    assert project.can_undo
    studio.change(project, "undo")
    assert project.recipe.read_text() == by_hand


def test_a_bounded_number_of_texts_is_kept(studio) -> None:
    project = studio.open_example("table")
    for number in range(UNDONE + 5):
        _set(project, number / 1000)
    assert len(list(project.private.glob("earlier/*"))) == UNDONE
    studio.change(project, "undo")
    assert _limit(project) == (UNDONE + 3) / 1000


def test_forgetting_leaves_the_recipe_and_its_data(studio) -> None:
    project = studio.open_example("table")
    _set(project, 0.25)
    studio.post("/forget", {"key": project.key})
    assert studio.projects.recent() == [] and not project.private.exists()
    assert project.recipe.is_file() and (project.recipe.parent / "patients.csv").is_file()


@pytest.mark.parametrize("key", ["", ".", "..", "../..", "/", "../table", "recent.json", "0123456789ab", "\0"])
def test_forgetting_deletes_nothing_else(studio, key) -> None:
    project = studio.open_example("table")
    _set(project, 0.25)
    before = sorted(studio.projects.folder.rglob("*"))
    assert studio.post("/forget", {"key": key}).status_code == 200
    assert sorted(studio.projects.folder.rglob("*")) == before


def test_what_the_studio_keeps_is_for_this_person_only(studio) -> None:
    project = studio.open_example("table")
    _set(project, 0.25)
    project.remember("profile", {"a": 1})
    private = studio.projects.folder / ".studio"
    for path in [private, *(path for path in private.rglob("*") if path.is_file())]:
        assert path.stat().st_mode & 0o077 == 0, path
    assert project.recipe.parent.stat().st_mode & 0o077 == 0


def test_what_was_kept_and_cannot_be_read_is_as_if_it_were_not_there(studio) -> None:
    project = studio.open_example("table")
    assert project.recall("profile") is None
    write_private(project.private / "profile.json", "{half")
    assert project.recall("profile") is None
    write_private(studio.projects.folder / ".studio" / "recent.json", '{"not": "a list"}')
    assert studio.projects.recent() == []
    assert studio.get("/").status_code == 200


def test_recipes_that_are_gone_are_left_out(studio) -> None:
    kept, gone = studio.open_example("table"), studio.open_example("baskets")
    gone.recipe.unlink()
    assert studio.projects.recent() == [kept]
    assert studio.get(f"/r/{gone.key}/columns").status_code == 422


def test_the_last_that_was_opened_comes_first(studio) -> None:
    first, second = studio.open_example("table"), studio.open_example("baskets")
    assert studio.projects.recent() == [second, first]
    assert studio.projects.open(first.recipe) == first
    assert studio.projects.recent() == [first, second]
    assert first.key == key_of(first.recipe.resolve())


@pytest.mark.parametrize("name", ["../up", "/etc", "..", ".studio", "", "a" * 300, "\0", "Müller & Söhne", "CON:\n"])
def test_folders_of_new_projects_lie_within_the_studios(studio, name) -> None:
    folder = studio.projects.new_folder(name)
    again = studio.projects.new_folder(name)
    assert folder.parent == again.parent == studio.projects.folder and folder != again
    assert not folder.name.startswith(".")


class _Locked:
    """A folder that cannot be written to, also for the superuser."""

    def __init__(self, folder: Path) -> None:
        folder.write_text("a file where a folder should be")
        self.folder = folder


def test_a_home_that_cannot_be_written_to_is_told(tmp_path, monkeypatch) -> None:
    _Locked(tmp_path / "home")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    projects = Projects()
    assert not projects.lasting and projects.folder.parent == tmp_path
    assert projects.folder.stat().st_mode & 0o077 == 0


def test_a_folder_that_was_asked_for_is_used_or_refused(tmp_path) -> None:
    assert Projects(tmp_path / "a" / "b").folder == tmp_path / "a" / "b"
    with pytest.raises(RecipeError, match="--folder"):
        Projects(_Locked(tmp_path / "file").folder / "below")


def test_a_full_disk_is_told_and_leaves_no_draft(tmp_path, monkeypatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(DataError, match="No space left"):
        write_private(tmp_path / "private" / "x.json", "{}")
    assert os.listdir(tmp_path / "private") == []


def test_what_was_checked_is_deleted_after_a_week(studio) -> None:
    old, new = studio.projects.new_check(), studio.projects.new_check()
    os.utime(old.private, (0, 0))
    Projects(studio.projects.folder)
    assert not old.private.exists() and new.private.exists()
