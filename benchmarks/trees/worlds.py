"""Random tiny forests against every tree that could stand behind what is published: the long run of `test_trees_in_place.py`.

    PYTHONPATH=tests python -m benchmarks.trees.worlds --cases 100000 [--seed 1] [--until 600]

Half of the cases have rules by chance, which the verifier judges; half the search certifies. A disagreement is a release that
passes all three counts, and in which something true of somebody may stand behind fewer than k records; or one that the search
certifies and the verifier refuses. The seed names a piece of the run, so that it can be made in pieces. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter

from oracles.possible_worlds import Case, accepted, by_chance, recoded
from shoal.methods.trees.certifying import certified
from shoal.methods.trees.cuts import Steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--until", type=float, default=600.0)
    asked = parser.parse_args()
    rng, begun, used = random.Random(asked.seed), time.monotonic(), time.process_time()
    tally: Counter[str] = Counter()
    examples = []
    for number in range(asked.cases):
        if time.monotonic() - begun > asked.until:
            break
        case = Case.drawn(rng)
        recoding, by_search = by_chance(case, rng), number % 2 == 1
        if by_search:
            ground = case.ground()
            cut = recoded(case, {}, []) if rng.random() < 0.6 else recoding
            way = certified(Steps(ground), cut.shown_as, frozenset())
            recoding = ground.recoding(*way) if way is not None else recoding
        sort = "certified" if by_search else "by chance"
        tally[f"{sort}, cases"] += 1
        if (by_search and way is None) or not recoding.out:
            continue
        tally[f"{sort}, with rules"] += 1
        passed = accepted(case, recoding)
        tally[f"{sort}, accepted"] += passed
        if (by_search and not passed) or (passed and case.betrayal(recoding) is not None):
            tally["disagreements"] += 1
            examples.append(repr((case, recoding.to_json())))
    figures = {**dict(sorted(tally.items())), "disagreements": tally["disagreements"]}
    print(
        json.dumps(
            {"seed": asked.seed, **figures, "cpu_s": time.process_time() - used, "examples": examples[:5]}, indent=1
        )
    )


if __name__ == "__main__":
    main()
