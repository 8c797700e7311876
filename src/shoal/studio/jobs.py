"""Long work, each piece in a process of its own: it can be cancelled, and a browser that is closed loses nothing.

A process stands ready with everything imported, and gets the next job on its input. It tells its progress line by line; its result
is a file in the private folder of the project. Its input is kept open: when the studio ends, however it ends, the work ends too.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from shoal import system
from shoal.errors import ShoalError
from shoal.studio.projects import write_private

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from shoal.studio.projects import Project

_GRACE = 5.0  # seconds that cancelled work has to clean up
_WORDLESS = "The work ended without a word: perhaps for want of memory. Close other programs and try again."
_BEAT = 1.0  # seconds between two events at the latest, so that the clock moves


@dataclass(eq=False)
class Job:
    """One piece of work. `state`: "running", "done", "failed", "cancelled", or "interrupted" by the end of the studio."""

    name: str
    project: Project
    revision: str  # of the recipe that it works on
    state: str = "running"
    stage: str = ""
    message: str = "Starting"
    done: float | None = None
    error: str = ""  # for a person
    started: float = field(default_factory=time.monotonic)
    seconds: float = 0.0
    _process: subprocess.Popen[str] | None = None
    _ending: str = ""  # "cancelled" or "interrupted", once someone wants its end
    _over: threading.Event = field(default_factory=threading.Event)

    @property
    def result(self) -> Any:
        """What came out, once it is done."""
        return self.project.recall(f"{self.name}.result") if self.state == "done" else None

    def facts(self) -> dict[str, Any]:
        """As the page and the notes on disk have it."""
        running = self.state == "running"
        seconds = time.monotonic() - self.started if running else self.seconds
        left = seconds * (1 - self.done) / self.done if running and self.done and self.done > 0.05 else None
        return {
            "name": self.name,
            "state": self.state,
            "stage": self.stage,
            "message": self.message,
            "done": self.done,
            "seconds": round(seconds, 1),
            "left": None if left is None else round(left),
            "error": self.error,
            "revision": self.revision,
        }


class Jobs:
    """All work of the studio: at most one of a name for each project."""

    def __init__(self) -> None:
        self._jobs: dict[tuple[str, str], Job] = {}
        self._lock = threading.Lock()
        self._starts = threading.Lock()  # a double click begins nothing twice
        self._spare: subprocess.Popen[str] | None = None
        self._closing = False

    def warm(self) -> None:
        """Have a process ready."""
        with self._lock:
            if not self._closing and (self._spare is None or self._spare.poll() is not None):
                self._spare = _new_process()

    def start(self, project: Project, name: str, options: dict[str, Any] | None = None) -> Job:
        """Begin; work of the same name that runs already is cancelled first, since the recipe may have changed."""
        with self._starts:
            self.cancel(project, name)
            job = Job(name, project, project.document().revision)
            with self._lock:
                ready = self._spare is not None and self._spare.poll() is None
                job._process = self._spare if ready else _new_process()
                self._spare = None
                self._jobs[project.key, name] = job
        self._note(job)
        task = {
            "work": name,
            "recipe": str(project.recipe),
            "result": str(project.private / f"{name}.result.json"),
            "options": options or {},
        }
        threading.Thread(target=self._follow, args=(job, task), name=f"studio-{name}", daemon=True).start()
        return job

    def find(self, project: Project, name: str) -> Job | None:
        """The last of this name, also of an earlier start of the studio."""
        job = self._jobs.get((project.key, name))
        if job is not None:
            return job
        facts = project.recall(f"{name}.job")
        if not isinstance(facts, dict):
            return None
        state = "interrupted" if facts.get("state") == "running" else str(facts.get("state"))
        job = Job(name, project, str(facts.get("revision")), state, seconds=float(facts.get("seconds") or 0))
        job.error, job.done = str(facts.get("error") or ""), facts.get("done")
        return job

    def cancel(self, project: Project, name: str) -> None:
        """End it, and what it started; it may clean up first."""
        job = self._jobs.get((project.key, name))
        if job is not None:
            _end(job, "cancelled")

    def stop_following(self) -> None:
        """Pages that follow some work are let go, so that the studio can end."""
        self._closing = True

    def close(self) -> None:
        """End everything."""
        self._closing = True
        for job in list(self._jobs.values()):
            _end(job, "interrupted")
        with self._lock:
            spare, self._spare = self._spare, None
        if spare is not None:
            system.kill(spare)

    async def events(self, job: Job) -> AsyncIterator[dict[str, Any]]:
        """Its facts whenever they change, until it ends."""
        before, last = None, 0.0
        while True:
            facts = job.facts()
            seen = {key: facts[key] for key in ("state", "stage", "message", "done")}
            now = time.monotonic()
            if seen != before or now - last >= _BEAT:
                yield facts
                before, last = seen, now
            if facts["state"] != "running" or self._closing:
                return
            await asyncio.sleep(0.1)

    def _follow(self, job: Job, task: dict[str, Any]) -> None:
        process = job._process
        assert process is not None and process.stdin is not None and process.stdout is not None
        ended = False
        try:
            process.stdin.write(json.dumps(task) + "\n")
            process.stdin.flush()
            for line in process.stdout:
                event = json.loads(line)
                if "error" in event:
                    job.error = event["error"]
                elif "ended" in event:
                    ended = True
                else:
                    job.stage, job.message, job.done = event["stage"], event["message"], event["done"]
        except (OSError, ValueError):
            pass
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)  # it tidies up
        system.kill(process)
        with contextlib.suppress(OSError):
            process.stdin.close()
        job.seconds = time.monotonic() - job.started
        if ended:  # also if someone wanted its end too late
            job.state = "done"
        elif job._ending:
            job.state, job.error = job._ending, ""
        else:
            job.error = job.error or _WORDLESS
            job.state = "failed"
        if job.state != "interrupted":  # which is what is told of notes that say "running"
            self._note(job)
        job._over.set()
        self.warm()

    def _note(self, job: Job) -> None:
        with contextlib.suppress(ShoalError):  # a full disk: the page knows, the next start of the studio will not
            write_private(job.project.private / f"{job.name}.job.json", json.dumps(job.facts()))


def _new_process() -> subprocess.Popen[str]:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "shoal.studio.work"],  # -P: no module of the folder we stand in
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # a traceback may show cells of the data
        text=True,
        encoding="utf-8",
        env=environment,
        **system.GROUP,  # Ctrl-C is the studio's, and what the work starts ends with it
    )


def _end(job: Job, ending: str) -> None:
    """First politely: it removes its drafts. Then with all it started."""
    if job.state != "running" or job._process is None:
        return
    job._ending = ending
    system.interrupt(job._process)
    if not job._over.wait(_GRACE):
        system.kill(job._process)
        job._over.wait(_GRACE)
