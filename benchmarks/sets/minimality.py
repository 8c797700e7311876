"""Do the groups of l-matching tell labels? Every way to label six different sets, and what somebody concludes who knows the method.

    python -m benchmarks.sets.minimality [--families 20] [--seed 1]

Each family is six different sets of up to eight items, each item held by chance. Of the 729 ways to give them three labels, 510
have none more often than three times, so that l = 2 can be kept. Each is matched by `nonreciprocal` with l = 2. Somebody knows all
sets, the method, who is in which group, and which labels each group shows: more than a release tells. They put together all ways
that would show the same. `certain`: ways in which they know somebody's label; `likelier`: in which one is more likely than 1/2, all
510 ways being equally likely before. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.methods.sets.matched_block import Records
from shoal.methods.sets.matching_promise import MatchingPromise
from shoal.methods.sets.nonreciprocal import MatchBlock

PEOPLE, ITEMS, LABELS, L = 6, 8, "abc", 2
VOCABULARY = pa.array([str(item) for item in range(ITEMS)])
Way = tuple[str, ...]


def family(rng: np.random.Generator) -> list[list[str]]:
    """Different sets, in a total order, as an engine hands them over."""
    found: set[tuple[str, ...]] = set()
    while len(found) < PEOPLE:
        held = tuple(str(item) for item in np.flatnonzero(rng.random(ITEMS) < 0.5))
        if held:
            found.add(held)
    return [list(one) for one in sorted(found)]


def shown(sets: list[list[str]], way: Way) -> frozenset[Any]:
    """By group: who is in it, and its labels."""
    kernel = MatchBlock("items", VOCABULARY, MatchingPromise(L, L, "label"), "blocks", tour=True)
    table = pa.table({"items": pa.array(sets, pa.list_(pa.string())), "label": list(way), "records": [1] * PEOPLE})
    records = Records.of(table, "items", VOCABULARY, "label")
    matched = kernel.blocks(records, kernel.order(records))
    people = records.originals[matched.members]
    groups = np.split(people, matched.starts[1:-1])
    return frozenset((frozenset(group.tolist()), tuple(sorted(way[one] for one in group))) for group in groups)


def concluded(sets: list[list[str]], ways: list[Way]) -> dict[str, int]:
    alike: dict[frozenset[Any], list[Way]] = defaultdict(list)
    for way in ways:
        alike[shown(sets, way)].append(way)
    certain = likelier = 0
    for some in alike.values():
        most = max(max(Counter(column).values()) for column in zip(*some, strict=True))
        certain += len(some) * (most == len(some))
        likelier += len(some) * (most * L > len(some))
    return {"certain": certain, "likelier": likelier}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--families", type=int, default=20)
    options.add_argument("--seed", type=int, default=1)
    asked = options.parse_args()
    rng, used = np.random.default_rng(asked.seed), time.process_time()
    ways = [way for way in product(LABELS, repeat=PEOPLE) if max(Counter(way).values()) * L <= PEOPLE]
    found = [concluded(family(rng), ways) for _ in range(asked.families)]
    told = {
        name: {
            "least": min(one[name] for one in found),
            "most": max(one[name] for one in found),
            "mean": round(sum(one[name] for one in found) / len(found), 1),
        }
        for name in ("certain", "likelier")
    }
    print(
        json.dumps(
            {"ways": len(ways), "families": asked.families, **told, "cpu_s": round(time.process_time() - used, 1)}
        )
    )


if __name__ == "__main__":
    main()
