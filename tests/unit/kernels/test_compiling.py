"""Compiled kernels are kept by the source of all of them: an upgrade never runs old code, and environments share what is equal."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import shoal
from shoal.kernels import compiling

PACKAGE = Path(shoal.__file__).parent
CALL = """
import numpy as np
from shoal.kernels import compiling
from shoal.kernels.tables.outer import outer
print(outer(np.arange(3)), len(list(compiling.folder().rglob("*.nbc"))))
"""
COMPILES_NOTHING = """
from shoal.kernels.announcing import compiling_announced
def refuse():
    raise SystemExit("something is compiled")
compiling_announced(refuse).__enter__()
"""
OUTER = """
from shoal.kernels.compiling import kernel
from shoal.kernels.tables.inner import inner


@kernel
def outer(numbers):
    return inner(numbers) + 1
"""
INNER = """
from shoal.kernels.compiling import kernel


@kernel
def inner(numbers):
    return numbers.sum() * {factor}
"""


def installation(folder, factor):
    """What kernels need of shoal, with two of our own, one of which calls the other."""
    kernels = folder / "shoal" / "kernels"
    (kernels / "tables").mkdir(parents=True, exist_ok=True)
    (folder / "shoal" / "__init__.py").write_text("")
    for name in (
        "__init__.py",
        "announcing.py",
        "cache.py",
        "compiling.py",
        "interrupts.py",
        "linking.py",
        "tables/__init__.py",
    ):
        shutil.copy(PACKAGE / "kernels" / name, kernels / name)
    shutil.copytree(PACKAGE / "system", folder / "shoal" / "system", dirs_exist_ok=True)
    (kernels / "tables/outer.py").write_text(OUTER)
    (kernels / "tables/inner.py").write_text(INNER.format(factor=factor))
    return folder


def called(folder, room):
    """What a fresh process answers, and how many compiled functions there are then: the inner one is kept with the outer."""
    environment = {"PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": str(room), "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "-c", CALL]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, cwd=folder)
    return tuple(map(int, run.stdout.split()))


@pytest.mark.slow
def test_a_change_in_a_function_that_is_called_is_seen(tmp_path):
    room = tmp_path / "room"
    assert called(installation(tmp_path / "here", 10), room) == (31, 1)
    assert called(installation(tmp_path / "elsewhere", 10), room) == (31, 1)  # nothing was compiled again
    assert called(installation(tmp_path / "here", 100), room) == (301, 1)  # `outer` is as it was, and yet compiled anew


def test_what_kernels_of_long_ago_left_is_deleted(tmp_path, monkeypatch):
    old, other = tmp_path / ("0" * 16), tmp_path / "something else"
    old.mkdir()
    other.mkdir()
    monkeypatch.setattr(compiling, "find_room", lambda: tmp_path)
    monkeypatch.setattr(compiling, "_FORGOTTEN", -1)
    place = compiling.folder.__wrapped__()
    assert place.is_dir() and place.stat().st_mode & 0o777 == 0o700
    assert not old.exists() and other.exists()


def test_where_nothing_can_be_kept_it_runs_all_the_same_and_says_so_once(tmp_path):
    (tmp_path / "room").write_text("no folder")
    environment = {"PYTHONPATH": str(installation(tmp_path / "here", 10)), "NUMBA_CACHE_DIR": str(tmp_path / "room")}
    run = subprocess.run(
        [sys.executable, "-c", CALL], env=environment, capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert run.stdout.split() == ["31", "0"]
    assert run.stderr.count("cannot be kept") == 1 and "shoal prepare" in run.stderr


def test_a_folder_that_can_only_be_read_serves_what_was_compiled_before(tmp_path):
    """As in an image of a container: filled by one user, read by another."""
    here, room = installation(tmp_path / "here", 10), tmp_path / "room"
    assert called(here, room) == (31, 1)
    if os.geteuid() == 0 and (
        shutil.which("unshare") is None
        or subprocess.run(["unshare", "--mount", "true"], check=False, capture_output=True).returncode
    ):
        pytest.skip("root can write everywhere, and may not mount here")
    subprocess.run(["chmod", "-R", "a-w", room], check=True)
    mounts = f"mount --bind {room} {room} && mount -o remount,bind,ro {room} && " if os.geteuid() == 0 else ""
    enter = ["unshare", "--mount"] if os.geteuid() == 0 else []
    environment = {"PYTHONPATH": str(here), "NUMBA_CACHE_DIR": str(room), "PATH": os.environ["PATH"]}
    code = COMPILES_NOTHING + CALL
    command = [*enter, "sh", "-c", f'{mounts}exec "$0" -W error -c "$1"', sys.executable, code]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=here)
    subprocess.run(["chmod", "-R", "u+w", room], check=True)
    assert run.stdout.split() == ["31", "1"], run.stderr
