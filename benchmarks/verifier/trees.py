"""The verifier of trees against the definitions, at length: random small releases and planted breaches.

    python -m benchmarks.verifier.trees --cases 100000 --planted 10000 --jobs 2 [--until SECONDS] [--keep FILE]

Random releases are judged for each kind of promise; breaches are planted into releases that kept theirs (one value, one edge, one
record, or sensitive values); and releases, some with one record changed, are held against the original records by rules and by an
assignment ("nothing lost or invented"; a tenth as many, for they take longer). Prints one JSON object: of each the number of cases
and how many keep what is promised, disagreements with the definition, breaches planted and caught; and the seconds all processes
took together. With `--until` no further block of 100 is begun after so many seconds, and what was done is counted. A disagreement
is described on stderr with the seed that makes it again; then the exit code is 1.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

from benchmarks.lib.long_run import Counts, Wrong, long_run, note, note_planted, passes
from benchmarks.lib.many_audits import many_audits
from oracles.published_trees import (
    HIERARCHIES,
    TreeCase,
    crowd,
    disagreements,
    is_kept,
    planted,
    random_case,
    random_guarantees,
    random_recoded,
)
from properties.verifier.test_verify_trees_originals import assignment, clustered
from shoal.guarantees import KMNAnonymity, KMNDiversity
from shoal.verifier.audit import audit

if TYPE_CHECKING:
    import duckdb

PROMISES = (
    "kmn-anonymity, pairwise",
    "kmn-anonymity, strict",
    "kmn-diversity, distinct",
    "kmn-diversity, frequency",
)
COVERED = "nothing lost or invented"
RULES, TOLD = f"{COVERED}, by rules", f"{COVERED}, by an assignment"
COVERED_EVERY = 10  # releases
ASKED = (  # of releases to be spoilt
    KMNAnonymity(3, 3, 2),
    KMNAnonymity(4, 2, 1),
    KMNAnonymity(4, 3, 0),
    KMNAnonymity(3, 2, 1, "pairwise"),
    KMNAnonymity(4, 1, 0, "pairwise"),
    KMNAnonymity(4, 2, 2, "pairwise"),
    KMNDiversity(3, 2, 1, 2, "ill"),
    KMNDiversity(4, 1, 1, 4, "ill"),
    KMNDiversity(3, 2, 1, 2, "ill", "frequency"),
    KMNDiversity(2, 1, 1, 4, "ill", "frequency"),
)


def kind_of(guarantee: Any) -> str:
    return f"{guarantee.name}, {guarantee.mode if guarantee.name == 'kmn-anonymity' else guarantee.form}"


def judge_random(block: int, size: int) -> tuple[Counts, Wrong]:
    """Random releases, each judged for several promises until each kind was judged `size` times, and some for what they cover."""
    counts: Counts = Counter()
    wrong: Wrong = []
    with many_audits() as base:
        number = 0
        while min(counts[kind, "cases"] for kind in PROMISES) < size:
            number += 1
            seed = f"trees {block} {number}"
            rng = random.Random(seed)
            case = random_case(rng)
            asked = list(dict.fromkeys(one for _ in range(4) for one in random_guarantees(rng)))
            with base.cursor() as con:
                verdict = audit(con, case.arrow(), case.terms(*asked))
            for one in asked:
                note(counts, wrong, seed, kind_of(one), passes(verdict, one), disagreements(case, one, verdict))
            counts.update({(kind, "releases"): 1 for kind in PROMISES})
            if number % COVERED_EVERY:
                continue
            original, release, rules = random_recoded(rng)
            _cover(rng, base, counts, wrong, seed, RULES, original, release, rules=rules)
            original, release, pairs = clustered(rng)
            _cover(rng, base, counts, wrong, seed, TOLD, original, release, assignment=assignment(pairs))
    return counts, wrong


def _cover(
    rng: random.Random,
    base: duckdb.DuckDBPyConnection,
    counts: Counts,
    wrong: Wrong,
    seed: str,
    kind: str,
    original: TreeCase,
    release: TreeCase,
    **more: Any,
) -> None:
    """The release as it was made, or with one record changed: it covers the original when it shows the same records."""
    shown = planted(rng, release) if rng.random() < 0.5 and release.records else release
    kept = Counter(shown.records) == Counter(release.records)
    terms = shown.terms(KMNAnonymity(2, 1, 0), hierarchies=HIERARCHIES)
    with base.cursor() as con:
        verdict = audit(con, shown.arrow(), terms, original=original.arrow(), **more)
    (check,) = (one for one in verdict.checks if one.name == COVERED)
    note(counts, wrong, seed, kind, kept, [] if check.passed == kept else [f"it is {check.passed}"])


def judge_planted(block: int, size: int) -> tuple[Counts, Wrong]:
    """For each promise `size` releases that kept it until something was changed, and that break it by the definition."""
    counts: Counts = Counter()
    wrong: Wrong = []
    with many_audits() as base:
        number = 0
        while wanted := {kind for kind in PROMISES if counts[kind, "planted"] < size}:
            number += 1
            seed = f"planted trees {block} {number}"
            rng = random.Random(seed)
            case = crowd(rng)
            changed = planted(rng, case)
            broken = [one for one in ASKED if kind_of(one) in wanted and not is_kept(changed, one)]
            if not all(is_kept(case, one) for one in broken):
                wrong.append({"seed": seed, "what": "the release did not keep its promise before"})
            if not broken:
                continue
            with base.cursor() as con:
                verdict = audit(con, changed.arrow(), changed.terms(*broken))
            for one in broken:
                shown = any(witness.guarantee == one.technical() for witness in verdict.witnesses)
                caught = not verdict.passed and shown and not disagreements(changed, one, verdict)
                if one.name == "kmn-diversity" and is_kept(changed, KMNAnonymity(one.k, one.m, one.n, one.mode)):
                    counts[kind_of(one), "enough records, but too much alike"] += 1
                note_planted(counts, wrong, seed, kind_of(one), caught)
    return counts, wrong


if __name__ == "__main__":
    sys.exit(long_run(__doc__, PROMISES, judge_random, judge_planted, (RULES, TOLD)))
