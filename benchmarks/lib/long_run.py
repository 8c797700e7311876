"""Judging random and planted cases in many blocks, each a process's work: what the long runs of verifiers share."""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib.metadata import version
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Counts = Counter[tuple[str, str]]  # by kind and by what was counted
Wrong = list[dict[str, Any]]
BLOCK = 100  # cases of each kind in one DuckDB database


def note(counts: Counts, wrong: Wrong, seed: str, kind: str, kept: bool, found: list[str]) -> None:
    """One case: whether it keeps what is promised, and where the verifier disagrees with the definition."""
    counts[kind, "cases"] += 1
    counts[kind, "kept"] += kept
    counts[kind, "disagreements"] += bool(found)
    if found:
        wrong.append({"seed": seed, "kind": kind, "what": found})


def note_planted(counts: Counts, wrong: Wrong, seed: str, kind: str, caught: bool) -> None:
    counts[kind, "planted"] += 1
    counts[kind, "caught"] += caught
    if not caught:
        wrong.append({"seed": seed, "kind": kind, "what": "not caught"})


def long_run(
    about: str | None,
    kinds: Sequence[str],
    judge_random: Callable[[int, int], tuple[Counts, Wrong]],
    judge_planted: Callable[[int, int], tuple[Counts, Wrong]],
) -> int:
    """Read the command line, let both judge blocks (given a block's number and the cases of each kind), print one JSON object, and
    return the exit code."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=100_000, help="random releases per kind")
    parser.add_argument("--planted", type=int, default=10_000, help="planted breaches per promise")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--until", type=float, help="seconds for both; two thirds of them for the random ones")
    options = parser.parse_args()
    started = time.perf_counter()
    part = None if options.until is None else started + options.until * 2 / 3
    counts, wrong = _in_blocks(judge_random, options.cases, options.jobs, part)
    part = None if options.until is None else started + options.until
    more, missed = _in_blocks(judge_planted, options.planted, options.jobs, part)
    wrong += missed
    for one in wrong[:20]:
        print(json.dumps(one, ensure_ascii=False), file=sys.stderr)
    counts.update(more)
    report = {
        "python": platform.python_version(),
        **{package: version(package) for package in ("duckdb", "pyarrow", "numpy")},
        "asked": {"cases": options.cases, "planted": options.planted, "until_s": options.until},
        "kinds": {kind: {what: n for (name, what), n in counts.items() if name == kind} for kind in kinds},
        "disagreements": len(wrong),
        "seconds": round(time.perf_counter() - started, 1),
    }
    print(json.dumps(report, indent=1))
    return 1 if wrong else 0


def _in_blocks(
    judge: Callable[[int, int], tuple[Counts, Wrong]], size: int, jobs: int, until: float | None
) -> tuple[Counts, Wrong]:
    total: Counts = Counter()
    wrong: Wrong = []
    blocks = [(block, min(BLOCK, size - block * BLOCK)) for block in range(-(-size // BLOCK))]
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        waiting = [pool.submit(judge, block, cases) for block, cases in blocks]
        for done, future in enumerate(as_completed(waiting), start=1):
            if future.cancelled():
                continue
            counts, found = future.result()
            total.update(counts)
            wrong += found
            print(f"{judge.__name__}: {done} of {len(blocks)} blocks", end="\r", file=sys.stderr, flush=True)
            if until is not None and time.perf_counter() > until:
                for later in waiting:
                    later.cancel()  # those that have begun go on to their end
    print(file=sys.stderr)
    return total, wrong
