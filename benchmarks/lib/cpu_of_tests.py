"""Where the time of the tests goes: CPU seconds of each, with those of the processes it started and waited for.

    python -m pytest -p benchmarks.lib.cpu_of_tests … ; python -m benchmarks.lib.cpu_of_tests cpu_of_tests.tsv

A plugin of pytest that adds a line for each test to a file (`CPU_OF_TESTS`, or cpu_of_tests.tsv). CPU time hardly depends on what
else the machine does. What a session prepares (a compiled kernel, a fixture) counts for the test that came first; a process that
outlives its test counts for the one that waits for it. Prints the sum of each file that is named, and what takes most: folders,
files and tests.
"""

from __future__ import annotations

import os
import resource
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.lib import usage

FILE = Path(os.environ.get("CPU_OF_TESTS", "cpu_of_tests.tsv")).absolute()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    before = _seconds()
    done = yield
    with FILE.open("a", encoding="utf-8") as lines:
        lines.write(f"{_seconds() - before:.2f}\t{item.nodeid}\n")
    return done


def _seconds() -> float:
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in both)


def main(*places: str) -> None:
    tests: Counter[str] = Counter()
    for place in places:
        lines = [line.split("\t", 1) for line in Path(place).read_text(encoding="utf-8").splitlines()]
        print(f"{sum(float(seconds) for seconds, _ in lines):8.1f}  {Path(place).stem}: {len(lines):,} tests")
        for seconds, name in lines:
            tests[name] += float(seconds)
    files: Counter[str] = Counter()
    folders: Counter[str] = Counter()
    for name, seconds in tests.items():
        file = name.split("::")[0]
        files[file] += seconds
        folders["/".join(file.split("/")[:2])] += seconds
    for what in (folders, files, tests):
        print("\n" + "\n".join(f"{seconds:8.1f}  {name[:150]}" for name, seconds in what.most_common(20)))


if __name__ == "__main__":
    main(*usage.given(__doc__, 1))
