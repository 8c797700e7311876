"""The verifier of tables against brute force, at length: random small releases and planted breaches for every guarantee.

    python -m benchmarks.verifier.tables --cases 100000 --planted 10000 --jobs 2 [--until SECONDS] [--keep FILE]

Prints one JSON object: for each guarantee the number of releases judged and how many of them keep it, disagreements with brute
force, breaches planted and caught; and the runs that it took. With `--until` no further block is begun after so many seconds; with
`--keep` a run goes on where the last one ended. A disagreement is described on stderr with the seed that makes it again; then the
exit code is 1.
"""

from __future__ import annotations

import random
import sys
from collections import Counter

from benchmarks.lib.long_run import Counts, Wrong, long_run, note, note_planted
from benchmarks.lib.many_audits import many_audits
from oracles.verify_cases import KINDS, broken_classes, disagreements, planted, random_case, random_guarantees
from shoal.verifier.audit import audit


def judge_random(block: int, size: int) -> tuple[Counts, Wrong]:
    """Random releases, each judged for every guarantee that can be asked of it, until each has been judged `size` times."""
    counts: Counts = Counter()
    wrong: Wrong = []
    with many_audits() as base:
        number = 0
        while min(counts[kind, "cases"] for kind in KINDS) < size:
            number += 1
            seed = f"random {block} {number}"
            rng = random.Random(seed)
            case = random_case(rng)
            asked = random_guarantees(rng, case)
            if not asked:
                continue
            expected = {one: broken_classes(case, one) for one in asked.values()}
            with base.cursor() as con:
                verdict = audit(con, case.arrow(), case.terms(tuple(asked.values())))
            for kind, one in asked.items():
                found = disagreements(case, {one: expected[one]}, verdict)
                note(counts, wrong, seed, kind, not expected[one], found)
                counts[kind, "releases"] += 1
    return counts, wrong


def judge_planted(block: int, size: int) -> tuple[Counts, Wrong]:
    """For each guarantee `size` releases that kept it until one cell or row was changed."""
    counts: Counts = Counter()
    wrong: Wrong = []
    with many_audits() as base:
        for kind in KINDS:
            for number in range(size):
                seed = f"planted {kind} {block} {number}"
                case, one = planted(random.Random(seed), kind)
                with base.cursor() as con:
                    verdict = audit(con, case.arrow(), case.terms((one,)))
                found = disagreements(case, {one: broken_classes(case, one)}, verdict)
                note_planted(counts, wrong, seed, kind, not verdict.passed and not found)
    return counts, wrong


if __name__ == "__main__":
    sys.exit(long_run(__doc__, KINDS, judge_random, judge_planted))
