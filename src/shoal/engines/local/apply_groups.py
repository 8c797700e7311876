"""apply, when every class shows values of its own: a record goes where the parts of its raw tuple go.

A tuple that lies in one class whole is joined as it is, counted and never row by row. A tuple that lies in several classes is
dealt out: its records are shuffled by the operating system's generator, and each part takes as many as it was decided to
have. They must be shuffled, and by nothing that could be guessed. Any fixed order (that of the input, or of a sensitive column)
would let whoever knows this code conclude from the class of one record what the others of its tuple hold.

The release is ordered by published values: by the first raw value each stands for, then by how many, then by the other columns.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.engines.engine import Written
from shoal.engines.local.apply import counted_rows, put_in_order, raw_values
from shoal.engines.local.connection import Connection, quote
from shoal.errors import InternalError
from shoal.kernels.grouping import Layout, group_sum
from shoal.recoding.recoded import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.data.schema import Schema
    from shoal.recoding.groups import GroupRecoding
    from shoal.recoding.recoded import Recoded, ShownValues

# Each row of `assigned` with its distinct record of the data, and with what that shows. Suppressed ones show nothing.
ASSIGNED = "assigned JOIN coded ON coded.rowid = assigned.line JOIN parts USING (part) JOIN shows USING (class)"


def apply(con: Connection, schema: Schema, recoding: GroupRecoding, grouped: tuple[str, ...], records: int) -> Written:
    """Leaves `assigned`: distinct records, the part each went to, and how many; and `release`, as for any recoding."""
    published, columns = schema.published, recoding.columns
    others = [name for name in published if name not in columns]
    codes = [f"code_{c}" for c in range(len(columns))]
    ranks = [f"rank_{c}" for c in range(len(columns))]
    kept = [f"other_{i}" for i in range(len(others))]
    _code(con, schema, recoding, grouped, others)
    parts = _Parts.of(recoding.recoded)
    _assign(con, parts, codes, records)
    for c, name in enumerate(columns):
        _register_labels(con, c, name, recoding.recoded)
    shows = {rank: _ranks(recoding.recoded, c)[recoding.recoded.values[:, c]] for c, rank in enumerate(ranks)}
    con.register("shows", pa.table({"class": np.arange(len(recoding.recoded.values), dtype=np.int32), **shows}))
    keys = ", ".join([*ranks, *kept])
    con.run(f"CREATE TEMP TABLE recoded AS SELECT {keys}, sum(assigned.n)::BIGINT AS n FROM {ASSIGNED} GROUP BY ALL")
    suppressed = int(parts.counts[parts.classes == HIDDEN].sum())
    shown = con.one("SELECT coalesce(sum(n), 0)::BIGINT FROM recoded")[0]
    if shown + suppressed != records:
        raise InternalError(f"Recoding reached {shown + suppressed:,} of {records:,} records; nothing was published.")
    put_in_order(con, schema, "recoded", columns, ranks)
    return Written(shown, suppressed)


def _code(
    con: Connection, schema: Schema, recoding: GroupRecoding, grouped: tuple[str, ...], others: Sequence[str]
) -> None:
    """`coded`: the distinct records, quasi-identifiers as leaf codes code_0, …; the other columns other_0, …; the count n."""
    source, count = counted_rows(schema, grouped)
    joins, picked = [], []
    for c, (name, hierarchy) in enumerate(zip(recoding.columns, recoding.hierarchies, strict=True)):
        raw, leaves = raw_values(con, name, hierarchy)
        con.register(f"map_{c}", pa.table({"raw": raw, "code": leaves}))
        joins.append(f"JOIN map_{c} ON s.{quote(name)} IS NOT DISTINCT FROM map_{c}.raw")
        picked.append(f"map_{c}.code AS code_{c}")
    picked += [f"s.{quote(name)} AS other_{i}" for i, name in enumerate(others)]
    con.run(
        f"CREATE TEMP TABLE coded AS SELECT {', '.join(picked)}, s.{count}::BIGINT AS n FROM {source} s {' '.join(joins)}"
    )


@dataclass(frozen=True, eq=False)
class _Parts:
    """Records of one tuple that go to one class; the tuple's number tells which belong together."""

    codes: NDArray[np.int32]  # (parts, columns)
    classes: NDArray[np.int32]  # (parts,)
    counts: NDArray[np.int64]  # (parts,)
    tuples: NDArray[np.int32]  # (parts,)
    alone: NDArray[np.bool_]  # (parts,): the tuple has no other part

    @classmethod
    def of(cls, recoded: Recoded) -> _Parts:
        sizes = [hierarchy.leaf_count for hierarchy in recoded.hierarchies]
        layout = Layout.for_domains([*sizes, len(recoded.values) + 1])
        classed = np.concatenate([recoded.codes, (recoded.classes - HIDDEN).reshape(-1, 1)], axis=1)
        keys, counts, _ = group_sum(layout.pack(classed), recoded.counts)
        codes = np.stack([layout.unpack(keys, c).astype(np.int32) for c in range(len(sizes))], axis=1)
        classes = (layout.unpack(keys, len(sizes)) + HIDDEN).astype(np.int32)
        whole = Layout.for_domains(sizes)
        _, members, tuples = group_sum(whole.pack(codes), np.ones(len(codes), np.int64))
        return cls(codes, classes, counts, tuples, members[tuples] == 1)

    def table(self, parts: NDArray[np.int64], names: Sequence[str]) -> pa.Table:
        """Some parts by the names of their columns."""
        codes = {name: self.codes[parts, c] for c, name in enumerate(names)}
        return pa.table({**codes, "part": parts, "tuple": self.tuples[parts]})


