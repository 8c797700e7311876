"""What public files tell of one record that the released records do not tell, at length: many small worlds.

    python -m benchmarks.public_files --worlds 20000 [--until SECONDS] [--first SEED]

A family of worlds differs in one record; wherever the released records are the same, report, page and codebook must be so too, to
the last byte (`tests/oracles/public_worlds`). Prints one JSON object: of each kind the families, the worlds, those with a
release, pairs with the same released records, and how many of these were told apart; and seconds. With `--until` no further family
is begun after so many seconds. A difference is described on stderr with its seed; then the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from importlib.metadata import version
from random import Random

from oracles.public_worlds import compare
from oracles.public_worlds.families import FAMILIES

WORLDS = 12  # of a family


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=20_000)
    parser.add_argument("--until", type=float, default=float("inf"))
    parser.add_argument("--first", type=int, default=1_000, help="the first seed")
    asked = parser.parse_args()
    begun, cpu = time.monotonic(), time.process_time()
    counts = {kind: {"families": 0, "worlds": 0, "released": 0, "compared": 0, "told_apart": 0} for kind in FAMILIES}
    seed = asked.first
    while sum(one["worlds"] for one in counts.values()) < asked.worlds and time.monotonic() - begun < asked.until:
        for kind, family in FAMILIES.items():
            found = compare(family(Random(f"{kind} {seed}"), WORLDS))
            for problem in found.problems:
                print(f"{kind} {seed}: {problem}", file=sys.stderr)
            more = (1, WORLDS, found.released, found.compared, len(found.problems))
            for name, number in zip(counts[kind], more, strict=True):
                counts[kind][name] += number
        seed += 1
    told = {
        "shoal": version("shoal"),
        "python": platform.python_version(),
        "kinds": counts,
        "seconds": round(time.monotonic() - begun, 1),
        "cpu_seconds": round(time.process_time() - cpu, 1),
    }
    print(json.dumps(told, indent=2))
    return 1 if any(one["told_apart"] for one in counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
