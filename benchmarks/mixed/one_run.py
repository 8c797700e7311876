"""One table with item sets, one method: seconds, losses and query errors, as in paper 001, Figs. 4 to 7.

    python -m benchmarks.mixed.one_run --set informs|youtube [--rows N] [--k 25] [--m 2] [--delta 0.65] [--method rum-bound] \
        [--merge rt] [--items sets|hierarchy] [--order btd] [--loss item-ncp|ul] [--blocks N] [--no-queries]

More rows than the file has are SYNTHETIC (`rows/mixed.py`). Seconds and CPU are of deciding, the records being in the engine and
everything compiled. Losses are counted from the release that comes of it; ARE is that of 100 queries of (x, y): x columns of single
values, y items. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
from fractions import Fraction
from typing import Any

import numpy as np

from benchmarks.mixed.deciding import decided, load
from benchmarks.rows.mixed import PAPER, read
from shoal.errors import Infeasible
from shoal.loss import MIXED_LOSSES
from shoal.loss.mixed.are import MixedARE, MixedWorkload
from shoal.loss.mixed.release import MixedRelease

QUERIES = ((1, 0), (0, 2), (1, 2), (2, 1))


def losses(release: MixedRelease, columns: int, *, queries: bool) -> dict[str, Any]:
    weights = [Fraction(1, columns)] * columns
    found: dict[str, Any] = {
        "table_ncp": round(float(MIXED_LOSSES["ncp"]().of(release, weights)), 5),
        "item_ncp": round(float(MIXED_LOSSES["item-ncp"]().of(release, weights)), 5),
        "ul": round(float(MIXED_LOSSES["ul"]().of(release, weights)), 5),
    }
    if queries:
        for x, y in QUERIES:
            workload = MixedWorkload.random(release, x, y)
            found[f"are_{x}_{y}"] = round(float(MixedARE(workload).of(release)), 4)
    return found


def options_of(asked: argparse.Namespace) -> dict[str, Any]:
    options: dict[str, Any] = {"items": asked.items}
    if asked.method.endswith("bound"):
        options |= {"delta": asked.delta, "merge": asked.merge, "order": asked.order}
    if asked.blocks is not None and asked.method != "tfirst":
        options["blocks"] = asked.blocks
    return options


def measured(asked: argparse.Namespace) -> dict[str, Any]:
    few = {**options_of(asked), **({"delta": 1.0} if asked.method.endswith("bound") else {})}
    decided(read(asked.set, 300), asked.method, 5, asked.m, loss=asked.loss, **few)  # compile
    mixed = read(asked.set, asked.rows)
    told = {
        "set": asked.set,
        "synthetic": mixed.synthetic,
        "records": mixed.table.num_rows,
        "method": asked.method,
        "k": asked.k,
        "m": asked.m,
        "loss": asked.loss,
        **options_of(asked),
    }
    try:
        made = decided(mixed, asked.method, asked.k, asked.m, loss=asked.loss, **options_of(asked))
    except Infeasible as why:
        return {**told, "infeasible": str(why)}
    recoding = made.decision.recoding
    release = MixedRelease.of(recoding)  # type: ignore[arg-type]
    sizes = np.bincount(release.recoded.classes, weights=release.recoded.counts)
    return {
        **told,
        "blocks_made": made.decision.blocks,
        "seconds": round(made.seconds, 2),
        "cpu_s": round(made.cpu, 2),
        "peak_mb": round(made.peak_mb),
        "classes": made.decision.classes,
        "largest": int(sizes.max()),
        **losses(release, len(mixed.hierarchies) - 1, queries=not asked.no_queries),
        "load": load(),
    }


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--set", choices=tuple(PAPER), default="informs")
    arguments.add_argument("--rows", type=int)
    arguments.add_argument("--k", type=int, default=25)
    arguments.add_argument("--m", type=int, default=2)
    arguments.add_argument("--delta", type=float, default=0.65)
    arguments.add_argument("--method", default="rum-bound")
    arguments.add_argument("--merge", default="rt")
    arguments.add_argument("--items", default="sets")
    arguments.add_argument("--order", default="btd")
    arguments.add_argument("--loss", default="item-ncp")
    arguments.add_argument("--blocks", type=int)
    arguments.add_argument("--no-queries", action="store_true")
    print(json.dumps(measured(arguments.parse_args())))


if __name__ == "__main__":
    main()