def _assign(con: Connection, parts: _Parts, codes: Sequence[str], records: int) -> None:
    """`assigned`: line (of `coded`), part, n. Fails unless every part got the records it was decided to have, and none are left."""
    keys = ", ".join(codes)
    con.register("parts", pa.table({"part": np.arange(len(parts.counts)), "class": parts.classes}))
    con.register("whole_tuples", parts.table(np.flatnonzero(parts.alone), codes))
    con.run(
        f"CREATE TEMP TABLE assigned AS SELECT coded.rowid AS line, part, n FROM coded JOIN whole_tuples USING ({keys})"
    )
    split = np.flatnonzero(~parts.alone)
    if len(split):
        _, first = np.unique(parts.tuples[split], return_index=True)
        con.register("split_tuples", parts.table(split[first], codes))
        found = con.table(f"SELECT coded.rowid AS line, tuple, n FROM coded JOIN split_tuples USING ({keys})")
        con.register("dealt", _deal(found, parts, split))
        con.run("INSERT INTO assigned SELECT line, part, n FROM dealt")
    given = con.table("SELECT part, sum(n)::BIGINT AS n FROM assigned GROUP BY part")
    counts = np.zeros(len(parts.counts), np.int64)
    counts[given.column("part").to_numpy()] = given.column("n").to_numpy()
    if counts.sum() != records or not np.array_equal(counts, parts.counts):
        raise InternalError(
            f"{int((counts != parts.counts).sum()):,} of {len(counts):,} parts of the recoding did not get their records, or "
            f"not all {records:,} records have a part; nothing was published."
        )


def _deal(found: pa.Table, parts: _Parts, split: NDArray[np.int64]) -> pa.Table:
    """The records of tuples with several parts, shuffled within their tuple and cut into the sizes of its parts.

    found: line, tuple, n.
    """
    counts = found.column("n").to_numpy()
    line_of, tuple_of = (np.repeat(found.column(name).to_numpy(), counts) for name in ("line", "tuple"))
    chance = np.frombuffer(os.urandom(8 * len(line_of)), np.uint64)
    order = np.lexsort((chance, tuple_of))
    split = split[np.argsort(parts.tuples[split], kind="stable")]
    part_of = np.repeat(split, parts.counts[split])
    if not np.array_equal(parts.tuples[part_of], tuple_of[order]):
        raise InternalError("The parts of a tuple have more or fewer records than the tuple; nothing was published.")
    size = int(line_of.max(initial=0)) + 1
    pairs, times = np.unique(part_of * size + line_of[order], return_counts=True)
    return pa.table({"line": pairs % size, "part": pairs // size, "n": times})


def _ranks(recoded: Recoded, c: int) -> NDArray[np.int32]:
    """(values,): the place of each shown value in the order of the release."""
    shown = recoded.shown[c]
    first = shown.leaves[shown.offsets[:-1]].tolist()
    sizes = shown.sizes.tolist()
    order = sorted(
        range(len(shown.labels)), key=lambda v: (first[v], sizes[v], shown.labels[v] is None, shown.labels[v] or "")
    )
    ranks = np.empty(len(order), np.int32)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    return ranks


def _register_labels(con: Connection, c: int, name: str, recoded: Recoded) -> None:
    """label_c: place → published value. A column that shows nothing but raw values keeps its type."""
    shown, used = recoded.shown[c], np.unique(recoded.values[:, c])
    labels = [shown.labels[value] for value in used.tolist()]
    if len(set(labels)) != len(labels):
        raise InternalError(f"Column '{name}': one label stands for different sets of values.")
    ranks = _ranks(recoded, c)[used]
    if _is_raw(shown, used, recoded.hierarchies[c].labels):
        con.register(f"raw_{c}", pa.table({"code": shown.leaves[shown.offsets[used]], f"rank_{c}": ranks}))
        con.run(f"CREATE TEMP TABLE label_{c} AS SELECT rank_{c}, raw AS label FROM raw_{c} JOIN map_{c} USING (code)")
    else:
        con.register(f"label_{c}", pa.table({f"rank_{c}": ranks, "label": pa.array(labels, pa.string())}))


def _is_raw(shown: ShownValues, used: NDArray[np.int32], raw: Sequence[str | None]) -> bool:
    return bool((shown.sizes[used] == 1).all()) and all(
        shown.labels[value] == raw[shown.leaves[shown.offsets[value]]] for value in used.tolist()
    )
