"""Local recoding of items: records are divided by what they hold, and every part has a cut of its own.

A part is divided by whether a record holds an item below one node of the hierarchy, in both halves the promise is kept by
itself (so it is kept in the whole), and the division stands if the halves together lose less than the part. Nodes that divide a
part most evenly are tried, and of these the best is taken. Sets that are tables in disguise (Mushroom) gain by it; sparse ones
do not, and stay whole.

What is large is first divided without asking, so that a block fits one worker; then the whole is compared with the global cut.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from shoal.data.combinations import coded
from shoal.data.hidden import known_texts
from shoal.kernels.sets.combination_supports import node_supports
from shoal.kernels.sets.split_walk import ends_of
from shoal.methods.sets.descent import ItemTree, descend
from shoal.methods.sets.promise import BlockSource, Breaks, root_breaks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from shoal.engines.engine import Engine
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.methods.sets.promise import Promise

_RECORDS = 1 << 19  # of a block that one worker has
_TRIED = 4  # nodes, to divide a part by
_CANNOT = -1  # the cost of a block that cannot keep the promise by itself
_SCHEMA = pa.schema(
    [
        ("block", pa.int64()),
        ("questions", pa.list_(pa.int32())),  # nodes
        ("ways", pa.list_(pa.int32())),
        ("cut", pa.list_(pa.int32())),  # of all parts
        ("cost", pa.int64()),
    ]
)


@dataclass(frozen=True, eq=False)
class Splits:
    """Which part a record belongs to, by its items. What is sent to workers."""

    leaves: pa.Array  # texts
    first: NDArray[np.int32]  # (questions,): does it hold a leaf from here …
    last: NDArray[np.int32]  # … to here?
    ways: NDArray[np.int32]  # (questions, 2): where `no` and `yes` lead, to a question or to part -1 - way

    def __call__(self, batch: pa.RecordBatch) -> pa.Array:
        lists = pa.chunked_array([batch.column(0)])
        return pa.array(self.parts(*coded(lists, self.leaves, batch.schema.names[0])))

    def parts(self, offsets: NDArray[np.int64], codes: NDArray[np.int32]) -> NDArray[np.int64]:
        return ends_of(offsets, codes, self.first, self.last, self.ways)


@dataclass(frozen=True, eq=False)
class PartSizes:
    """Records with items by part: a counter."""

    column: str
    splits: Splits

    @property
    def keys(self) -> pa.Schema:
        return pa.schema([("part", pa.int64())])

    def partials(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            offsets, codes = coded(pa.chunked_array([batch.column(self.column)]), self.splits.leaves, self.column)
            parts, sizes = np.unique(self.splits.parts(offsets, codes)[np.diff(offsets) > 0], return_counts=True)
            yield pa.record_batch([pa.array(parts), pa.array(sizes.astype(np.int64))], ["part", "records"])


class Parts(NamedTuple):
    """Which record belongs to which part, and the cut of each."""

    splits: Splits
    cuts: NDArray[np.int32]  # (parts, leaves)
    cost: int  # item NCP of all records, times the number of leaves


def local_parts(
    engine: Engine, column: str, tree: ItemTree, leaves: pa.Array, promise: Promise, records: int
) -> Parts | None:
    """Parts, each with a cut that keeps the promise inside it. None when a block cannot."""
    blocks = _blocks(engine, column, tree, leaves, promise.least(1), records)
    labels = tuple(dict.fromkeys(g.column for g in promise.diverse))
    kernel = DivideBlock(column, labels, tree.hierarchy, leaves, promise, blocks)
    lines = engine.map_blocks([column, *labels], blocks, kernel, _SCHEMA)
    rows = lines.to_pylist()
    return None if any(row["cost"] == _CANNOT for row in rows) else _joined(blocks, rows, tree.hierarchy)


@dataclass(frozen=True, eq=False)
class DivideBlock:
    """Divides one block of records, as long as something is gained. What is sent to workers."""

    column: str
    labels: tuple[str, ...]
    hierarchy: Hierarchy
    leaves: pa.Array
    promise: Promise
    blocks: Splits

    def __call__(self, block: pa.Table) -> pa.Table:
        offsets, codes = coded(block.column(self.column), self.leaves, self.column)
        source = BlockSource(
            offsets,
            codes,
            block.column("records").to_numpy(),
            {name: _codes(block.column(name)) for name in self.labels},
        )
        number = int(self.blocks.parts(offsets[:2], codes[: offsets[1]])[0])
        whole = self._solved(source)
        if whole is None:
            return pa.table([[number], [[]], [[]], [[]], [_CANNOT]], schema=_SCHEMA)
        questions: list[int] = []
        ways: list[list[int]] = []
        cuts: list[NDArray[np.int32]] = []
        cost = self._divide(source, whole, questions, ways, cuts)[1]
        flat = [way for pair in ways for way in pair]
        return pa.table([[number], [questions], [flat], [np.concatenate(cuts).tolist()], [cost]], schema=_SCHEMA)

    def _divide(
        self,
        source: BlockSource,
        whole: _Solved,
        questions: list[int],
        ways: list[list[int]],
        cuts: list[NDArray[np.int32]],
    ) -> tuple[int, int]:
        """Adds what a part becomes. Where it stands (a question, or -1 - part), and what it costs."""
        best: tuple[int, int, tuple[tuple[BlockSource, _Solved], ...]] | None = None
        for node in self._even(source, whole):
            halves = tuple(source.where(holds) for holds in self._asked(source, node))
            solved = [self._solved(half) for half in halves]
            if solved[0] is None or solved[1] is None:
                continue
            cost = solved[0].cost + solved[1].cost
            if cost < whole.cost and (best is None or (cost, node) < best[:2]):
                best = cost, node, ((halves[0], solved[0]), (halves[1], solved[1]))
        if best is None:
            cuts.append(whole.cut)
            return -len(cuts), whole.cost
        at = len(questions)
        questions.append(best[1])
        ways.append([0, 0])
        divided = [self._divide(half, solved, questions, ways, cuts) for half, solved in best[2]]
        ways[at] = [where for where, _ in divided]
        return at, sum(cost for _, cost in divided)

    def _even(self, source: BlockSource, whole: _Solved) -> list[int]:
        """Nodes that about half of the records hold, the root excepted."""
        supports, rows = whole.supports[:-1], int(source.weights.sum())
        off = np.abs(2 * supports - rows)
        nodes = np.flatnonzero((supports > 0) & (supports < rows))
        return nodes[np.lexsort((nodes, off[nodes]))][:_TRIED].tolist() if whole.cost else []

    def _asked(self, source: BlockSource, node: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which records do not hold a leaf below a node, and which do."""
        one = Splits(
            self.leaves,
            self.hierarchy.first[[node]],
            self.hierarchy.last[[node]],
            np.array([[-1, -2]], np.int32),
        )
        holds = one.parts(source.offsets, source.leaves) == 1
        return ~holds, holds

    def _solved(self, source: BlockSource) -> _Solved | None:
        """None when the promise cannot be kept."""
        supports = node_supports(source.offsets, source.leaves, source.weights, self.hierarchy.parents)[:-1]
        tree = ItemTree(self.hierarchy, supports)
        breaks = Breaks(self.promise, source, supports)
        if 0 < supports[-1] < self.promise.least(1) or root_breaks(breaks, self.hierarchy):
            return None
        cut = descend(tree, breaks, lambda rounds, size: None)
        return _Solved(tree.loss(cut), cut, supports)


