"""The most memory that a process and all that it started held together, at any one moment."""

from __future__ import annotations

import os
import re
import threading
from pathlib import Path

_EVERY = 0.25  # seconds between two looks


class Together:
    """Looks at all processes below this one, itself included, until `stop`.

    Counted is what each has for itself, and its share of what several have (PSS): the sum counts no page twice.
    """

    def __init__(self) -> None:
        self.peak_mb, self.java_mb = 0.0, 0.0  # of all; of the processes of Java, when it was most
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def stop(self) -> float:
        self._over.set()
        self._thread.join()
        return self.peak_mb

    def _look(self) -> None:
        while True:
            held = {process: _held_mb(process) for process in family()}
            self.peak_mb = max(self.peak_mb, sum(held.values()))
            self.java_mb = max(self.java_mb, sum(mb for process, mb in held.items() if _is_java(process)))
            if self._over.wait(_EVERY):
                return


def family(of: int | None = None) -> list[int]:
    """The process (this one, unless another is named) and all below it."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            children.setdefault(_parent(path), []).append(int(path.name))
    made, waiting = [], [of or os.getpid()]
    while waiting:
        made.append(waiting.pop())
        waiting += children.get(made[-1], [])
    return made


def _parent(path: Path) -> int:
    try:
        return int((path / "stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, ValueError):  # it has ended
        return -1


def _held_mb(process: int) -> float:
    try:
        found = re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{process}/smaps_rollup").read_text(), re.MULTILINE)
    except OSError:
        return 0.0
    return int(found[1]) / 1024 if found else 0.0


def _is_java(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/comm").read_text().strip() == "java"
    except OSError:
        return False
