"""apply, when every class shows values of its own: a record goes where the parts of its raw tuple go.

A tuple that lies in one class whole is joined as it is, counted and never row by row. A tuple that lies in several classes is
dealt out: its records are shuffled by the operating system's generator, and each part takes as many as it was decided to
have. They must be shuffled, and by nothing that could be guessed. Any fixed order (that of the input, or of a sensitive column)
would let whoever knows this code conclude from the class of one record what the others of its tuple hold.

The release is ordered by published values: by the first raw value each stands for, then by how many, then by the other columns.
"""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.engines.driver.connection import Connection, quote
from shoal.engines.driver.groups import Parts, ShownLabels, ranks
from shoal.engines.driver.tuples import raw_values
from shoal.engines.engine import Written
from shoal.engines.local.apply.levels import put_in_order
from shoal.engines.local.assignment import tuples_assigned
from shoal.engines.local.mapped import count_mapped
from shoal.engines.local.release import Release
from shoal.engines.local.rows import rows
from shoal.engines.local.values import Applied, Values
from shoal.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from shoal.data.schema import Schema
    from shoal.engines.local.loaded import Loaded
    from shoal.recoding.tables.groups import GroupRecoding
    from shoal.recoding.tables.recoded import Recoded

_DEALT = 4_000_000  # records dealt out at a time: each takes some fifty bytes meanwhile

# Each row of `assigned` with its distinct record of the data, and with what that shows. Suppressed ones show nothing.
ASSIGNED = "assigned JOIN coded ON coded.rowid = assigned.line JOIN parts USING (part) JOIN shows USING (class)"


def apply(con: Connection, schema: Schema, loaded: Loaded, recoding: GroupRecoding) -> Release:
    """Leaves `coded`: distinct records; `assigned`: the part each went to, and how many; and `release`, as for any recoding."""
    recoded = recoding.recoded
    maps = {n: raw_values(con, n, h) for n, h in zip(recoding.columns, recoding.hierarchies, strict=True)}
    others = tuple(name for name in schema.published if name not in maps)
    count_mapped(con, "coded", "code", maps, others, schema.grouped, loaded.records)
    parts = Parts.of(recoded)
    assign(con, parts, [f"code_{c}" for c in range(len(maps))], loaded.number)
    raw = tuple(Values.of(leaves, values) for values, leaves in maps.values())
    shown = tuple(_shown(c, name, recoded, raw[c]) for c, name in enumerate(maps))
    applied = Applied(recoding.columns, others, shown, raw)
    shows = {number: ranks(recoded.shown[c])[recoded.values[:, c]] for c, number in enumerate(applied.numbers)}
    con.register("shows", pa.table({"class": np.arange(len(recoded.values), dtype=np.int32), **shows}))
    keys = ", ".join([*applied.numbers, *applied.kept])
    con.run(
        f"CREATE TEMP TABLE recoded AS SELECT {keys}, sum(assigned.n)::BIGINT AS n FROM {ASSIGNED} GROUP BY ALL",
        "counting equal records",
    )
    (published,) = con.one("SELECT coalesce(sum(n), 0)::BIGINT FROM recoded")
    if published + parts.suppressed != loaded.number:
        raise InternalError(
            f"Recoding reached {published + parts.suppressed:,} of {loaded.number:,} records; nothing was published."
        )
    put_in_order(con, "recoded", applied)
    return Release(
        Written(published, parts.suppressed),
        applied,
        lambda: rows(con, schema, applied),
        lambda: tuples_assigned(con, applied, ASSIGNED),
    )


