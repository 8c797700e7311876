"""The whole of `shoal run`, killed or failed at every write, sync, rename, creation and truncation it makes.

Whatever happens: the output is absent, or it is a whole release that the verifier passes; and the next run leaves nothing behind.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import harness
import pytest

import shoal
from shoal.io.publishing.publish import sweep
from shoal.release.examples import write_example

pytestmark = [
    pytest.mark.faults,
    pytest.mark.slow,
    pytest.mark.skipif(bool(harness.why_not()), reason=str(harness.why_not())),
]

FILES = {
    "patients.csv", "patients.report.html", "patients.report.json", "patients.codebook.json",
    "patients.codebook.csv", "patients.report.private.html",
    "patients.manifest.private.json",
}  # fmt: skip
ASSIGNMENT = "patients.assignment.private.parquet"  # beside a release by groups
L_DIVERSITY = '[[guarantee]]\nname = "l-diversity"\nl = 2\ncolumn = "diagnosis"\n'
ALL = os.environ.get("SHOAL_FAULTS") == "all"  # the long run, see docs/evidence/crash.md
KILLS = int(os.environ.get("SHOAL_KILLS", "200" if ALL else "40"))  # at random times
FEW = 7  # one of so many operations is tried, where others are much the same
RECORDS = 300  # of the example: enough for every step, small enough for hundreds of runs


@pytest.fixture(scope="module", params=["csv", "parquet", "groups"])
def place(request, tmp_path_factory):
    """A folder with an example, and the name of its release. `groups`: every class shows values of its own, as CSV."""
    folder = tmp_path_factory.mktemp("faults")
    write_example("table", folder)
    lines = (folder / "patients.csv").read_text().splitlines(keepends=True)
    (folder / "patients.csv").write_text("".join(lines[: RECORDS + 1]))
    name = "patients.parquet" if request.param == "parquet" else "patients.csv"
    recipe = (folder / "recipe.toml").read_text().replace("release/patients.csv", f"release/{name}")
    if request.param == "groups":
        recipe = recipe.replace(L_DIVERSITY, "").replace('name = "optimal"', 'name = "mondrian"')
    (folder / "recipe.toml").write_text(recipe)
    return folder, name


@pytest.fixture(scope="module")
def run(place):
    folder = place[0]
    with harness.Server(Path(__file__).with_name("run_program.py"), folder) as made:
        yield functools.partial(made.run, [folder / "recipe.toml"])


_verified: set[str] = set()


def check(place, *, after_sweep: bool) -> bool:
    """Absent, or whole and verified. True when a release is there."""
    folder, name = place
    release = folder / "release"
    if after_sweep and release.exists():
        sweep(release)
    listing = {path.name for path in release.iterdir()} if release.exists() else set()
    files = {f.replace("patients.csv", name) for f in FILES}
    files |= {ASSIGNMENT} if has_groups(folder) else set()
    hidden = {entry for entry in listing if entry.startswith(".shoal-draft-")}
    if name not in listing:
        if after_sweep:
            assert listing == set(), f"left over: {listing}"
        return False
    if after_sweep:
        assert listing == files
    else:
        assert listing - hidden == files
    report = json.loads((release / name.replace(name.rsplit(".")[1], "report.json")).read_text())
    for file in report["facts"]["identity"]["files"]:
        assert hashlib.sha256((release / file["name"]).read_bytes()).hexdigest() == file["sha256"]
    told = release / ASSIGNMENT if has_groups(folder) else None
    judged = (release / name).read_bytes() + (told.read_bytes() if told else b"")
    digest = hashlib.sha256(judged).hexdigest()
    if digest not in _verified:  # the same bytes need judging once
        verdict = shoal.verify(
            release / name, folder / "recipe.toml", original=folder / "patients.csv", assignment=told
        )
        assert verdict.passed
        _verified.add(digest)
    return True


def name_of(place) -> str:
    """As the parameter of `place`."""
    folder, name = place
    return "groups" if has_groups(folder) else name.rsplit(".")[1]


def has_groups(folder: Path) -> bool:
    return "mondrian" in (folder / "recipe.toml").read_text()


def clear(place) -> None:
    release = place[0] / "release"
    if release.exists():
        for path in release.iterdir():
            path.unlink()
        release.rmdir()


def test_the_run_is_seen_by_the_shim(run, place):
    clear(place)
    outcome = run("kill", 0)
    assert (outcome.returncode, outcome.fired) == (0, False)
    assert outcome.counts["total"] > 20, "a shim that sees nothing would prove nothing"
    assert check(place, after_sweep=False)


@pytest.mark.parametrize("replace", [False, True], ids=["new", "replace"])
def test_killed_at_every_operation(run, place, replace, record_property):
    if replace and place[1].endswith(".parquet"):
        pytest.skip("replacing does not depend on the file format")
    clear(place)
    if replace:  # each run then finds a release, the one before or an older one
        assert run("kill", 0).returncode == 0
    killed = published = 0
    # every operation of a first publication of CSV; the others add few of their own
    step = 1 if ALL or (name_of(place) == "csv" and not replace) else FEW
    for at in range(1, 1000, step):
        outcome = run("kill", at)
        if not outcome.fired:
            assert outcome.returncode == 0
            break
        assert outcome.returncode == -signal.SIGKILL
        killed += 1
        check(place, after_sweep=False)
        published += check(place, after_sweep=True)
        if not replace:
            clear(place)
    assert killed > 20 / step
    record_property("operations killed at", killed)
    # replacing: the old release or the new one, never none; otherwise some kills come before publication
    assert published == killed if replace else published < killed


@pytest.mark.parametrize("sticky", [False, True], ids=["once", "from-then-on"])
@pytest.mark.parametrize("mode", ["enospc", "eio"])
def test_failed_at_every_operation(run, place, mode, sticky, record_property):
    if sticky and place[1].endswith(".parquet"):
        pytest.skip("a disk that stays full is tried with CSV")
    if has_groups(place[0]) and (sticky or mode == "eio"):
        pytest.skip("the file that groups add is tried with one kind of error")
    # every operation once with a full disk and CSV; the others take the same way, or add few operations of their own
    failed, step = 0, 1 if ALL or (name_of(place), mode, sticky) == ("csv", "enospc", False) else FEW
    for at in range(1, 1000, step):
        clear(place)
        outcome = run(mode, at, sticky=sticky)
        code = outcome.returncode
        if not outcome.fired:
            assert code == 0
            break
        failed += 1
        there = check(place, after_sweep=False)
        # a run that says it failed has published nothing; one that got over the fault has published all
        assert there == (code == 0), f"exit code {code} at operation {at}"
        assert code in (0, 3)
        check(place, after_sweep=True)
    assert failed > 20 / step
    record_property("operations failed at", failed)
    if ALL:
        record_property("all operations", 1)


def test_random_kills(place, record_property):
    """40 runs (all: 200; or `SHOAL_KILLS`) killed after a random time; some of them in the middle of a replacement."""
    folder, name = place
    if name.endswith(".parquet") or has_groups(folder):
        pytest.skip("the time of a kill knows no file format; the CSV runs suffice")
    clear(place)
    server = Path(__file__).with_name("kill_server.py")
    started = subprocess.Popen(
        [sys.executable, str(server), str(folder / "recipe.toml")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )

    line = started.stdout.readline

    for _ in range(2):  # the second run tells how long one takes
        started.stdin.write("\n")
        started.stdin.flush()
        line()
        before = time.monotonic()
        assert line() == "0\n"
        usual = time.monotonic() - before
    chance = random.Random(5)
    killed = 0
    for _ in range(KILLS):
        started.stdin.write("\n")
        started.stdin.flush()
        child = int(line())
        time.sleep(chance.uniform(0, usual * 1.1))
        try:
            os.kill(child, signal.SIGKILL)
        except ProcessLookupError:
            pass
        killed += int(line()) == -signal.SIGKILL
        check(place, after_sweep=False)
        if chance.random() < 0.5:
            check(place, after_sweep=True)
    started.stdin.close()
    started.wait(timeout=30)
    assert killed > 10
    record_property("random kills", killed)
