"""The verifier of item sets against the definitions, at length: random small releases and planted breaches for every guarantee.

    python benchmarks/verifier_sets_long_run.py --cases 100000 --planted 10000 --jobs 2

Prints one JSON object: for each guarantee the number of releases judged and how many of them keep it, disagreements with the
definition, breaches planted and caught; and the seconds all processes took together. A disagreement is described on stderr with the
seed that makes it again; then the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from properties.set_cases import (
    KINDS,
    broken_combinations,
    fitting_edges,
    matching_kept,
    random_matching,
    random_sets,
    set_disagreements,
    terms_of,
)
from properties.test_verify_sets_brute_force import (
    MATCHINGS,
    SETS,
    judged,
    planted_matching,
    planted_sets,
    random_guarantees,
)
from shoal.verify.audit import audit
from shoal.verify.duckdb_sql import connection

if TYPE_CHECKING:
    from collections.abc import Callable

_BLOCK = 500  # releases judged for each guarantee in one DuckDB database


def judge_random(block: int, size: int) -> tuple[Counter[tuple[str, str]], list[dict[str, Any]]]:
    """Random releases, each judged for several guarantees, until each kind has been judged `size` times."""
    counts: Counter[tuple[str, str]] = Counter()
    wrong: list[dict[str, Any]] = []
    with connection() as base:
        base.execute("SET threads = 1")
        number = 0
        while min(counts[kind, "cases"] for kind in KINDS) < size:
            number += 1
            seed = f"sets {block} {number}"
            rng = random.Random(seed)
            case, asked = random_sets(rng), random_guarantees(rng, SETS)
            with base.cursor() as con:
                verdict = audit(con, case.arrow(), terms_of(*asked))
            for one in asked:
                found = set_disagreements(case, one, verdict)
                _note(counts, wrong, seed, one.name, not broken_combinations(case, one), found)
            matching, more = random_matching(rng), random_guarantees(rng, MATCHINGS)
            edges = fitting_edges(matching)
            for one, passed in judged(base, matching, *more, certificate=False).items():
                kept = matching_kept(matching, one, edges)
                _note(counts, wrong, seed, one.name, kept, [f"{one} is {passed}"] if passed != kept else [])
    return counts, wrong


def judge_planted(block: int, size: int) -> tuple[Counter[tuple[str, str]], list[dict[str, Any]]]:
    """For each guarantee `size` releases that kept it until one item, one record or one edge was changed."""
    counts: Counter[tuple[str, str]] = Counter()
    wrong: list[dict[str, Any]] = []
    with connection() as base:
        base.execute("SET threads = 1")
        for kind in KINDS:
            for number in range(size):
                seed = f"planted {kind} {block} {number}"
                rng = random.Random(seed)
                if kind in SETS:
                    case, one = planted_sets(rng, kind)
                    with base.cursor() as con:
                        verdict = audit(con, case.arrow(), terms_of(one))
                    caught = not verdict.passed and not set_disagreements(case, one, verdict)
                else:
                    matching, one = planted_matching(rng, kind)
                    caught = not judged(base, matching, one, certificate=False)[one]
                counts[kind, "planted"] += 1
                counts[kind, "caught"] += caught
                if not caught:
                    wrong.append({"seed": seed, "guarantee": kind, "what": "not caught"})
    return counts, wrong


def _note(
    counts: Counter[tuple[str, str]], wrong: list[dict[str, Any]], seed: str, kind: str, kept: bool, found: list[str]
) -> None:
    counts[kind, "cases"] += 1
    counts[kind, "kept"] += kept
    counts[kind, "disagreements"] += bool(found)
    if found:
        wrong.append({"seed": seed, "guarantee": kind, "what": found})


def in_blocks(judge: Callable[..., Any], size: int, jobs: int) -> tuple[Counter[tuple[str, str]], list[dict[str, Any]]]:
    total: Counter[tuple[str, str]] = Counter()
    wrong: list[dict[str, Any]] = []
    blocks = [(block, min(_BLOCK, size - block * _BLOCK)) for block in range(-(-size // _BLOCK))]
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        waiting = [pool.submit(judge, block, cases) for block, cases in blocks]
        for done, future in enumerate(as_completed(waiting), start=1):
            counts, found = future.result()
            total.update(counts)
            wrong += found
            print(f"{judge.__name__}: {done} of {len(blocks)} blocks", end="\r", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return total, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=100_000, help="random releases per guarantee")
    parser.add_argument("--planted", type=int, default=10_000, help="planted breaches per guarantee")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args()
    started = time.perf_counter()
    counts, wrong = in_blocks(judge_random, options.cases, options.jobs)
    spoilt, missed = in_blocks(judge_planted, options.planted, options.jobs)
    wrong += missed
    for one in wrong[:20]:
        print(json.dumps(one, ensure_ascii=False), file=sys.stderr)
    counts.update(spoilt)
    report = {
        "python": platform.python_version(),
        **{package: version(package) for package in ("duckdb", "pyarrow", "numpy")},
        "guarantees": {kind: {what: n for (name, what), n in counts.items() if name == kind} for kind in KINDS},
        "disagreements": len(wrong),
        "seconds": round(time.perf_counter() - started, 1),
    }
    print(json.dumps(report, indent=1))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
