"""Random recipes of every kind, at length: each ends in a release that keeps its promises, or in a reason.

    python -m benchmarks.random_recipes --cases 10000 --jobs 2 [--seed 1] [--kind tables] [--until SECONDS]

The recipes are those of `tests/oracles/random_recipes`: a quarter of the cases for each kind. A release is judged once more by
the definitions. Prints one JSON object: by kind the cases, releases, refusals (the promise cannot be kept, the recipe or the data
is at fault), drafts that the verifier refused, releases that break a promise by its definition, and tracebacks; what the releases
were made with; seconds, and the CPU seconds of all processes. A fault is described on stderr with what makes it again, and the
exit code is 1. With `--until` no further block of 50 cases is begun after so many seconds.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path

from oracles.random_recipes.outcome import KINDS, outcome_of

BLOCK = 50


def judge(kind: str, seed: int, first: int, last: int) -> tuple[Counter[str], Counter[str], list[str]]:
    """Outcomes; what releases were made with; faults."""
    words: Counter[str] = Counter()
    tags: Counter[str] = Counter()
    faults: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(first, last):
            found = outcome_of(kind, seed, number, Path(folder))
            words[found.word] += 1
            if found.word == "release":
                tags.update(dict.fromkeys(found.tags, 1))
            if found.is_fault:
                faults.append(f"{kind}, seed {seed}, number {number}: {found.word}: {found.detail}")
    return words, tags, faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=10_000, help="of all kinds together")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=KINDS, action="append", help="all, when it is not given")
    parser.add_argument("--until", type=float, help="seconds")
    options = parser.parse_args()
    started = time.perf_counter()
    kinds = options.kind or list(KINDS)
    each = -(-options.cases // len(kinds))
    # kinds in turn, so that a run that is ended early has tried all of them
    blocks = [(kind, first, min(first + BLOCK, each)) for first in range(0, each, BLOCK) for kind in kinds]
    words: dict[str, Counter[str]] = {kind: Counter() for kind in kinds}
    made: dict[str, Counter[str]] = {kind: Counter() for kind in kinds}
    wrong = 0
    with ProcessPoolExecutor(options.jobs, mp_context=get_context("spawn")) as pool:
        waiting = {pool.submit(judge, kind, options.seed, first, last): kind for kind, first, last in blocks}
        for done, future in enumerate(as_completed(waiting), start=1):
            if future.cancelled():
                continue
            found, tags, faults = future.result()
            words[waiting[future]].update(found)
            made[waiting[future]].update(tags)
            wrong += len(faults)
            for fault in faults:
                print(fault, file=sys.stderr)
            print(f"{done} of {len(blocks)} blocks", end="\r", file=sys.stderr, flush=True)
            if options.until is not None and time.perf_counter() - started > options.until:
                for later in waiting:
                    later.cancel()  # those that have begun go on to their end
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    report = {
        "python": platform.python_version(),
        **{package: version(package) for package in ("shoal", "duckdb", "pyarrow", "numpy", "numba")},
        "seed": options.seed,
        "cases": sum(found.total() for found in words.values()),
        "releases": sum(found["release"] for found in words.values()),
        "infeasible": sum(found["infeasible"] for found in words.values()),
        "refused drafts": sum(found["refused draft"] for found in words.values()),
        "breaches": sum(found["breach"] for found in words.values()),
        "tracebacks": sum(found["traceback"] for found in words.values()),
        "kinds": {kind: dict(found.most_common()) for kind, found in words.items()},
        "releases with": {kind: dict(sorted(tags.items())) for kind, tags in made.items()},
        "seconds": round(time.perf_counter() - started, 1),
        "CPU seconds": round(sum(one.ru_utime + one.ru_stime for one in spent), 1),
    }
    print(json.dumps(report, indent=1, ensure_ascii=False))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
