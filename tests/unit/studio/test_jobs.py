"""Long work in processes of its own: progress, Cancel, faults, and what is left of it."""

from __future__ import annotations

import json
import os
import time

import psutil
import pytest

from shoal.studio.jobs import Jobs

pytestmark = pytest.mark.slow  # processes that import all of shoal

SLEEPER = """
import subprocess, sys, time
from pathlib import Path
from shoal.errors import DataError
from shoal.methods.method import Progress


def sleep(recipe, options, listener):
    child = subprocess.Popen([sys.executable, "-c", "import signal, time; signal.signal(2, signal.SIG_IGN); time.sleep(600)"])
    Path(options["pids"]).write_text(str(child.pid))
    listener(Progress("sleeping", "Sleeping", 0.5))
    try:
        time.sleep(600)
    finally:
        Path(options["pids"] + ".tidy").touch()


def talk(recipe, options, listener):
    print("a library that prints a cell: Kanarienvogel")
    listener(Progress("talking", "Talking", None))
    return {"text": "done"}


def mistake(recipe, options, listener):
    raise DataError("The file has no rows.")


def fault(recipe, options, listener):
    raise ValueError("Kanarienvogel is no number")


def vanish(recipe, options, listener):
    import os
    os._exit(9)


from shoal.studio.work import registry
registry.WORKS = {"sleep": sleep, "talk": talk, "mistake": mistake, "fault": fault, "vanish": vanish}
"""


@pytest.fixture
def works(studio, tmp_path, monkeypatch) -> None:
    """Pieces of work for tests, known to the processes that are started."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(
        "import sys\nif 'shoal.studio.work' in ' '.join(sys.orig_argv):\n    import works_of_tests\n"
    )
    (folder / "works_of_tests.py").write_text(SLEEPER)
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))


def _until(condition, seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def _alive(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def _asleep(studio, tmp_path) -> tuple[object, object, int]:
    project = studio.open_example("table")
    pids = tmp_path / "pids"
    job = studio.jobs.start(project, "sleep", {"pids": str(pids)})
    _until(lambda: job.stage == "sleeping")
    return project, job, int(pids.read_text())


def test_cancel_ends_the_work_with_all_it_started(studio, works, tmp_path) -> None:
    project, job, child = _asleep(studio, tmp_path)
    assert job.facts()["done"] == 0.5 and _alive(child)
    began = time.monotonic()
    answer = studio.post(f"/r/{project.key}/jobs/sleep/cancel", {"step": "risk"})
    assert answer.url.path == f"/r/{project.key}/risk" and time.monotonic() - began < 5
    assert job.state == "cancelled" and not job.error and job.result is None
    assert (tmp_path / "pids.tidy").exists()  # politely first
    assert not _alive(job._process.pid)
    _until(lambda: not _alive(child), 2)
    assert Jobs().find(project, "sleep").state == "cancelled"


def test_the_end_of_the_studio_ends_the_work_and_the_next_start_says_so(studio, works, tmp_path) -> None:
    project, job, child = _asleep(studio, tmp_path)
    studio.jobs.close()
    assert not _alive(job._process.pid)
    _until(lambda: not _alive(child), 2)
    assert Jobs().find(project, "sleep").state == "interrupted"


def test_a_double_click_begins_one_piece_of_work(studio, works, tmp_path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    project = studio.open_example("table")
    with ThreadPoolExecutor(3) as clicks:
        jobs = list(
            clicks.map(lambda n: studio.jobs.start(project, "sleep", {"pids": str(tmp_path / f"p{n}")}), range(3))
        )
    running = [job for job in jobs if job.state == "running"]
    assert len(running) == 1 and studio.jobs.find(project, "sleep") is running[0]
    assert sum(_alive(job._process.pid) for job in jobs) == 1


def test_results_survive_the_studio(studio, works) -> None:
    project = studio.open_example("table")
    studio.jobs.start(project, "talk")
    job = studio.finish(project, "talk")
    assert job.state == "done" and job.result == {"text": "done"}
    assert job.revision == project.document().revision
    later = Jobs().find(project, "talk")
    assert later.state == "done" and later.result == {"text": "done"}
    assert Jobs().find(project, "never") is None


def test_mistakes_are_told_faults_by_their_kind_only(studio, works) -> None:
    project = studio.open_example("table")
    for name, words in (("mistake", "The file has no rows."), ("fault", "ValueError"), ("vanish", "memory")):
        studio.jobs.start(project, name)
        job = studio.finish(project, name)
        assert job.state == "failed" and words in job.error and job.result is None, name
    kept = "".join(path.read_text() for path in project.private.rglob("*.json"))
    assert "Kanarienvogel" not in kept


def test_the_stream_tells_progress_and_ends_with_the_work(studio, works, tmp_path) -> None:
    project, job, _ = _asleep(studio, tmp_path)
    # the client of the tests gathers whole answers, so the work must end by itself
    import threading

    threading.Timer(0.5, studio.jobs.cancel, (project, "sleep")).start()
    answer = studio.get(f"/r/{project.key}/jobs/sleep/events")
    events = [json.loads(line.removeprefix("data: ")) for line in answer.text.splitlines() if line]
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert events[0]["state"] == "running" and events[0]["message"] == "Sleeping" and events[0]["left"] is not None
    assert events[-1]["state"] == "cancelled"
    assert studio.get(f"/r/{project.key}/jobs/unknown/events").status_code == 404


def test_no_module_of_the_folder_we_stand_in_is_run(studio, tmp_path, monkeypatch) -> None:
    trap = tmp_path / "trap"
    trap.mkdir()
    for name in ("json", "shoal", "numpy"):
        (trap / f"{name}.py").write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')\n")
    monkeypatch.chdir(trap)
    project = studio.open_example("table")
    studio.jobs.start(project, "risk")
    assert studio.finish(project, "risk").state == "done"
    assert not (tmp_path / "sprung").exists()


def test_a_process_stands_ready(tmp_path) -> None:
    jobs = Jobs()
    jobs.warm()
    spare = jobs._spare
    jobs.warm()
    assert spare is not None and jobs._spare is spare and _alive(spare.pid)
    jobs.close()
    assert not _alive(spare.pid)
    jobs.warm()
    assert jobs._spare is None  # a closed studio starts nothing
