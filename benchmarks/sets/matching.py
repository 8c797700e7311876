"""What does it cost to match item sets: error rate and query error of every way, as in paper 003, Figs. 6 and 7.

    python -m benchmarks.sets.matching [--sets NAME,…] [--k 2,4,8,16,32] [--l 2,4,6] [--scale] [--no-queries] \
        [--diverse-scale 1,2,4,8,16]

For every set of baskets: expected ER (003-7), and QE of 500 queries of each type, of ring and blocks along the plain Gray
order, along the Gray-TSP order as the paper makes it, and along the order that method `nonreciprocal` takes, which is the
better of both in every segment; with labels, blocks of `nonreciprocal` and groups of `cahd`. Rings are measured for k = 2 too,
though the method refuses them: only what they show, not who is who. Labels are drawn from 470 with frequencies like those of
occupations, most frequent 7.9 %: SYNTHETIC. All records of a set are worked on together, as one range. `--scale` adds seconds
for 1 to 16 times Chess, `--diverse-scale` those with labels, beside `cahd`. Prints one JSON object; seconds are of one core, with
everything compiled.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchmarks.rows.baskets import FILES, WHOLE_PUMSB, Baskets, read, times
from shoal.kernels.sets.hamming import cyclic_sum
from shoal.loss.sets.qe import QE
from shoal.loss.sets.release import Matched as MatchedRelease
from shoal.loss.sets.workload import SetWorkload
from shoal.methods.sets.cahd import CahdBlock
from shoal.methods.sets.gray_tsp import gray_tsp
from shoal.methods.sets.matched_block import Matched, Records, error_rate, together
from shoal.methods.sets.matching_promise import MatchingPromise
from shoal.methods.sets.nonreciprocal import MatchBlock

LABELS = 470


@dataclass(frozen=True, eq=False)
class PaperOrder(MatchBlock):
    """The Gray-TSP order of the paper, whether it is the better one or not."""

    def order(self, records: Records) -> NDArray[np.int64]:
        return gray_tsp(*records.each())[1]


def labels_of(count: int) -> NDArray[np.str_]:
    shares = 1 / np.arange(1, LABELS + 1) ** 0.8
    return np.random.default_rng(5).choice(LABELS, count, p=shares / shares.sum()).astype(str)


def records_of(baskets: Baskets, *, labelled: bool) -> Records:
    """As an engine hands them over: distinct records in a total order."""
    vocabulary = pa.array([str(i) for i in range(baskets.universe)])
    lists = pa.ListArray.from_arrays(pa.array(baskets.offsets, pa.int32()), vocabulary.take(pa.array(baskets.items)))
    table = pa.table({"items": lists, "label": labels_of(baskets.count) if labelled else [""] * baskets.count})
    order = sorted(range(baskets.count), key=lambda i: (baskets.items[slice(*baskets.offsets[i : i + 2])].tolist(), i))
    table = table.take(pa.array(order)).append_column("records", pa.array(np.ones(baskets.count, np.int64)))
    return Records.of(table, "items", vocabulary, "label" if labelled else None)


def ring_shown(order: NDArray[np.int64], k: int) -> Matched:
    """What a ring shows. Who is who does not matter for the losses: everyone at the own place."""
    count = len(order)
    windows = order[(np.arange(count)[:, None] - np.arange(k - 1, -1, -1)) % count]
    own = np.empty(count, np.int64)
    own[order] = np.arange(count)
    return Matched(np.arange(count + 1) * k, windows.ravel(), own)


def losses(records: Records, matched: Matched, matches: int, workload: SetWorkload | None) -> dict[str, Any]:
    row = matched.row(records)
    rate = error_rate(row, len(records.originals), matches)
    found: dict[str, Any] = {"er": round(float(rate), 5)}
    if workload is not None:
        mode = "blocks" if matched.own is None else "ring"
        label = None if records.texts is None else "label"
        recoding = together(row, "items", records.sets.vocabulary, label, mode)
        release = MatchedRelease.of(recoding)
        found |= {
            name: round(float(QE(workload, absent).of(release) or 0), 6)
            for name, absent in (("qe_1", False), ("qe_2", True))
        }
    return found


def anonymous(baskets: Baskets, ks: list[int], workload: SetWorkload | None) -> dict[str, Any]:
    records = records_of(baskets, labelled=False)
    each = records.each()
    vocabulary = records.sets.vocabulary
    found: dict[str, Any] = {}
    for k in ks:
        promise = MatchingPromise(k, 0, None)
        ways = {
            "gray": MatchBlock("items", vocabulary, promise, "blocks", tour=False),
            "gray-tsp": PaperOrder("items", vocabulary, promise, "blocks", tour=True),
            "nonreciprocal": MatchBlock("items", vocabulary, promise, "blocks", tour=True),
        }
        at_k: dict[str, Any] = {}
        for name, way in ways.items():
            started = time.process_time()
            order = way.order(records)
            ordered = time.process_time() - started
            blocks = way.blocks(records, order)
            at_k[name] = {
                "sum": cyclic_sum(each[0], each[1], order),
                "ring": losses(records, ring_shown(order, k), k, workload),
                "blocks": losses(records, blocks, 1, workload),
                "seconds": {"order": round(ordered, 2), "all": round(time.process_time() - started, 2)},
            }
        found[str(k)] = at_k
    return found


def diverse(baskets: Baskets, ls: list[int], workload: SetWorkload | None) -> dict[str, Any]:
    records = records_of(baskets, labelled=True)
    vocabulary = records.sets.vocabulary
    found: dict[str, Any] = {}
    for l in ls:  # noqa: E741
        promise = MatchingPromise(l, l, "label")
        ways = {
            "gray": MatchBlock("items", vocabulary, promise, "blocks", tour=False),
            "gray-tsp": PaperOrder("items", vocabulary, promise, "blocks", tour=True),
            "nonreciprocal": MatchBlock("items", vocabulary, promise, "blocks", tour=True),
            "cahd": CahdBlock("items", vocabulary, promise, "blocks", tour=False),
        }
        found[str(l)] = {}
        for name, way in ways.items():
            started = time.process_time()
            blocks = way.blocks(records, way.order(records))
            seconds = round(time.process_time() - started, 2)
            found[str(l)][name] = {**losses(records, blocks, 1, workload), "seconds": seconds}
    return found


def scale() -> list[dict[str, Any]]:
    """Seconds of 1 to 16 times Chess, k = 16: order and blocks, and what is shown of them."""
    chess = read("chess")
    found = []
    for copies in (1, 2, 4, 8, 16):
        records = records_of(times(chess, copies), labelled=False)
        way = MatchBlock("items", records.sets.vocabulary, MatchingPromise(16, 0, None), "blocks", tour=True)
        best = None
        for _ in range(3):
            started = time.process_time()
            order = way.order(records)
            ordered = time.process_time()
            way.blocks(records, order).row(records)
            seconds = (ordered - started, time.process_time() - ordered)
            best = seconds if best is None or sum(seconds) < sum(best) else best
        assert best is not None
        found.append({"copies": copies, "records": len(records.originals), "order_s": best[0], "recoding_s": best[1]})
    return found


def scale_diverse(sizes: tuple[int, ...]) -> list[dict[str, Any]]:
    """CPU seconds of so many times Chess, l = 6, as in Fig. 7c: `nonreciprocal` (order and blocks) and `cahd`."""
    chess, promise = read("chess"), MatchingPromise(6, 6, "label")
    found: list[dict[str, Any]] = []
    for copies in sizes:
        records = records_of(times(chess, copies), labelled=True)
        vocabulary = records.sets.vocabulary
        row: dict[str, Any] = {"copies": copies, "records": len(records.originals)}
        for name, way in {
            "nonreciprocal": MatchBlock("items", vocabulary, promise, "blocks", tour=True),
            "cahd": CahdBlock("items", vocabulary, promise, "blocks", tour=False),
        }.items():
            started = time.process_time()
            way.blocks(records, way.order(records))
            row[name] = round(time.process_time() - started, 3)
        found.append(row)
    return found


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--sets", default=",".join((*(n for n in FILES if "," not in n), "pumsb", "whole-pumsb")))
    arguments.add_argument("--k", default="2,4,8,16,32")
    arguments.add_argument("--l", default="2,4,6")
    arguments.add_argument("--scale", action="store_true")
    arguments.add_argument("--diverse-scale", default="", help="so many times Chess, l = 6: 1,2,4,8,16")
    arguments.add_argument("--no-queries", action="store_true")
    asked = arguments.parse_args()
    ks, ls = ([int(one) for one in text.split(",") if one] for text in (asked.k, asked.l))
    named = {"pumsb": "pumsb (first 4,334)", "whole-pumsb": WHOLE_PUMSB}
    anonymous(Baskets(*read("chess")[:2], 75), [2], None)  # compile
    found: dict[str, Any] = {}
    for short in filter(None, asked.sets.split(",")):
        name = named.get(short, short)
        baskets = read(name)
        size = len(baskets.items) / baskets.count
        workload = None if asked.no_queries else SetWorkload.random(baskets.universe, size)
        found[name] = {
            "records": baskets.count,
            "k-matching": anonymous(baskets, ks, workload),
            "l-matching": diverse(baskets, ls, workload),
        }
    told: dict[str, Any] = {"sets": found}
    if asked.scale:
        told["scale"] = scale()
    if asked.diverse_scale:
        told["diverse_scale"] = scale_diverse(tuple(map(int, asked.diverse_scale.split(","))))
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
