"""Where compiled code is kept. What lies there is run, so it must be ours."""

from __future__ import annotations

import os
import warnings

import pytest

from shoal.kernels import cache


@pytest.fixture
def place(tmp_path, monkeypatch):
    """The only folder for what is temporary, and one that we alone can write to."""
    tmp_path.chmod(0o700)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def test_a_private_folder_is_made_and_said_once(place):
    with pytest.warns(RuntimeWarning, match="NUMBA_CACHE_DIR"):
        folder = cache.private_folder()
    assert folder.parent == place
    assert folder.stat().st_mode & 0o777 == 0o700
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cache.private_folder() == folder


def link(path):
    (path.parent / "elsewhere").mkdir(mode=0o700)
    path.symlink_to(path.parent / "elsewhere")


def readable(path):
    path.mkdir()
    path.chmod(0o750)


@pytest.mark.parametrize(
    "plant", [link, readable, lambda path: path.write_text(""), lambda path: path.symlink_to("no")]
)
def test_what_others_can_write_or_lead_elsewhere_is_not_taken(place, plant):
    planted = place / "shoal-kernels-00000000"
    plant(planted)
    with pytest.warns(RuntimeWarning):
        assert cache.private_folder() != planted


def test_a_folder_of_somebody_else_is_not_taken(place, monkeypatch):
    planted = place / "shoal-kernels-00000000"
    planted.mkdir(mode=0o700)
    assert cache.private_folder() == planted
    place.chmod(0o1777)
    monkeypatch.setattr("os.geteuid", lambda: os.getuid() + 1)
    monkeypatch.setattr(cache, "_is_guarded", lambda folder: folder == place)
    with pytest.warns(RuntimeWarning):
        assert cache.private_folder() != planted


@pytest.mark.parametrize(
    ("mode", "is_guarded"), [(0o700, True), (0o755, True), (0o1777, True), (0o777, False), (0o770, False)]
)
def test_a_place_where_others_can_replace_it_is_passed_over(place, mode, is_guarded):
    place.chmod(mode)
    assert cache._is_guarded(place) == is_guarded


def test_the_user_says_where(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert cache.find_room() == tmp_path / "shoal"


def test_or_else_it_is_the_users_cache(tmp_path, monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.find_room() == tmp_path / "shoal"
    assert (tmp_path / "shoal").stat().st_mode & 0o777 == 0o700


def test_a_cache_that_others_can_fill_is_not_taken(place, tmp_path, monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "cache" / "shoal").mkdir(parents=True)
    (tmp_path / "cache" / "shoal").chmod(0o777)
    with pytest.warns(RuntimeWarning, match="NUMBA_CACHE_DIR"):
        assert cache.find_room().parent == place


def test_no_place_at_all_says_what_to_set(monkeypatch):
    monkeypatch.setattr(cache, "_is_guarded", lambda _: False)
    with pytest.raises(OSError, match="NUMBA_CACHE_DIR"):
        cache.private_folder()
