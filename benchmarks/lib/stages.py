"""What each stage of a run takes: seconds on the clock, CPU seconds with those of the processes it started, and memory."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import psutil


class Stages:
    """A listener of a run. CPU seconds are of this process and of all that it has started; memory is the most that was resident in
    this process during the stage."""

    def __init__(self, *, memory: bool = True) -> None:
        self._memory = memory
        self.seconds: dict[str, float] = {}
        self.cpu: dict[str, float] = {"before": cpu_s()}
        self.peaks: dict[str, float] = {}
        self._last = ("start", time.perf_counter(), self.cpu["before"])

    def __call__(self, event: Any) -> None:
        self._next(event.stage)

    def end(self) -> None:
        self._next("end")

    @property
    def figures(self) -> dict[str, dict[str, float]]:
        """For a record of the run."""
        made = {"stages_s": self.seconds, "stages_cpu_s": self.cpu}
        rounded = {key: {name: round(one, 1) for name, one in values.items()} for key, values in made.items()}
        return rounded | (
            {"stages_peak_mb": {name: round(one) for name, one in self.peaks.items()}} if self._memory else {}
        )

    def _next(self, stage: str) -> None:
        name, since, used = self._last
        if stage == name:  # no new stage: this is asked many times a second
            return
        self._last = (stage, time.perf_counter(), cpu_s())
        self.seconds[name] = self.seconds.get(name, 0.0) + self._last[1] - since
        self.cpu[name] = self.cpu.get(name, 0.0) + self._last[2] - used
        if self._memory:
            self.peaks[name] = max(self.peaks.get(name, 0.0), _peak_mb())


def cpu_s() -> float:
    """Of this process and all it has started."""
    total = 0.0
    for process in [psutil.Process(), *psutil.Process().children(recursive=True)]:
        try:
            times = process.cpu_times()
        except psutil.Error:
            continue
        total += times.user + times.system + times.children_user + times.children_system
    return total


def _peak_mb() -> float:
    """The most that was resident since this was asked last."""
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    Path("/proc/self/clear_refs").write_text("5")
    return int(line.split()[1]) / 1024
