"""The trees of the paper: customers of TPC-H with their orders and items, as a nested Parquet file.

    python -m benchmarks.rows.tpch 100000 FOLDER

A record is a customer: the nation and the orders' months below the root, below a month the prices of its orders and the
manufacturers of their items, below these brand and quantity. As in the paper a customer keeps up to two orders of up to three
items, about 12 nodes, and all classes have 276 values together: 25 nations, 80 months, 91 prices in steps of 6,000, 5 makers,
25 brands and 50 quantities, five nodes of a level to a node of the next. Which orders and items stay is drawn by a hash; the same
call makes the same rows. TPC-H has 100,000 customers with orders per scale factor. Beyond `scale` customers are taken again with
other orders, and the file's name says SYNTHETIC. Needs tpchgen-cli. Writes `tpch-RECORDS.parquet`, and prints one JSON object.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from benchmarks.lib import usage
from shoal.data.trees import Forest, TreeShape
from shoal.hierarchies.hierarchy import Hierarchy

PATHS = {
    "nation": "nation",
    "date": "orders[].date",
    "price": "orders[].price",
    "manufacturer": "orders[].items[].manufacturer",
    "brand": "orders[].items[].brand",
    "quantity": "orders[].items[].quantity",
}
PARENTS = {
    "nation": None,
    "date": None,
    "price": "date",
    "manufacturer": "date",
    "brand": "manufacturer",
    "quantity": "brand",
}
SHAPE = TreeShape.of(PARENTS)
SIZES = (100_000, 250_000, 1_000_000, 3_000_000)
_COPIES = 10  # of the customers that are drawn at once: so much fits in memory
SCALE = 10.0  # the largest scale factor that is made
_CUSTOMERS = 99_000  # with orders, of one scale factor; a few more in truth
_TABLES = ("region", "nation", "customer", "part", "orders", "lineitem")
_STEP, _PRICES, _FANOUT = 6_000, 91, 5
_NATIONS = (
    ("AFRICA", ("ALGERIA", "ETHIOPIA", "KENYA", "MOROCCO", "MOZAMBIQUE")),
    ("AMERICA", ("ARGENTINA", "BRAZIL", "CANADA", "PERU", "UNITED STATES")),
    ("ASIA", ("CHINA", "INDIA", "INDONESIA", "JAPAN", "VIETNAM")),
    ("EUROPE", ("FRANCE", "GERMANY", "ROMANIA", "RUSSIA", "UNITED KINGDOM")),
    ("MIDDLE EAST", ("EGYPT", "IRAN", "IRAQ", "JORDAN", "SAUDI ARABIA")),
)


def rows(records: int, folder: Path, scale: float = SCALE) -> Path:
    """The file of so many records in the folder, made unless it is there; scale: no larger scale factor than this."""
    asked = round(records / _CUSTOMERS, 2)
    made = folder / f"tpch-{records}{'-SYNTHETIC' if asked > scale else ''}.parquet"
    if made.exists():
        return made
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as tables:
        told = ["-s", str(max(min(asked, scale), 0.01)), "-T", ",".join(_TABLES), "-o", tables, "-n", "2", "-q"]
        subprocess.run([str(Path(sys.executable).with_name("tpchgen-cli")), "parquet", *told], check=True)
        con = duckdb.connect(f"{tables}/work.duckdb")
        con.execute("SET threads = 2; SET memory_limit = '6GB'; SET enable_progress_bar = false").fetchall()
        for table in _TABLES:
            con.execute(f"CREATE VIEW {table} AS FROM '{tables}/{table}.parquet'").fetchall()
        customers = con.execute("SELECT count(DISTINCT o_custkey) FROM orders").fetchall()[0][0]
        draft, copies = f"{tables}/made.parquet", -(-records // customers)
        for first in range(0, copies, _COPIES):
            some = range(first, min(first + _COPIES, copies))
            con.execute(_sql(records, some, customers, f"{tables}/part-{first:06}.parquet")).fetchall()
        con.execute(f"COPY (FROM '{tables}/part-*.parquet') TO '{draft}' (FORMAT parquet)").fetchall()
        con.close()
        Path(draft).rename(made)
    return made


def _sql(records: int, copies: range, customers: int, target: str) -> str:
    """copies: which times a customer is taken, each time with orders of its own drawing. customers: of one copy."""
    before = copies.start * customers
    return f"""COPY (
    WITH kept AS (
        SELECT copy, o_custkey, o_orderkey, o_orderdate, o_totalprice FROM orders, range({copies.start}, {copies.stop}) AS r(copy)
        QUALIFY row_number() OVER (PARTITION BY copy, o_custkey ORDER BY hash(o_orderkey, copy), o_orderkey)
            <= 1 + hash(o_custkey, copy, 'orders') % 2
    ), people AS (
        SELECT copy, o_custkey, {before} + row_number() OVER (ORDER BY copy, hash(o_custkey, copy), o_custkey) AS customer
        FROM (SELECT DISTINCT copy, o_custkey FROM kept) QUALIFY customer <= {records}
    ), bought AS (
        SELECT customer, o_custkey, o_orderkey, any_value(o_orderdate) AS day, any_value(o_totalprice) AS price,
            list({{'manufacturer': p_mfgr, 'brand': p_brand, 'quantity': CAST(CAST(l_quantity AS INTEGER) AS VARCHAR)}}
                ORDER BY l_linenumber) AS items
        FROM (
            SELECT customer, o_custkey, o_orderkey, o_orderdate, o_totalprice, l_partkey, l_quantity, l_linenumber
            FROM kept JOIN people USING (copy, o_custkey) JOIN lineitem ON l_orderkey = o_orderkey
            QUALIFY row_number() OVER (
                PARTITION BY customer, o_orderkey ORDER BY hash(o_orderkey, l_linenumber, copy), l_linenumber
            ) <= 1 + hash(o_orderkey, copy, 'items') % 3
        ) JOIN part ON p_partkey = l_partkey
        GROUP BY customer, o_custkey, o_orderkey
    ), whole AS (
        SELECT customer, any_value(o_custkey) AS key, list({{'date': strftime(day, '%Y-%m'),
            'price': CAST(least(CAST(floor(price / {_STEP}) AS INTEGER), {_PRICES - 1}) * {_STEP} AS VARCHAR), 'items': items}}
            ORDER BY o_orderkey) AS orders
        FROM bought GROUP BY customer
    )
    SELECT customer, n_name AS nation, orders FROM whole JOIN customer ON c_custkey = key JOIN nation ON n_nationkey = c_nationkey
    ORDER BY customer
) TO '{target}' (FORMAT parquet)"""


def hierarchies() -> dict[str, Hierarchy]:
    """Public: they depend on no record."""
    return {name: Hierarchy.from_paths(paths) for name, paths in _paths().items()}


def _paths() -> dict[str, list[list[str]]]:
    months = [f"{year}-{month:02}" for year in range(1992, 1999) for month in range(1, 13)][:80]
    makers = range(1, 6)
    return {
        "nation": [[nation, region, "*"] for region, nations in _NATIONS for nation in nations],
        "date": _grouped(months),
        "price": _grouped([str(number * _STEP) for number in range(_PRICES)]),
        "manufacturer": [[f"Manufacturer#{maker}", "*"] for maker in makers],
        "brand": [[f"Brand#{maker}{one}", f"Brand#{maker}x", "*"] for maker in makers for one in range(1, 6)],
        "quantity": _grouped([str(number) for number in range(1, 51)]),
    }


def _grouped(values: list[str]) -> list[list[str]]:
    """Values in their order, five nodes of a level to a node of the next."""
    paths, width = [[value] for value in values], _FANOUT
    while width < len(values):
        for place, path in enumerate(paths):
            first = place // width * width
            path.append(f"{values[first]}..{values[min(first + width, len(values)) - 1]} ({width})")
        width *= _FANOUT
    return [[*path, "*"] for path in paths]


def recipe(path: Path, out: Path, k: int = 20, m: int = 3, n: int = 2, **method: Any) -> dict[str, Any]:
    """The paper's parameters without any. Writes the hierarchies beside the data."""
    columns: dict[str, Any] = {"customer": {"role": "identifying"}}
    for name, paths in _paths().items():
        file = path.with_name(f"{name}.csv")
        with file.open("w", newline="") as lines:
            csv.writer(lines, delimiter=";", lineterminator="\n").writerows(paths)
        spec = {"role": "quasi", "kind": "node", "path": PATHS[name], "hierarchy": str(file)}
        columns[name] = spec if PARENTS[name] is None else {**spec, "parent": PARENTS[name]}
    return {
        "input": {"path": str(path)},
        "output": {"path": str(out)},
        "columns": columns,
        "guarantee": [{"name": "kmn-anonymity", "k": k, "m": m, "n": n}],
        "method": {"name": "gcs", **method},
    }


