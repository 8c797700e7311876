"""How often does somebody who knows all single values and some items of a person pick the right record?

    python -m benchmarks.mixed.attack [--set informs] [--rows N] [--k 25] [--m 2] [--delta 0.65] [--method rum-bound]
                                       [--merge rt] [--items sets] [--attacks N] [--apart]

A release of INFORMS is decided, made and verified, and its published records are attacked 10,000 times each by somebody who knows
0, 1, m, m + 1 and m + 2 items: the most telling ones a person has, and random ones. Up to m items the chance of every single person
is 1/k at most, which is counted for all of them as well (`least_of_all` records fit). Beyond m nothing is promised, and the figure
is what was measured. With `--apart` the same attack on a k-anonymous table beside k^m-anonymous sets, each made without regard to
the other. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.mixed.deciding import decided, load
from benchmarks.rows.mixed import COLUMNS, Mixed, read
from shoal.attacks.mixed.guesses import ATTACKS, MixedAttacker, PublishedRecords
from shoal.data.schema import Column, Role, Schema
from shoal.engines.local import LocalEngine
from shoal.guarantees.k_km_anonymity import KKMAnonymity
from shoal.io.source import from_frame
from shoal.methods.mixed.problem import MixedProblem
from shoal.methods.registry import METHODS
from shoal.recoding.mixed.clusters import MixedRecoding
from shoal.verifier import Terms, verify_release


def released(mixed: Mixed, asked: argparse.Namespace) -> tuple[pa.Table, dict[str, Any]]:
    """What is published, after the verifier passed it."""
    schema = Schema(
        tuple(Column(name, Role.QUASI, "set" if name == mixed.sets else "scalar") for name in mixed.hierarchies)
    )
    promise = (KKMAnonymity(asked.k, asked.m),)
    problem = MixedProblem(mixed.hierarchies, {}, promise, {}, sets={mixed.sets: ()})
    engine = LocalEngine()
    try:
        engine.load(from_frame(mixed.table, [mixed.sets]), schema)
        started = time.perf_counter()
        decision = METHODS[asked.method].decide(
            engine, problem, lambda _: None, delta=asked.delta, merge=asked.merge, items=asked.items
        )
        seconds = time.perf_counter() - started
        engine.apply(decision.recoding)
        frame, assignment = engine.frame(), engine.assignment()
    finally:
        engine.close()
    # labels of sets of items are not those of the hierarchy, which then is no part of what is promised
    trees = {n: h for n, h in mixed.hierarchies.items() if n != mixed.sets or asked.items == "hierarchy"}
    started = time.perf_counter()
    verdict = verify_release(
        frame,
        Terms(schema, promise, trees),
        original=mixed.table,
        assignment=assignment,
        records_in=mixed.table.num_rows,
    )
    if not verdict.passed:
        raise SystemExit(f"The verifier did not pass the release: {[c for c in verdict.checks if not c.passed]}")
    return frame, {
        "verdict": "pass",
        "classes": verdict.classes,
        "smallest_class": verdict.smallest_class,
        "decide_s": round(seconds, 1),
        "verify_s": round(time.perf_counter() - started, 1),
    }


def attacked(published: PublishedRecords, knowing: list[int], k: int, m: int, attacks: int) -> list[dict[str, Any]]:
    attacker = MixedAttacker(published)
    found = []
    for known in knowing:
        fits = attacker.fits(known)
        row: dict[str, Any] = {
            "known_items": known,
            "promised": round(1 / k, 6) if known <= m else None,
            "least_of_all": int(fits.min()),  # the fewest records that fit anyone
            "people_below_k": int((fits < k).sum()),
            "mean_chance": round(float((1 / fits).mean()), 6),  # over everyone, by the most telling items
        }
        for choice in ("telling", "random"):
            made = attacker.attack(known, choice, attacks)
            low, high = made.meter.interval
            row[choice] = {
                "rate": round(made.meter.rate, 5),
                "interval": [round(low, 5), round(high, 5)],
                "least": made.least,
                **({"kept": made.keeps(k)} if known <= m else {}),
            }
        found.append(row)
    return found


def apart(mixed: Mixed, asked: argparse.Namespace) -> PublishedRecords:
    """A table that is k-anonymous beside sets that are k^m-anonymous, each made without regard to the other."""
    table, sets = (decided(mixed, name, asked.k, asked.m, items=asked.items) for name in ("rfirst", "tfirst"))
    values, items = table.decision.recoding, sets.decision.recoding
    assert isinstance(values, MixedRecoding) and isinstance(items, MixedRecoding)
    shows = np.full(len(values.sets.vocabulary), -1, np.int64)
    shows[items.items.items] = items.items.shows  # all records are one class there
    counts, classes = values.groups.recoded.counts, values.groups.recoded.classes
    parts = [np.unique(shows[values.sets.record(part)]) for part in range(len(counts))]
    held = [part for part, count in zip(parts, counts.tolist(), strict=True) for _ in range(count)]
    offsets = np.cumsum([0, *map(len, held)], dtype=np.int64)
    return PublishedRecords(np.repeat(classes, counts).astype(np.int64), offsets, np.concatenate(held))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--set", default="informs", choices=list(COLUMNS))
    arguments.add_argument("--rows", type=int)
    arguments.add_argument("--k", type=int, default=25)
    arguments.add_argument("--m", type=int, default=2)
    arguments.add_argument("--delta", type=float, default=0.65)
    arguments.add_argument("--method", default="rum-bound", choices=["rum-bound", "tum-bound"])
    arguments.add_argument("--merge", default="rt", choices=["r", "t", "rt"])
    arguments.add_argument("--items", default="sets", choices=["sets", "hierarchy"])
    arguments.add_argument("--attacks", type=int, default=ATTACKS)
    arguments.add_argument("--apart", action="store_true")
    asked = arguments.parse_args()
    mixed = read(asked.set, asked.rows)
    frame, told = released(mixed, asked)
    values = [name for name in mixed.hierarchies if name != mixed.sets]
    published = PublishedRecords.of_table(frame, values, {mixed.sets: ()})
    knowing = sorted({0, 1, asked.m, asked.m + 1, asked.m + 2})
    started = time.perf_counter()
    rows = attacked(published, knowing, asked.k, asked.m, asked.attacks)
    seconds = round(time.perf_counter() - started, 1)
    beside = attacked(apart(mixed, asked), knowing, asked.k, asked.m, asked.attacks) if asked.apart else None
    print(
        json.dumps(
            {
                "set": asked.set,
                "synthetic": mixed.synthetic,
                "records": mixed.table.num_rows,
                **{key: getattr(asked, key) for key in ("method", "merge", "items", "k", "m", "delta")},
                **told,
                "tries": asked.attacks,
                "attacks": rows,
                "attack_s": seconds,
                **({"made_apart": beside} if beside is not None else {}),
                "load": load(),
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
