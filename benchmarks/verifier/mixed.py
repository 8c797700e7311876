"""The verifier of single values beside item sets against the definitions, at length: random small releases and planted breaches.

    python -m benchmarks.verifier.mixed --cases 100000 --planted 10000 --jobs 2 [--until SECONDS] [--keep FILE]

Random releases are judged for each kind of promise; breaches are planted into releases that kept theirs; and releases, some with
one record changed, are held against the original records ("nothing lost or invented"). Prints one JSON object: of each the number
of cases and how many keep what is promised, disagreements with the definition, breaches planted and caught; and the seconds all
processes took together. With `--until` no further block of 100 is begun after so many seconds, and what was done is counted. A
disagreement is described on stderr with the seed that makes it again; then the exit code is 1.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from dataclasses import replace
from typing import Any

from benchmarks.lib.long_run import Counts, Wrong, long_run, note, note_planted, passes
from benchmarks.lib.many_audits import many_audits
from oracles.mixed_cases import (
    ITEMS,
    SENSITIVE,
    MixedCase,
    disagreements,
    is_blurred,
    is_kept,
    random_blurred,
    random_case,
    random_guarantees,
    spoilt,
)
from properties.verifier.test_verify_mixed_brute_force import covered, crowd
from shoal.guarantees import KKMAnonymity, KLMDiversity
from shoal.verifier.audit import audit

PROMISES = ("k-km-anonymity", "k-lm-diversity of a column", "k-lm-diversity of items")
COVERED = "nothing lost or invented"
COVERED_EVERY = 10  # releases
ASKED = (  # of releases to be spoilt
    KKMAnonymity(3, 2),
    KKMAnonymity(4, 1),
    KKMAnonymity(4, 2),
    KKMAnonymity(4, 3),
    KLMDiversity(3, 2, 2, "ill"),
    KLMDiversity(4, 2, 1, "ill"),
    KLMDiversity(2, 4, 1, "ill"),
    KLMDiversity(3, 2, 2, "items"),
    KLMDiversity(4, 2, 1, "items"),
    KLMDiversity(2, 4, 1, "items"),
)


def kind_of(guarantee: Any) -> str:
    if guarantee.name == "k-km-anonymity":
        return PROMISES[0]
    return PROMISES[1] if guarantee.column == "ill" else PROMISES[2]


def judge_random(block: int, size: int) -> tuple[Counts, Wrong]:
    """Random releases, each judged for several promises until each kind was judged `size` times, and some for what they cover."""
    counts: Counts = Counter()
    wrong: Wrong = []
    with many_audits() as base:
        number = 0
        while min(counts[kind, "cases"] for kind in PROMISES) < size:
            number += 1
            seed = f"mixed {block} {number}"
            rng = random.Random(seed)
            case = random_case(rng)
            asked = list(dict.fromkeys(one for _ in range(3) for one in random_guarantees(rng)))
            with base.cursor() as con:
                verdict = audit(con, case.arrow(), case.terms(*asked))
            for one in asked:
                note(counts, wrong, seed, kind_of(one), passes(verdict, one), disagreements(case, one, verdict))
            counts.update({(kind, "releases"): 1 for kind in PROMISES})
            if number % COVERED_EVERY:
                continue
            blurred = random_blurred(rng)
            if rng.random() < 0.5:
                blurred = spoilt(rng, blurred)
            kept, passed = is_blurred(blurred), covered(base, blurred)
            note(counts, wrong, seed, COVERED, kept, [] if passed == kept else [f"it is {passed}"])
    return counts, wrong


def judge_planted(block: int, size: int) -> tuple[Counts, Wrong]:
    """For each promise `size` releases that kept it until something was changed, and that break it by the definition."""
    counts: Counts = Counter()
    wrong: Wrong = []
    with many_audits() as base:
        number = 0
        while wanted := {kind for kind in PROMISES if counts[kind, "planted"] < size}:
            number += 1
            seed = f"planted mixed {block} {number}"
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
                if one.name == "k-lm-diversity" and is_kept(changed, KKMAnonymity(one.k, one.m)):
                    counts[kind_of(one), "enough records, but too much alike"] += 1
                note_planted(counts, wrong, seed, kind_of(one), caught)
    return counts, wrong


def planted(rng: random.Random, case: MixedCase) -> MixedCase:
    """One record changed, or what is sensitive in all that show the same: enough of them, but too much alike."""
    records = list(case.records)
    at = rng.randrange(len(records))
    one = records[at]
    if rng.random() < 0.5:
        alike = [i for i, other in enumerate(records) if (other.values, other.known()) == (one.values, one.known())]
        if rng.random() < 0.5:
            value = rng.choice(("flu", "ulcer", None))
            for i in alike:
                records[i] = replace(records[i], ill=value)
        else:
            item = rng.choice(SENSITIVE)
            for i in rng.sample(alike, rng.randint(2, len(alike))):
                records[i] = replace(records[i], items=records[i].items | {item})
        return replace(case, records=tuple(records))
    records[at] = rng.choice(
        (
            replace(one, items=one.items ^ {rng.choice(ITEMS)}),
            replace(one, values=("40-49", "Bern")),
            replace(one, values=(one.values[0], "Bern ")),
            replace(one, items=(one.items - {"gout"}) | {"hiv"}),
            replace(one, ill=rng.choice(("flu", None))),
        )
    )
    return replace(case, records=tuple(records))


if __name__ == "__main__":
    sys.exit(long_run(__doc__, PROMISES, judge_random, judge_planted, (COVERED,)))