def forest(path: Path) -> tuple[Forest, TreeShape, dict[str, Hierarchy]]:
    """The distinct trees of a file, as an engine gives them to a method."""
    table, trees = pq.read_table(path), hierarchies()
    orders = _lists(table.column("orders"))
    bought = _lists(orders[1].field("items"))
    of_order = np.repeat(np.arange(table.num_rows), np.diff(orders[0]))
    of_item = np.repeat(np.arange(len(of_order)), np.diff(bought[0]))
    nation = _codes(table.column("nation").combine_chunks(), trees["nation"])
    each: dict[str, NDArray[np.int64]] = {}  # for every order or item: its node
    made: dict[str, tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]] = {}  # nodes: record, parent, value
    made["nation"] = (np.arange(table.num_rows), np.full(table.num_rows, -1), nation)
    for name in SHAPE.names[1:]:
        of = orders[1] if name in ("date", "price") else bought[1]
        codes, parent = _codes(of.field(name), trees[name]), PARENTS[name]
        record = of_order if of is orders[1] else of_order[of_item]
        above = record if parent is None else each[parent]
        if len(above) < len(codes):
            above = above[of_item]
        leaves = trees[name].leaf_count
        found, each[name] = np.unique(above * leaves + codes, return_inverse=True)
        over = found // leaves
        made[name] = (over, np.full(len(found), -1), found % leaves)
        if parent is not None:
            made[name] = (made[parent][0][over], over, found % leaves)
    return _assembled(made, trees, table.num_rows), SHAPE, trees


