"""The verifier of item sets against the definitions, at length: random small releases and planted breaches for every guarantee.

    python -m benchmarks.verifier.sets --cases 100000 --planted 10000 --jobs 2 [--until SECONDS]

Prints one JSON object: for each guarantee the number of releases judged and how many of them keep it, disagreements with the
definition, breaches planted and caught; and the seconds all processes took together. With `--until` no further block of 100 is
begun after so many seconds, and what was done is counted. A disagreement is described on stderr with the seed that makes it again;
then the exit code is 1.
"""

from __future__ import annotations

import random
import sys
from collections import Counter

from benchmarks.lib.long_run import Counts, Wrong, long_run, note, note_planted
from oracles.set_cases import (
    KINDS,
    broken_combinations,
    fitting_edges,
    matching_kept,
    random_matching,
    random_sets,
    set_disagreements,
    terms_of,
)
from properties.verifier.test_verify_sets_brute_force import (
    MATCHINGS,
    SETS,
    judged,
    planted_matching,
    planted_sets,
    random_guarantees,
)
from shoal.verifier.audit import audit
from shoal.verifier.sql.duckdb import connection


def judge_random(block: int, size: int) -> tuple[Counts, Wrong]:
    """Random releases, each judged for several guarantees, until each kind has been judged `size` times."""
    counts: Counts = Counter()
    wrong: Wrong = []
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
                note(counts, wrong, seed, one.name, not broken_combinations(case, one), found)
            matching, more = random_matching(rng), random_guarantees(rng, MATCHINGS)
            edges = fitting_edges(matching)
            for one, passed in judged(base, matching, *more, certificate=False).items():
                kept = matching_kept(matching, one, edges)
                note(counts, wrong, seed, one.name, kept, [f"{one} is {passed}"] if passed != kept else [])
    return counts, wrong


def judge_planted(block: int, size: int) -> tuple[Counts, Wrong]:
    """For each guarantee `size` releases that kept it until one item, one record or one edge was changed."""
    counts: Counts = Counter()
    wrong: Wrong = []
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
                note_planted(counts, wrong, seed, kind, caught)
    return counts, wrong


if __name__ == "__main__":
    sys.exit(long_run(__doc__, KINDS, judge_random, judge_planted))
