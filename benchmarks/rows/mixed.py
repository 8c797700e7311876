"""Single values beside sets of items for benchmarks: the files beside the project, and what is made from them.

    python -m benchmarks.rows.mixed informs 36553 FOLDER

INFORMS has five columns of single values, as in the papers, and diagnoses with their hierarchy; YouTube has six and related
videos, without one. More records than a file has are SYNTHETIC, by the recipes in the notes on the data. INFORMS: the file, and
records drawn from it whose year of birth and income move to a neighbouring leaf; codes are swapped for siblings that do not occur
until 619 do. With more than twice the records, both move farther, by up to a leaf for every four copies, and a tenth of the drawn
codes is swapped for a sibling: else the copies of a person would be a class without any loss. YouTube: related videos are drawn
anew, in proportion to how often they occur, from the most frequent ones and one in eight that is new: 936, as many as in the paper,
of which a record has 6.5 on average as there, and 20 at most. The same call makes the same rows. Writes `NAME-ROWS.parquet`, and
prints one JSON object.
"""

from __future__ import annotations

import csv
import gzip
import json
import time
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pc_csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from benchmarks.lib import usage
from benchmarks.lib.places import SHARED
from shoal.hierarchies.hierarchy import Hierarchy

FOLDER = SHARED / "data/rt"
COLUMNS = {
    "informs": (("DOBMM", "DOBYY", "RACEX", "EDUCYEAR", "income"), "icd9"),
    "youtube": (("age", "category", "length", "rate", "ratings", "comments"), "related"),
}
FILES = {"informs": "informs_2005/informs_2005.csv.gz", "youtube": "youtube_sample/youtube_sample.csv.gz"}
PAPER = {"informs": 36_553, "youtube": 131_780}  # records
_CODES = 619  # of INFORMS, in the paper
_VIDEOS, _RELATED = 936, 6.51  # different related videos of YouTube, and the mean of a record, in the paper
_NEW = 8  # one in so many of them is not in the sample
_WIDE = 4  # values of a node, in hierarchies made for numbers
_SEED = 7


class Mixed(NamedTuple):
    table: pa.Table  # single values as texts, and lists of texts
    hierarchies: dict[str, Hierarchy]  # of all columns, the sets last
    sets: str
    synthetic: bool


def read(name: str, rows: int | None = None) -> Mixed:
    """rows: the whole file without it; fewer: drawn from it; more: SYNTHETIC."""
    values, sets = COLUMNS[name]
    kinds = pc_csv.ConvertOptions(column_types=dict.fromkeys((*values, sets), pa.string()), strings_can_be_null=False)
    table = pc_csv.read_csv(FOLDER / FILES[name], convert_options=kinds).select([*values, sets])
    lists = [one.split() for one in table.column(sets).to_pylist()]
    table = table.set_column(len(values), sets, pa.array(lists, pa.list_(pa.string())))
    rng = np.random.default_rng(_SEED)
    real = table.num_rows
    if rows is not None and rows < real:
        table = table.take(pa.array(np.sort(rng.permutation(real)[:rows])))
    elif rows is not None and rows > real:
        table = (_more_informs if name == "informs" else _more_youtube)(table, rows, rng)
    return Mixed(table, hierarchies(name, table), sets, rows is not None and rows > real)


def hierarchies(name: str, table: pa.Table) -> dict[str, Hierarchy]:
    values, sets = COLUMNS[name]
    if name == "informs":
        made = {column: Hierarchy.from_paths(_paths(column)) for column in values}
        return made | {sets: Hierarchy.from_paths(_paths("ICD9"))}
    made = {column: _of_values(pc.unique(table.column(column)).to_pylist()) for column in values}
    items = pc.unique(pc.list_flatten(table.column(sets))).to_pylist()
    return made | {sets: Hierarchy.from_paths([(item, "*") for item in sorted(items, key=int)])}


def _paths(column: str) -> list[list[str]]:
    path = FOLDER / "informs_2005/hierarchies" / f"{column}.csv"
    packed = path.with_suffix(".csv.gz")
    with gzip.open(packed, "rt") if packed.exists() else path.open() as lines:
        return list(csv.reader(lines, delimiter=";"))


def _of_values(values: list[str]) -> Hierarchy:
    """Numbers in their order, four nodes of a level to a node of the next; other values below one root."""
    try:
        ordered = sorted(values, key=float)
    except ValueError:
        return Hierarchy.from_paths([(value, "*") for value in sorted(values)])
    paths, width = [[value] for value in ordered], _WIDE
    while width < len(ordered):
        for place, path in enumerate(paths):
            first = place // width * width
            path.append(f"{ordered[first]}..{ordered[min(first + width, len(ordered)) - 1]} ({width})")
        width *= _WIDE
    return Hierarchy.from_paths([[*path, "*"] for path in paths])