def assign(con: Connection, parts: Parts, codes: Sequence[str], records: int) -> None:
    """`assigned`: line (of `coded`), part, n. Fails unless every part got the records it was decided to have, and none are left."""
    keys = ", ".join(codes)
    con.register("parts", pa.table({"part": np.arange(len(parts.counts)), "class": parts.classes}))
    con.register("whole_tuples", _table(parts, np.flatnonzero(parts.alone), codes))
    con.run(
        f"CREATE TEMP TABLE assigned AS SELECT coded.rowid AS line, part, n FROM coded JOIN whole_tuples USING ({keys})"
    )
    dealing = con.pace("dealing out the records of tuples with several classes", int(parts.counts[~parts.alone].sum()))
    dealt = 0
    for split in _portions(parts):
        _, first = np.unique(parts.tuples[split], return_index=True)
        con.register("split_tuples", _table(parts, split[first], codes))
        lines = con.table(
            f"SELECT coded.rowid AS line, tuple, n FROM coded JOIN split_tuples USING ({keys}){_ordered(con)}"
        )
        con.register("dealt", _deal(lines, parts, split, _chance(con.seed, dealt)))
        con.run("INSERT INTO assigned SELECT line, part, n FROM dealt")
        dealt += int(parts.counts[split].sum())
        dealing.rows(dealt)
    dealt_out = con.table("SELECT part, sum(n)::BIGINT AS n FROM assigned GROUP BY part")
    parts.check(dealt_out.column("part").to_numpy(), dealt_out.column("n").to_numpy(), records)


def _table(parts: Parts, chosen: NDArray[np.int64], names: Sequence[str]) -> pa.Table:
    """Some parts by the names of their columns."""
    codes = {name: parts.codes[chosen, c] for c, name in enumerate(names)}
    return pa.table({**codes, "part": chosen, "tuple": parts.tuples[chosen]})


def _portions(parts: Parts) -> Iterator[NDArray[np.int64]]:
    """The parts of tuples that have several, in the order of the tuples; whole tuples, and about _DEALT records at a time."""
    split = np.flatnonzero(~parts.alone)
    split = split[np.argsort(parts.tuples[split], kind="stable")]
    before = np.cumsum(parts.counts[split]) - parts.counts[split]
    begins = np.flatnonzero(np.diff(parts.tuples[split], prepend=-1))  # of each tuple
    edges = begins[np.flatnonzero(np.diff(before[begins] // _DEALT, prepend=-1))]
    yield from np.split(split, edges[1:]) if len(split) else ()


def _ordered(con: Connection) -> str:
    """With a seed, the order in which lines are dealt must be the same again: that of what they hold."""
    if con.seed is None:
        return ""
    held = con.table("SELECT * FROM coded LIMIT 0").column_names
    return f" ORDER BY {', '.join(f'coded.{quote(name)}' for name in held)}"


def _chance(seed: int | None, dealt: int) -> Callable[[int], bytes]:
    """So many bytes, by the operating system; or, for tests, by a seed and how many records were dealt before."""
    if seed is None:
        return os.urandom
    return lambda size: hashlib.shake_256(f"{seed} {dealt}".encode()).digest(size)


def _deal(lines: pa.Table, parts: Parts, split: NDArray[np.int64], random: Callable[[int], bytes]) -> pa.Table:
    """The records of tuples with several parts, shuffled within their tuple and cut into the sizes of its parts.

    lines: line, tuple, n. split: the parts, in the order of the tuples.
    """
    counts = lines.column("n").to_numpy()
    line_of, tuple_of = (np.repeat(lines.column(name).to_numpy(), counts) for name in ("line", "tuple"))
    chance = np.frombuffer(random(8 * len(line_of)), np.uint64)
    order = np.lexsort((chance, tuple_of))
    part_of = np.repeat(split, parts.counts[split])
    if not np.array_equal(parts.tuples[part_of], tuple_of[order]):
        raise InternalError("The parts of a tuple have more or fewer records than the tuple; nothing was published.")
    size = int(line_of.max(initial=0)) + 1
    pairs, times = np.unique(part_of * size + line_of[order], return_counts=True)
    return pa.table({"line": pairs % size, "part": pairs // size, "n": times})


def _shown(c: int, name: str, recoded: Recoded, raw: Values) -> Values:
    """Published values by their place in the order of the release. A column that shows nothing but raw values keeps its type."""
    shown = ShownLabels.of(recoded, c, name)
    if shown.leaves is None:
        return Values.of(shown.ranks, pa.array(shown.labels, pa.string()))
    return Values.of(shown.ranks, raw.at(pa.array(shown.leaves)).dictionary_decode())
