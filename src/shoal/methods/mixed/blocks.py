"""Mixed tables block by block, wherever the records are.

A block is a part of the table by its single values (`coarse.py`), so a tuple lies in it with all its records. Each makes clusters
of its own and merges them by the method's own rules, delta included: NCP of the whole is the mean of that of the blocks, weighted
by their records, and so is UL; item NCP is the mean weighted by the items held. If every block keeps delta, so does the whole.

What comes back are records as numbers, the cluster of each, and how the clusters show their items. Clusters of different blocks
may show the same single values: nothing published tells them apart, so they become one, which costs the single values nothing; its
items are mapped anew, which may cost more (ERRATA 001-7). Whatever no block could do alone is left to the whole: clusters whose
items cannot be mapped, and items that still lose too much.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import InternalError
from shoal.kernels.tables.boxes import smallest_boxes
from shoal.methods.method import Progress
from shoal.methods.mixed.clusters import MixedRecords, alike_joined, first_clusters, numbered
from shoal.methods.mixed.item_mapping import ClassMapping
from shoal.methods.mixed.merging import Merging
from shoal.methods.mixed.reading import in_order, records_of, schema_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.engines.engine import Engine
    from shoal.methods.method import Listener
    from shoal.methods.mixed.clusters import Prices
    from shoal.methods.mixed.coarse import Coarse
    from shoal.methods.mixed.item_mapping import ItemDomain, Objective, Promised
    from shoal.methods.mixed.merging import Parts
    from shoal.methods.mixed.reading import Encode

ABOVE = 100_000  # records: more of them are worked on in blocks, unless the recipe says otherwise …
MOST = 20_000  # … of so many
_NOTHING = ClassMapping(np.empty(0, np.int32), np.empty(0, np.int32), 0, 0)  # stands where there is none
_CLUSTERS = {
    "clusters": pa.int32(),  # of the distinct records: the cluster
    "mapped": pa.bool_(),  # of the clusters: whether there is a mapping
    "lengths": pa.int64(),  # of the clusters: items that occur
    "occurring": pa.int32(),  # of these: the code
    "shows": pa.int32(),
    "cost": pa.int64(),  # of the clusters
    "lost": pa.int64(),
}


def schema_of_blocks(promises: int) -> pa.Schema:
    """One line for each block: the lists of its records, and of its clusters."""
    records = [(field.name, pa.large_list(field.type)) for field in schema_of(promises)]
    return pa.schema([*records, *((name, pa.large_list(kind)) for name, kind in _CLUSTERS.items())])


class Inside(Protocol):
    """What a method does in a block, from its first clusters on. A frozen value."""

    def __call__(self, state: Merging) -> Parts: ...


@dataclass(frozen=True, eq=False)
class DecideBlock:
    """What is sent to workers."""

    encode: Encode
    shares: tuple[int, ...]  # l of each promise about sensitive values
    prices: Prices
    domain: ItemDomain
    promised: Promised
    objective: Objective
    seed: int
    inside: Inside

    def __call__(self, block: pa.Table) -> pa.Table:
        encoded = in_order(self.encode(block))
        records = records_of(encoded, self.shares)
        groups = first_clusters(records, self.prices, self.promised.k, self.seed)
        state = Merging(records, self.prices, groups, self.domain, self.promised, self.objective)
        columns = [column.combine_chunks() for column in encoded.columns] + _told(len(groups), self.inside(state))
        lines = [pa.LargeListArray.from_arrays(pa.array([0, len(column)], pa.int64()), column) for column in columns]
        return pa.table(lines, schema=schema_of_blocks(len(self.shares)))


def _told(rows: int, parts: Parts) -> list[pa.Array]:
    """In the order of _CLUSTERS."""
    clusters = np.empty(rows, np.int32)
    for number, members in enumerate(parts[0]):
        clusters[members] = number
    mappings = [mapping or _NOTHING for mapping in parts[1]]
    columns = [
        clusters,
        [mapping is not None for mapping in parts[1]],
        [len(mapping.items) for mapping in mappings],
        np.concatenate([mapping.items for mapping in mappings]),
        np.concatenate([mapping.shows for mapping in mappings]),
        [mapping.cost for mapping in mappings],
        [mapping.lost for mapping in mappings],
    ]
    return [pa.array(column, kind) for column, kind in zip(columns, _CLUSTERS.values(), strict=True)]


@dataclass(frozen=True, eq=False)
class Together:
    """What the blocks came to. Clusters that show the same are one."""

    records: MixedRecords
    groups: NDArray[np.int32]  # (rows,): the cluster, numbered by their first rows
    known: Mapping[int, ClassMapping]  # clusters that are as they were in their block

    @classmethod
    def of(cls, lines: pa.Table, prices: Prices, shares: Sequence[int]) -> Together:
        """lines: of the blocks, in their order: records with the same values and items are of one block and follow each other."""
        names = schema_of(len(shares)).names
        records = records_of(pa.table({name: pc.list_flatten(lines.column(name)) for name in names}), shares)
        ahead = np.cumsum(_sizes(lines, "mapped")) - _sizes(lines, "mapped")
        before = np.repeat(ahead, _sizes(lines, "clusters"))
        old = (_flat(lines, "clusters") + before).astype(np.int32)
        mappings = _mappings(lines)
        if len(old) != len(records.counts) or len(np.unique(old)) != len(mappings):
            raise InternalError("Blocks came back with records in no cluster; nothing was published.")
        boxes = smallest_boxes(prices.nodes, records.codes, old, len(mappings))
        groups = numbered(alike_joined(old, boxes))
        into = np.empty(len(mappings), np.int64)
        into[old] = groups
        alone = np.bincount(into)[into] == 1
        known = {
            cluster: mapping
            for cluster, mapping, same in zip(into.tolist(), mappings, alone.tolist(), strict=True)
            if same and mapping is not None
        }
        return cls(records, groups, known)


def in_blocks(
    engine: Engine, columns: Sequence[str], partition: Coarse, kernel: DecideBlock, listener: Listener
) -> Together:
    """columns: those that are read."""
    listener(Progress("blocks", f"working on {partition.blocks:,} blocks"))
    lines = engine.map_blocks(columns, partition, kernel, schema_of_blocks(len(kernel.shares)))
    if lines.num_rows != partition.blocks:
        raise InternalError(f"{lines.num_rows:,} of {partition.blocks:,} blocks were decided; nothing was published.")
    listener(Progress("blocks", f"putting {partition.blocks:,} blocks together"))
    return Together.of(lines, kernel.prices, kernel.shares)


def _mappings(lines: pa.Table) -> list[ClassMapping | None]:
    ends = np.cumsum(_flat(lines, "lengths"))[:-1]
    items, shows = (np.split(_flat(lines, name), ends) for name in ("occurring", "shows"))
    cost, lost, mapped = (_flat(lines, name).tolist() for name in ("cost", "lost", "mapped"))
    every = zip(items, shows, cost, lost, strict=True)
    return [ClassMapping(*one) if there else None for one, there in zip(every, mapped, strict=True)]


def _flat(lines: pa.Table, name: str) -> NDArray[Any]:
    values: NDArray[Any] = pc.list_flatten(lines.column(name)).to_numpy()
    return values


def _sizes(lines: pa.Table, name: str) -> NDArray[np.int64]:
    sizes: NDArray[np.int64] = pc.list_value_length(lines.column(name)).to_numpy().astype(np.int64)
    return sizes