def _more_informs(table: pa.Table, rows: int, rng: np.random.Generator) -> pa.Table:
    drawn = rng.integers(0, table.num_rows, rows - table.num_rows)
    copies = rows // table.num_rows
    more = table.take(pa.array(drawn))
    for column in ("DOBYY", "income"):
        leaves = [path[0] for path in _paths(column)]
        leaves.sort(key=float)
        place = pc.index_in(more.column(column), pa.array(leaves)).to_numpy()
        steps = rng.integers(1, 2 + copies // 4, len(place)) * rng.choice([-1, 1], len(place))
        moved = pa.array(leaves).take(pa.array(np.clip(place + steps, 0, len(leaves) - 1)))
        more = more.set_column(more.column_names.index(column), column, moved)
    lists = more.column("icd9").combine_chunks()
    offsets, texts = lists.offsets.to_numpy(), np.array(lists.flatten().to_pylist(), object)
    siblings: dict[str, list[str]] = {}
    parent_of = {path[0]: path[1] for path in _paths("ICD9")}
    for code, parent in parent_of.items():
        siblings.setdefault(parent, []).append(code)
    if copies > 2:
        for at in np.flatnonzero(rng.random(len(texts)) < 0.1).tolist():
            beside = siblings[parent_of[texts[at]]]
            texts[at] = beside[int(rng.integers(len(beside)))]
    known = {*table.column("icd9").combine_chunks().flatten().to_pylist(), *texts.tolist()}
    for at in rng.permutation(len(texts)).tolist():
        if len(known) >= _CODES:
            break
        unused = [code for code in siblings[parent_of[texts[at]]] if code not in known]
        if unused:
            texts[at] = unused[0]
            known.add(unused[0])
    made = _lists(offsets, texts)
    more = more.set_column(more.column_names.index("icd9"), "icd9", made)
    return pa.concat_tables([table, more])


def _more_youtube(table: pa.Table, rows: int, rng: np.random.Generator) -> pa.Table:
    more = table.take(pa.array(rng.integers(0, table.num_rows, rows)))
    every = pc.list_flatten(table.column("related")).combine_chunks().value_counts()
    texts, counts = every.field(0).to_pylist(), every.field(1).to_numpy().astype(np.float64)
    often = np.lexsort((np.array(texts, np.int64), -counts))[: _VIDEOS - _VIDEOS // _NEW]
    known = np.array([texts[place] for place in often.tolist()], object)
    last = max(map(int, texts))
    new = np.array([str(last + 1 + number) for number in range(_VIDEOS // _NEW)], object)
    weights = np.concatenate([counts[often], rng.choice(counts[often], len(new))])
    most = 20
    sizes = 1 + rng.binomial(most - 1, (_RELATED - 1) / (most - 1), rows)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    drawn = rng.choice(np.concatenate([known, new]), int(offsets[-1]), p=weights / weights.sum())
    return more.set_column(more.column_names.index("related"), "related", _lists(offsets, drawn))


def _lists(offsets: NDArray[Any], texts: NDArray[Any]) -> pa.Array:
    """Sorted, each item once in a record."""
    found = [sorted(set(texts[low:high].tolist())) for low, high in pairwise(offsets.tolist())]
    return pa.array(found, pa.list_(pa.string()))


def main() -> None:
    name, number, place = usage.given(__doc__, 3, 3)
    rows, folder = int(number), Path(place)
    folder.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    mixed = read(name, rows)
    path = folder / f"{name}-{rows}.parquet"
    pq.write_table(mixed.table, path)
    sizes = pc.list_value_length(mixed.table.column(mixed.sets)).to_numpy()
    tuples = mixed.table.select(list(COLUMNS[name][0])).group_by(list(COLUMNS[name][0])).aggregate([]).num_rows
    told = {
        "set": name,
        "synthetic": mixed.synthetic,
        "records": mixed.table.num_rows,
        "distinct_tuples": tuples,
        "items": len(pc.unique(pc.list_flatten(mixed.table.column(mixed.sets)))),
        "mean_items": round(float(sizes.mean()), 3),
        "most_items": int(sizes.max()),
        "bytes": path.stat().st_size,
        "seconds": round(time.perf_counter() - started, 1),
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
