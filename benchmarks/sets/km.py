"""k^m-anonymity of item sets by method `apriori`: time and item NCP on Retail, BMS-WebView-2 and the shapes Amnesia was timed
on.

    python -m benchmarks.sets.km [--sample 10000] [--local] [--baskets 10000000 --folder FOLDER]

Retail has no published hierarchy: its items are grouped by number, five at a time. `--sample` records of each set are also
given to the plain-Python twins of the tests: `descend`, which takes the same steps and must give the same cut, and `climb`, AA
as printed. The sets of Amnesia's shapes are drawn here (its own Apriori took 12.6 s of processor time for 10,000 records of
1,000 items and 3.5 s for 50,000 of 500, and generalized the 500 items to 20). With `--baskets` so many of Retail's baskets are
drawn with replacement into a Parquet file, and nothing else is done. Kernels are loaded before the clock starts. Prints one
JSON object.
"""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import tempfile
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.lib.places import SHARED
from oracles.km_oracle import Tree, climb, descend, item_cost
from shoal.data.schema import Column, Role, Schema
from shoal.engines.local import LocalEngine
from shoal.guarantees import KMAnonymity
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.io.reading import RowReading
from shoal.io.source import Source, open_source
from shoal.methods.method import Decision
from shoal.methods.sets.apriori import Apriori
from shoal.methods.sets.problem import SetProblem

FANOUT = 5
K = 5
CLIMB = 1000  # records that AA as printed is given
SCHEMA = Schema((Column("items", Role.QUASI, "set"),))
AMNESIA = {
    "10,000 records of 1,000 items": (10_000, 1000, 6.3, 12.6),
    "50,000 records of 500 items": (50_000, 500, 2.5, 3.5),
}
ROWS = 1 << 20  # of a part of a large file


def ranges(items: list[str]) -> Hierarchy:
    """Groups of five neighbours in the order of their numbers, groups of five groups, and so on."""
    ordered = sorted(items, key=int)
    paths = []
    for place, item in enumerate(ordered):
        path, width = [item], FANOUT
        while width < len(ordered):
            first = place // width * width
            path.append(f"{ordered[first]}–{ordered[min(first + width, len(ordered)) - 1]} ({width})")
            width *= FANOUT
        paths.append((*path, "*"))
    return Hierarchy.from_paths(paths)


def transactions(name: str) -> list[list[str]]:
    with gzip.open(SHARED / f"data/transaction/{name}.dat.gz", "rt") as lines:
        return [line.split() for line in lines]


def retail() -> tuple[list[list[str]], Hierarchy]:
    records = transactions("retail")
    return records, ranges(list({item for record in records for item in record}))


def bms() -> tuple[list[list[str]], Hierarchy]:
    with gzip.open(SHARED / "data/transaction/bms_webview2_hierarchy.csv.gz", "rt") as rows:
        return transactions("bms_webview2"), Hierarchy.from_paths([tuple(row.strip().split(";")) for row in rows])


def drawn(records: int, items: int, length: float, skew: float) -> tuple[list[list[str]], Hierarchy]:
    """Sets of about this length. skew: 0 draws all items alike, 1 the i-th in proportion to 1/i, in an order of their own."""
    rng = np.random.default_rng(1)
    chance = 1 / np.arange(1, items + 1) ** skew
    chance = rng.permutation(chance / chance.sum())
    sizes = np.clip(rng.poisson(length, records), 1, None)
    made = [sorted(set(rng.choice(items, size, p=chance).tolist())) for size in sizes]
    return [list(map(str, one)) for one in made], ranges(list(map(str, range(items))))


def engine_of(source: Source) -> LocalEngine:
    engine = LocalEngine()
    engine.load(source, SCHEMA)
    return engine


def in_memory(records: list[list[str]]) -> Source:
    return Source("arrow", ("items",), table=pa.table({"items": pa.array(records, pa.list_(pa.string()))}))


def timed(engine: LocalEngine, tree: Hierarchy, m: int, **options: bool) -> tuple[Decision, dict[str, float]]:
    problem = SetProblem({"items": tree}, {}, (KMAnonymity(K, m),))
    wall, cpu = time.perf_counter(), time.process_time()
    decision = Apriori().decide(engine, problem, lambda progress: None, **options)
    told = {
        "m": m,
        "k": K,
        "seconds": round(time.perf_counter() - wall, 3),
        "cpu_seconds": round(time.process_time() - cpu, 3),
        "item_ncp": float(decision.loss),
        "labels": decision.classes,
    }
    return decision, told


