"""A plain user without a home folder, under an installation that belongs to somebody else: README's commands run.

Tests may run as root, who can write everywhere. Then the commands run as `nobody`, who may read everything (Python itself may lie
in root's home folder) and write only where it is allowed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import shoal
from docs.doc_pages import PROJECT, blocks, commands

NOBODY = 65534
AS_NOBODY = (
    "setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups", "--no-new-privs",
    "--inh-caps=-all,+dac_read_search", "--ambient-caps=-all,+dac_read_search", "--bounding-set=-all,+dac_read_search",
)  # fmt: skip
_FIRST = next(block for block in blocks(PROJECT / "README.md") if block.language == "bash")
README = [command.text for command in commands(_FIRST)][1:]


@pytest.fixture(scope="module")
def become():
    """The words before a command that make it a plain user's."""
    if os.geteuid() != 0:
        return ()
    if shutil.which("setpriv") is None or subprocess.run([*AS_NOBODY, "true"], check=False).returncode:
        pytest.skip("root cannot become somebody else here: setpriv of util-linux is missing or not allowed")
    return AS_NOBODY


@pytest.fixture
def call(tmp_path, become):
    installation, folder, temporary = (tmp_path / name for name in ("installation", "folder", "temporary"))
    shutil.copytree(Path(shoal.__file__).parent, installation / "shoal", ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run(["chmod", "-R", "a-w", installation], check=True)
    for made in (folder, temporary):
        made.mkdir()
    temporary.chmod(0o1777)
    if become:
        os.chown(folder, NOBODY, NOBODY)
    env = {key: value for key, value in os.environ.items() if key not in {"NUMBA_CACHE_DIR", "XDG_CACHE_HOME"}}
    env |= {
        "HOME": "/nonexistent/home",
        "TMPDIR": str(temporary),
        "PYTHONPATH": str(installation),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PATH": os.pathsep.join([str(tmp_path / "bin"), os.environ["PATH"]]),
    }
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "shoal"
    command.write_text(f"#!/bin/sh\nexec '{sys.executable}' -c 'from shoal.cli import main; main()' \"$@\"\n")
    command.chmod(0o755)
    yield lambda *words: subprocess.run(
        [*become, *words], cwd=folder, env=env, capture_output=True, text=True, timeout=900, check=False
    )
    subprocess.run(["chmod", "-R", "u+w", installation], check=True)


def test_the_commands_of_readme_run_for_a_plain_user_without_home_under_a_read_only_installation(call, tmp_path):
    assert README[0].startswith("shoal example") and len(README) == 4
    if (
        call("test", "-w", tmp_path / "installation/shoal").returncode == 0
        or call("mkdir", "/nonexistent").returncode == 0
    ):
        pytest.skip("whoever runs this can write everywhere")
    said = ""
    for command in README:
        told = call("sh", "-c", command)
        assert told.returncode == 0, f"{command}\n{told.stderr}"
        said += told.stderr
    assert said.count("Set NUMBA_CACHE_DIR to a folder of your own") == 1
    (kept,) = (tmp_path / "temporary").iterdir()
    assert kept.name.startswith("shoal-kernels-") and any(kept.rglob("*.nbi"))


def test_a_folder_that_somebody_else_prepared_is_not_used(call, tmp_path):
    """Its files would be run."""
    planted = tmp_path / "temporary" / "shoal-kernels-00000000"
    planted.mkdir()
    planted.chmod(0o777)
    code = "from shoal.kernels.compiling import folder; print(folder().parent)"
    told = call(sys.executable, "-W", "ignore", "-c", code)
    used = Path(told.stdout.strip())
    assert told.returncode == 0, told.stderr
    assert used.parent == planted.parent and used != planted
    assert used.stat().st_mode & 0o777 == 0o700
    assert not any(planted.iterdir())