class _Solved(NamedTuple):
    cost: int
    cut: NDArray[np.int32]
    supports: NDArray[np.int64]


def _blocks(engine: Engine, column: str, tree: ItemTree, leaves: pa.Array, least: int, records: int) -> Splits:
    """A block for each combination of answers to a few questions; fewer questions if one of them would be too small."""
    wanted = max(0, -(-records // _RECORDS) - 1).bit_length()
    supports = tree.supports[:-1]
    order = np.lexsort((np.arange(len(supports)), np.abs(2 * supports - records)))
    for depth in range(wanted, 0, -1):
        nodes = order[:depth]
        inner, outer = 2**depth - 1, 2**depth  # a full tree of questions, one level for each node
        ways = np.array([[2 * q + 1, 2 * q + 2] for q in range(inner)], np.int32)
        ways = np.where(ways >= inner, inner - 1 - ways, ways).astype(np.int32)
        asked = nodes[np.log2(np.arange(1, inner + 1)).astype(np.int64)]
        splits = Splits(leaves, tree.hierarchy.first[asked], tree.hierarchy.last[asked], ways)
        sizes = engine.count(PartSizes(column, splits), [column]).column("records").to_pylist()
        if len(sizes) <= outer and min(sizes, default=0) >= 4 * least:
            return splits
    nothing = np.empty(0, np.int32)
    return Splits(leaves, nothing, nothing, np.empty((0, 2), np.int32))


def _joined(blocks: Splits, lines: list[dict[str, Any]], hierarchy: Hierarchy) -> Parts:
    """The questions of every block take the place of an end of the tree of blocks."""
    first, last, ways = [blocks.first], [blocks.last], [blocks.ways]
    cuts: list[NDArray[np.int32]] = []
    begins: dict[int, int] = {}  # block → where its records go on: a question, or -1 - part
    questions = len(blocks.first)
    for row in lines:
        own = np.array(row["ways"], np.int32).reshape(-1, 2)
        begins[row["block"]] = questions if len(own) else -1 - len(cuts)
        nodes = np.array(row["questions"], np.int64)
        first.append(hierarchy.first[nodes])
        last.append(hierarchy.last[nodes])
        ways.append(np.where(own >= 0, own + questions, own - len(cuts)).astype(np.int32))
        cuts.extend(np.array(row["cut"], np.int32).reshape(-1, hierarchy.leaf_count))
        questions += len(own)
    ends = [[begins.get(-1 - way, -1) if way < 0 else way for way in pair] for pair in blocks.ways.tolist()]
    ways[0] = np.array(ends, np.int32).reshape(-1, 2)
    splits = Splits(blocks.leaves, np.concatenate(first), np.concatenate(last), np.concatenate(ways))
    return Parts(splits, np.stack(cuts), sum(row["cost"] for row in lines))


def _codes(column: pa.ChunkedArray) -> NDArray[np.int32]:
    """-1 for a hidden value."""
    codes: NDArray[np.int32] = known_texts(column).dictionary_encode().indices.fill_null(-1).to_numpy()
    return codes.astype(np.int32)
