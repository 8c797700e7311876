"""Ctrl-C, or a listener that raises, at any moment of a run over many records: it ends soon, and nothing is left behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

from shoal.release.run import run

pytestmark = [pytest.mark.faults, pytest.mark.slow]

RECORDS = 2_000_000
STAGES = ("load", "count", "apply", "write", "verify")
AT_ONCE = 20.0  # seconds; in a quiet machine it is a fraction of one
RECIPE = """shoal = 1
[input]
path = "people.parquet"
[output]
path = "release/people.parquet"
[columns]
age = { role = "quasi", hierarchy = { intervals = [10, 50], from = 0, to = 100 } }
city = { role = "quasi" }
number = { role = "plain", accept_unique = true, reason = "many values: counting, sorting and writing take their time" }
ill = { role = "sensitive" }
[[guarantee]]
name = "k-anonymity"
k = 5
[engine]
memory = "300MB"
"""


class CancelledError(Exception):
    pass


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cancel")
    duckdb.execute(
        f"COPY (SELECT (hash(range) % 100)::BIGINT AS age, 'city' || hash(range, 1) % 30 AS city, hash(range, 2) % 10000000 AS "
        f"number, 'ill' || hash(range, 3) % 5 AS ill FROM range({RECORDS})) TO '{folder / 'people.parquet'}'"
    ).fetchall()
    (folder / "recipe.toml").write_text(RECIPE)
    (folder / "temporary").mkdir()
    return folder


@pytest.fixture(autouse=True)
def _fresh(place):
    """What one test leaves by mistake is not the next one's fault."""
    shutil.rmtree(place / "release", ignore_errors=True)


@pytest.fixture
def start(place):
    """A process with a folder of its own for what is temporary."""
    started = []

    def new(*args):
        env = {**os.environ, "TMPDIR": str(place / "temporary")}
        started.append(
            subprocess.Popen(
                [sys.executable, *map(str, args)], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
        )
        return started[-1]

    yield new
    for process in started:
        process.kill()
        process.communicate()


def assert_nothing_left(place):
    assert sorted(path.name for path in place.iterdir()) == ["people.parquet", "recipe.toml", "temporary"]
    assert not any((place / "temporary").iterdir())


@pytest.mark.parametrize("stage", STAGES)
def test_ctrl_c_in_every_stage(place, start, stage):
    process = start(Path(__file__).with_name("cancel_driver.py"), place / "recipe.toml", stage)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out, err.strip()) == (130, "", "Stopped. Nothing was published.")
    assert_nothing_left(place)


def test_ctrl_c_at_any_moment(place, start):
    """Of the command itself. The first moments are those of imports."""
    ended = []
    for moment in (0.1, 0.5, 1.5, 3.0):
        process = start("-c", "import sys; from shoal.cli import main; sys.exit(main())", "run", place / "recipe.toml")
        time.sleep(moment)
        process.send_signal(signal.SIGINT)
        pressed = time.monotonic()
        process.communicate(timeout=300)
        assert time.monotonic() - pressed < AT_ONCE
        ended.append(process.returncode)
        assert_nothing_left(place)
    assert ended[-2:] == [130, 130]
    # before shoal is there to hear it, Python ends as it does: killed, or with 1 while it starts itself
    assert 0 not in ended


@pytest.mark.parametrize("stage", STAGES)
def test_a_listener_that_raises_cancels(place, stage):
    heard = []

    def listen(event):
        heard.append(event)
        # the second report: the first may come before the work of the stage begins
        if sum(one.stage == stage for one in heard) == 2:
            raise CancelledError

    try:
        run(place / "recipe.toml", listener=listen)
    except CancelledError:
        assert_nothing_left(place)
        assert heard[-1].stage == stage
    else:  # the stage was over before it could report twice
        assert sum(one.stage == stage for one in heard) == 1
