"""The verifier against brute force, at length: random small releases and planted breaches for every guarantee.

    python -m benchmarks.verifier.tables --cases 100000 --planted 10000 --guarantee all --jobs 2

Prints one JSON object: for each guarantee the number of releases judged and how many of them keep it, disagreements with brute
force, breaches planted and caught; and the seconds all processes took together. A disagreement is described on stderr with the
seed that makes it again; then the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib.metadata import version
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

from oracles.verify_cases import KINDS, broken_classes, disagreements, planted, random_case, random_guarantees
from shoal.verifier.audit import audit
from shoal.verifier.sql.duckdb import connection

if TYPE_CHECKING:
    from collections.abc import Callable

_BLOCK = 500  # cases judged in one DuckDB database


def judge_random(kinds: tuple[str, ...], block: int, size: int) -> dict[str, Any]:
    """Random releases, each judged for every guarantee that can be asked of it, until each has been judged `size` times."""
    counts = {kind: {"cases": 0, "kept": 0, "disagreements": 0} for kind in kinds}
    wrong: list[dict[str, Any]] = []
    started = time.perf_counter()
    with connection() as base:
        base.execute("SET threads = 1")
        number = 0
        while min(count["cases"] for count in counts.values()) < size:
            number += 1
            seed = f"random {block} {number}"
            rng = random.Random(seed)
            case = random_case(rng)
            asked = {kind: one for kind, one in random_guarantees(rng, case).items() if kind in kinds}
            expected = {one: broken_classes(case, one) for one in asked.values()}
            if not asked:
                continue
            with base.cursor() as con:
                verdict = audit(con, case.arrow(), case.terms(tuple(asked.values())))
            for kind, one in asked.items():
                found = disagreements(case, {one: expected[one]}, verdict)
                counts[kind]["cases"] += 1
                counts[kind]["kept"] += not expected[one]
                counts[kind]["disagreements"] += bool(found)
                if found:
                    wrong.append({"seed": seed, "guarantee": kind, "what": found})
    return {"counts": counts, "wrong": wrong, "seconds": time.perf_counter() - started}


def judge_planted(kinds: tuple[str, ...], block: int, size: int) -> dict[str, Any]:
    """For each guarantee `size` releases that kept it until one cell or row was changed."""
    counts = {kind: {"planted": 0, "caught": 0} for kind in kinds}
    wrong: list[dict[str, Any]] = []
    started = time.perf_counter()
    with connection() as base:
        base.execute("SET threads = 1")
        for kind in kinds:
            for number in range(size):
                seed = f"planted {kind} {block} {number}"
                case, one = planted(random.Random(seed), kind)
                with base.cursor() as con:
                    verdict = audit(con, case.arrow(), case.terms((one,)))
                found = disagreements(case, {one: broken_classes(case, one)}, verdict)
                counts[kind]["planted"] += 1
                counts[kind]["caught"] += not verdict.passed and not found
                if verdict.passed or found:
                    wrong.append({"seed": seed, "guarantee": kind, "what": found})
    return {"counts": counts, "wrong": wrong, "seconds": time.perf_counter() - started}


def in_blocks(
    judge: Callable[[tuple[str, ...], int, int], dict[str, Any]], kinds: tuple[str, ...], size: int, jobs: int
) -> dict[str, Any]:
    total: dict[str, Any] = {"counts": {kind: {} for kind in kinds}, "wrong": [], "seconds": 0.0}
    blocks = [(block, min(_BLOCK, size - block * _BLOCK)) for block in range(-(-size // _BLOCK))]
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        waiting = [pool.submit(judge, kinds, block, cases) for block, cases in blocks]
        for done, future in enumerate(as_completed(waiting), start=1):
            part = future.result()
            total["wrong"] += part["wrong"]
            total["seconds"] += part["seconds"]
            for kind, counts in part["counts"].items():
                for key, count in counts.items():
                    total["counts"][kind][key] = total["counts"][kind].get(key, 0) + count
            print(f"{judge.__name__}: {done} of {len(blocks)} blocks", end="\r", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return total


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=100_000, help="random releases per guarantee")
    parser.add_argument("--planted", type=int, default=10_000, help="planted breaches per guarantee")
    parser.add_argument("--guarantee", choices=["all", *KINDS], default="all")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args()
    kinds = KINDS if options.guarantee == "all" else (options.guarantee,)
    judged = in_blocks(judge_random, kinds, options.cases, options.jobs)
    spoilt = in_blocks(judge_planted, kinds, options.planted, options.jobs)
    wrong = judged["wrong"] + spoilt["wrong"]
    for one in wrong[:20]:
        print(json.dumps(one, ensure_ascii=False), file=sys.stderr)
    report = {
        "python": platform.python_version(),
        **{package: version(package) for package in ("duckdb", "pyarrow", "numpy")},
        "guarantees": {kind: {**judged["counts"][kind], **spoilt["counts"][kind]} for kind in kinds},
        "disagreements": len(wrong),
        "random_seconds": round(judged["seconds"], 1),
        "planted_seconds": round(spoilt["seconds"], 1),
    }
    print(json.dumps(report, indent=1))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
