"""Judging random and planted cases in many blocks, each a process's work: what the long runs of verifiers share."""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from importlib.metadata import version
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.lib.sums import Sums, this_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.verifier.verdict import Verdict

Counts = Counter[tuple[str, str]]  # by kind and by what was counted
Wrong = list[dict[str, Any]]
Judge = Callable[[int, int], tuple[Counts, Wrong]]  # block, cases of each kind
BLOCK = 250  # cases of each kind in one DuckDB database


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


def passes(verdict: Verdict, guarantee: Any) -> bool:
    """What the verifier says. Where it does not disagree with the definition that is also what the definition says."""
    return next(check.passed for check in verdict.checks if check.name == guarantee.technical())


def long_run(
    about: str | None, promises: Sequence[str], judge_random: Judge, judge_planted: Judge, more: Sequence[str] = ()
) -> int:
    """Read the command line, let both judge blocks (given a block's number and the cases of each promise), print one JSON object,
    and return the exit code. more: kinds that are judged now and then, and of which no number is asked."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=100_000, help="judgements of random releases per promise")
    parser.add_argument("--planted", type=int, default=10_000, help="planted breaches per promise")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--until", type=float, help="no further block is begun after so many seconds")
    parser.add_argument("--keep", type=Path, help="file with the sums of earlier runs: go on from there, and add to it")
    options = parser.parse_args()
    versions = {"python": platform.python_version(), **{name: version(name) for name in ("duckdb", "pyarrow", "numpy")}}
    script = sys.modules[judge_random.__module__].__spec__
    sums = Sums(options.keep, script.name.rpartition(".")[2] if script else "", this_run(**versions))
    started = time.perf_counter()
    wrong: Wrong = []
    # half of the time for the planted ones, and what they leave of it for the others
    parts = (("planted", judge_planted, options.planted, 0.5), ("cases", judge_random, options.cases, 1.0))
    for part, judge, wanted, share in parts:
        end = None if options.until is None else started + options.until * share
        wrong += _in_blocks(sums, part, judge, promises, wanted, options.jobs, end)
    for one in wrong[:20]:
        print(json.dumps(one, ensure_ascii=False), file=sys.stderr)
    told = sums.told()
    report = {
        **versions,
        "asked": {"cases": options.cases, "planted": options.planted, "until_s": options.until},
        "kinds": {kind: told["kinds"].get(kind, {}) for kind in (*promises, *more)},
        "disagreements": sums.disagreements,
        "runs": sums.runs,
        "seconds": round(time.perf_counter() - started, 1),
    }
    print(json.dumps(report, indent=1))
    return 1 if sums.disagreements else 0


def _in_blocks(
    sums: Sums, part: str, judge: Judge, promises: Sequence[str], wanted: int, jobs: int, end: float | None
) -> Wrong:
    """Blocks one after the other until all promises have what is wanted, or the time is over. What was begun is finished."""
    wrong: Wrong = []
    fresh = (block for block in count() if block not in sums.done.get(part, set()))
    waiting: dict[Future[tuple[Counts, Wrong, float]], int] = {}
    have = sums.least(part, promises)
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        while True:
            # what is under way counts as if it were done: no more is begun than is needed
            while len(waiting) < jobs and (left := wanted - have - BLOCK * len(waiting)) > 0 and not _over(end):
                block = next(fresh)
                waiting[pool.submit(_timed, judge, block, min(BLOCK, left))] = block
            if not waiting:
                break
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                counts, found, cpu = future.result()
                wrong += found
                sums.add(part, waiting.pop(future), counts, len(found), cpu)
            have = sums.least(part, promises)
            print(f"{part}: {have:,} of {wanted:,}", end="\r", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return wrong


def _timed(judge: Judge, block: int, size: int) -> tuple[Counts, Wrong, float]:
    started = time.process_time()
    counts, wrong = judge(block, size)
    return counts, wrong, time.process_time() - started


def _over(end: float | None) -> bool:
    return end is not None and time.perf_counter() > end