def _lists(column: pa.ChunkedArray | pa.Array) -> tuple[NDArray[np.int64], pa.Array]:
    one = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return one.offsets.to_numpy().astype(np.int64), one.values


def _codes(texts: pa.Array, tree: Hierarchy) -> NDArray[np.int64]:
    return pc.index_in(texts, pa.array(tree.labels[: tree.leaf_count])).to_numpy().astype(np.int64)


def _assembled(
    made: dict[str, tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]],
    trees: dict[str, Hierarchy],
    records: int,
) -> Forest:
    first = np.cumsum([0, *(trees[name].leaf_count for name in SHAPE.names)])
    filled = np.zeros(records, np.int64)  # nodes of the classes before
    places: dict[str, NDArray[np.int64]] = {}
    for name in SHAPE.names:
        record = made[name][0]
        begun = np.concatenate([[0], np.cumsum(np.bincount(record, minlength=records))])
        places[name] = filled[record] + np.arange(len(record)) - begun[record]
        filled += np.diff(begun)
    offsets = np.concatenate([[0], np.cumsum(filled)])
    labels, parents = np.empty(offsets[-1], np.int32), np.full(offsets[-1], -1, np.int32)
    for number, name in enumerate(SHAPE.names):
        record, over, value = made[name]
        at = offsets[record] + places[name]
        labels[at] = first[number] + value
        parent = PARENTS[name]
        if parent is not None:
            parents[at] = places[parent][over]
    return _distinct(Forest(offsets, labels, parents, np.ones(records, np.int64)))


def _distinct(whole: Forest) -> Forest:
    packed = whole.packed().values.to_numpy().tobytes()
    seen: dict[bytes, int] = {}
    counts: list[int] = []
    kept: list[int] = []
    for tree, (low, high) in enumerate(zip(whole.offsets[:-1].tolist(), whole.offsets[1:].tolist(), strict=True)):
        place = seen.setdefault(packed[8 * low : 8 * high], len(kept))
        if place == len(kept):
            kept.append(tree)
            counts.append(0)
        counts[place] += 1
    one = whole.packed().take(pa.array(kept))
    return Forest.of_packed(one, np.array(counts, np.int64))


def main() -> None:
    number, place = usage.given(__doc__, 2, 2)
    records, folder = int(number), Path(place)
    started = time.perf_counter()
    path = rows(records, folder)
    seconds = time.perf_counter() - started
    trees, _, given = forest(path)
    told = {
        "records": int(trees.records.sum()),
        "distinct_trees": len(trees),
        "mean_nodes": round(float((np.diff(trees.offsets) * trees.records).sum() / trees.records.sum()), 3),
        "most_nodes": int(np.diff(trees.offsets).max()),
        "values": len(np.unique(trees.labels)),
        "values_in_hierarchies": sum(tree.leaf_count for tree in given.values()),
        "bytes": path.stat().st_size,
        "seconds": round(seconds, 1),
        "forest_seconds": round(time.perf_counter() - started - seconds, 1),
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
