"""The verifier of item sets against the definitions, at length: random small releases and planted breaches for every guarantee.

    python -m benchmarks.verifier.sets --cases 100000 --planted 10000 --jobs 2 [--until SECONDS] [--keep FILE]

Prints one JSON object: for each guarantee the number of releases judged and how many of them keep it, disagreements with the
definition, breaches planted and caught; and the seconds all processes took together. With `--until` no further block of 100 is
begun after so many seconds, and what was done is counted. A disagreement is described on stderr with the seed that makes it again;
then the exit code is 1.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from typing import TYPE_CHECKING

from benchmarks.lib.long_run import Counts, Wrong, long_run, note, note_planted, passes
from benchmarks.lib.many_audits import many_audits
from oracles.set_cases import (
    KINDS,
    MatchingCase,
    SetCase,
    broken_combinations,
    fitting_edges,
    in_blocks,
    in_ring,
    matching_kept,
    random_guarantee,
    random_matching,
    random_set,
    random_sets,
    set_case,
    set_disagreements,
    terms_of,
)
from properties.verifier.test_verify_sets_brute_force import MATCHINGS, SETS, changed_matching, changed_sets, judged
from shoal.guarantees import KMatching, LMatching
from shoal.verifier.audit import audit

if TYPE_CHECKING:
    from shoal.guarantees.guarantee import Guarantee

ILL = ("flu", "ulcer", "colic", "gout")
DRAWN = 8  # promises of each kind that are asked of a release of sets; those drawn twice count once
OF_MATCHINGS = (*(KMatching(k) for k in (2, 3, 4, 5)), *(LMatching(few, "ill") for few in (2, 3, 4)))


def judge_random(block: int, size: int) -> tuple[Counts, Wrong]:
    """Random releases, each judged for several promises, until each kind has been judged `size` times."""
    counts: Counts = Counter()
    wrong: Wrong = []
    with many_audits() as base:
        number = 0
        while min(counts[kind, "cases"] for kind in KINDS) < size:
            number += 1
            seed = f"sets {block} {number}"
            rng = random.Random(seed)
            if min(counts[kind, "cases"] for kind in SETS) < size:
                case, asked = random_sets(rng), drawn(rng)
                with base.cursor() as con:
                    verdict = audit(con, case.arrow(), terms_of(*asked))
                for one in asked:
                    found = set_disagreements(case, one, verdict)
                    note(counts, wrong, seed, one.name, passes(verdict, one), found)
                counts.update({(kind, "releases"): 1 for kind in SETS})
            matching = random_matching(rng)
            edges = fitting_edges(matching)
            for one, passed in judged(base, matching, *OF_MATCHINGS, certificate=False).items():
                kept = matching_kept(matching, one, edges)
                note(counts, wrong, seed, one.name, kept, [f"{one} is {passed}"] if passed != kept else [])
            counts.update({(kind, "releases"): 1 for kind in MATCHINGS})
    return counts, wrong


def drawn(rng: random.Random) -> list[Guarantee]:
    return list(dict.fromkeys(random_guarantee(rng, kind) for kind in SETS for _ in range(DRAWN)))


def judge_planted(block: int, size: int) -> tuple[Counts, Wrong]:
    """For each kind `size` promises that a release kept until one item, one record or one edge was changed."""
    counts: Counts = Counter()
    wrong: Wrong = []
    with many_audits() as base:
        number = 0
        while wanted := {kind for kind in KINDS if counts[kind, "planted"] < size}:
            number += 1
            seed = f"planted sets {block} {number}"
            rng = random.Random(seed)
            case = crowd(rng) if rng.random() < 0.7 else random_sets(rng)
            changed = changed_sets(rng, case) if case.records else case
            spoilt = [one for one in drawn(rng) if one.name in wanted and broken_combinations(changed, one)]
            if spoilt := [one for one in spoilt if not broken_combinations(case, one)]:
                with base.cursor() as con:
                    verdict = audit(con, changed.arrow(), terms_of(*spoilt))
                for one in spoilt:
                    caught = not verdict.passed and not set_disagreements(changed, one, verdict)
                    note_planted(counts, wrong, seed, one.name, caught)
            if not wanted & set(MATCHINGS):
                continue
            matching = diverse(rng) if rng.random() < 0.7 else random_matching(rng)
            after = changed_matching(rng, matching)
            before, edges = fitting_edges(matching), fitting_edges(after)
            kept = [one for one in OF_MATCHINGS if one.name in wanted and matching_kept(matching, one, before)]
            if spoilt := [one for one in kept if not matching_kept(after, one, edges)]:
                for one, passed in judged(base, after, *spoilt, certificate=False).items():
                    note_planted(counts, wrong, seed, one.name, not passed)
    return counts, wrong


def crowd(rng: random.Random) -> SetCase:
    """A release in which every set stands with the same values, so that it keeps much."""
    kinds = {random_set(rng) for _ in range(rng.randint(1, 3))}
    records = [(items, ill) for items in sorted(kinds, key=sorted) for ill in ILL[: rng.choice((3, 4, 4))]]
    rng.shuffle(records)
    return set_case(rng, records)


def diverse(rng: random.Random) -> MatchingCase:
    """A release of a method's making whose records have different values, so that it keeps much."""
    number = rng.choice((3, 4, 4, 5))
    kinds = [random_set(rng) for _ in range(rng.randint(1, number))]
    originals: list[tuple[frozenset[str], str | None]] = [(rng.choice(kinds), ILL[i % len(ILL)]) for i in range(number)]
    return rng.choice((in_blocks, in_ring))(rng, originals, rng.randint(2, min(4, number)))


if __name__ == "__main__":
    sys.exit(long_run(__doc__, KINDS, judge_random, judge_planted))
