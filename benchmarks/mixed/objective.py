"""What it gains that items are mapped by the loss that the recipe names: UL by prices of item NCP, and by UL itself.

    python -m benchmarks.mixed.objective [--rows N] [--k 25] [--m 2]

INFORMS, loss `ul`; one JSON object with a row per method: losses counted from what comes of it, CPU seconds of deciding.
"""

from __future__ import annotations

import argparse
import json
from typing import Any
from unittest.mock import patch

from benchmarks.mixed.deciding import decided, load
from benchmarks.mixed.one_run import losses
from benchmarks.rows.mixed import read
from shoal.loss.mixed.release import MixedRelease
from shoal.methods.mixed import merging

CASES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("rfirst", {}),
    ("tfirst", {}),
    ("rum-bound", {"delta": 0.604, "merge": "rt"}),
    ("rum-bound", {"delta": 0.604, "merge": "t"}),
    ("tum-bound", {"delta": 0.3594, "merge": "rt"}),
)


def by_item_ncp(*arguments: Any) -> Any:
    """As it was: without the objective."""
    return merging_class_mapping(*arguments[:-1])


merging_class_mapping = merging.class_mapping


def row(mixed: Any, method: str, k: int, m: int, options: dict[str, Any]) -> dict[str, Any]:
    made = decided(mixed, method, k, m, loss="ul", **options)
    release = MixedRelease.of(made.decision.recoding)  # type: ignore[arg-type]
    return {
        "cpu_s": round(made.cpu, 2),
        "classes": made.decision.classes,
        **losses(release, len(mixed.hierarchies) - 1, queries=False),
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rows", type=int)
    options.add_argument("--k", type=int, default=25)
    options.add_argument("--m", type=int, default=2)
    asked = options.parse_args()
    decided(read("informs", 300), "rum-bound", 5, asked.m, loss="ul", delta=1.0)  # compile
    mixed = read("informs", asked.rows)
    rows = []
    for method, chosen in CASES:
        with patch.object(merging, "class_mapping", by_item_ncp):
            before = row(mixed, method, asked.k, asked.m, chosen)
        after = row(mixed, method, asked.k, asked.m, chosen)
        rows.append({"method": method, **chosen, "before": before, "after": after})
    print(
        json.dumps(
            {
                "set": "informs",
                "records": mixed.table.num_rows,
                "k": asked.k,
                "m": asked.m,
                "load": load(),
                "rows": rows,
            }
        )
    )


if __name__ == "__main__":
    main()