def against_the_oracles(records: list[list[str]], tree: Hierarchy, m: int) -> dict[str, object]:
    """Processor time of both, which other work on the machine does not change."""
    codes = {label: code for code, label in enumerate(tree.labels[: tree.leaf_count])}
    sample = [sorted(codes[item] for item in record) for record in records]
    decision, told = timed(engine_of(in_memory(records)), tree, m)
    oracle = Tree(tree.parents, tree.leaf_count)
    started = time.process_time()
    cut = descend(sample, oracle, K, m)
    seconds = time.process_time() - started
    made = {
        "m": m,
        "records": len(sample),
        "cpu_seconds": told["cpu_seconds"],
        "oracle_cpu_seconds": round(seconds, 2),
        "ratio": round(seconds / told["cpu_seconds"], 1),
        "same_cut": cut == decision.recoding.nodes[0].tolist(),
    }
    if m == 2:  # AA itself, on fewer records: it takes long
        few = sample[:CLIMB]
        decision, told = timed(engine_of(in_memory(records[:CLIMB])), tree, m)
        started = time.process_time()
        cost = item_cost(oracle, oracle.costs(few), climb(few, oracle, K, m))
        seconds = time.process_time() - started
        made["aa"] = {
            "records": len(few),
            "cpu_seconds": told["cpu_seconds"],
            "item_ncp": told["item_ncp"],
            "aa_cpu_seconds": round(seconds, 2),
            "aa_item_ncp": float(Fraction(cost, sum(map(len, few)) * oracle.leaves)),
        }
    return made


def of_a_set(records: list[list[str]], tree: Hierarchy, sample: int, local: bool) -> dict[str, object]:
    engine = engine_of(in_memory(records))
    return {
        "records": len(records),
        "items": tree.leaf_count,
        "runs": [timed(engine, tree, m)[1] for m in (1, 2, 3)],
        "local": [timed(engine, tree, m, local=True)[1] for m in (2, 3)] if local else [],
        "oracle": [against_the_oracles(records[:sample], tree, m) for m in (2, 3)] if sample else [],
    }


def like_amnesia() -> dict[str, object]:
    made = {}
    for name, (records, items, length, seconds) in AMNESIA.items():
        for skew in (0.0, 1.0):
            sets, tree = drawn(records, items, length, skew)
            _, told = timed(engine_of(in_memory(sets)), tree, 2)
            told |= {
                "amnesia_cpu_seconds": seconds,
                "ratio": round(seconds / told["cpu_seconds"], 1),
                "item_ncp_of_20_labels": 1 / 20,
            }
            made[f"{name}, skew {skew:g}"] = told
    return made


def many(baskets: int, folder: str | None) -> dict[str, object]:
    records, tree = retail()
    lists = pa.array(records, pa.list_(pa.string()))
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory(dir=folder) as made:
        path = Path(made) / "baskets.parquet"
        with pq.ParquetWriter(path, pa.schema([("items", lists.type)]), compression="zstd") as writer:
            for start in range(0, baskets, ROWS):
                some = rng.integers(0, len(lists), min(ROWS, baskets - start))
                writer.write_table(pa.table({"items": lists.take(pa.array(some))}), row_group_size=1 << 17)
        started = time.perf_counter()
        engine = engine_of(open_source(path, RowReading(sets=("items",))))
        loaded = time.perf_counter() - started
        _, told = timed(engine, tree, 2)
    told["load_seconds"] = round(loaded, 1)
    told["peak_gib"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20), 2)
    return {"baskets": baskets, **told}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=10_000)
    parser.add_argument("--local", action="store_true")
    parser.add_argument("--baskets", type=int)
    parser.add_argument("--folder")
    asked = parser.parse_args()
    sets, tree = drawn(200, 50, 4.0, 0.0)
    timed(engine_of(in_memory(sets)), tree, 3, local=True)  # loads kernels
    if asked.baskets:
        print(json.dumps({"retail, resampled": many(asked.baskets, asked.folder)}, indent=2))
        return
    found: dict[str, object] = {
        "retail": of_a_set(*retail(), asked.sample, asked.local),
        "bms-webview-2": of_a_set(*bms(), asked.sample, asked.local),
        "amnesia": like_amnesia(),
    }
    if asked.local:
        records = transactions("mushroom")
        tree = ranges(list({item for record in records for item in record}))
        found["mushroom"] = of_a_set(records, tree, 0, True)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
