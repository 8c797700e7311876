"""Trees as a stranger reads them: nested Parquet (a file, or a flat folder of files), an Arrow table, a stream, or JSON lines.

Every class of nodes is a column of lists, and each entry has `value`, a text, and a list of each class that may hang below it
(`TreeShape.under`). Lists and values are never missing, and a text is never empty. So a class cannot stand below one that it may
not stand below, or twice on a path: there is no place for it. What does not have this form is refused. In what order nodes stand
says nothing here.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.errors import DataError
from shoal.verifier.files.parquet_form import metadata_marks
from shoal.verifier.finding import counted
from shoal.verifier.source import parquet_of, refuse_doubled
from shoal.verifier.trees import strict_jsonl
from shoal.verifier.trees.gathering import Gathering
from shoal.verifier.trees.line_form import LineForm
from shoal.verifier.trees.nested import check_form, unfold
from shoal.verifier.trees.nodes import Nodes, Trees

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from shoal.verifier.trees.facts import Facts
    from shoal.verifier.trees.shape import TreeShape

_ROWS = 1 << 16  # of a Parquet file that are unfolded at once, and of all records that are looked at together


@dataclass(frozen=True, eq=False)
class Stream:
    """Records of one form that come a few at a time, once."""

    form: pa.Schema
    batches: Iterator[pa.RecordBatch]


def read_trees(view: str, data: Any, shape: TreeShape, wanted: Sequence[str]) -> Trees:
    """`view` names the data in messages, where they have no name of their own; wanted: columns of single values."""
    return _read(view, data, wanted, Nodes(shape), None)


def read_facts(
    view: str, data: Any, shape: TreeShape, wanted: Sequence[str], folder: Path | None = None
) -> tuple[Trees, Facts]:
    """The same a stretch of records after the other: the different trees, and everything else without nodes.

    folder: private, for what does not fit in memory.
    """
    nodes = Nodes(shape)
    gathering = Gathering(nodes, folder)
    trees = _read(view, data, wanted, nodes, gathering)
    facts, disordered = gathering.facts(trees.labels)
    return replace(trees, disordered=disordered), facts


def _read(view: str, data: Any, wanted: Sequence[str], nodes: Nodes, gathering: Gathering | None) -> Trees:
    if isinstance(data, Stream):
        return _batches(f"the {view}", data.form, data.batches, wanted, nodes, gathering)
    if not isinstance(data, Path):
        return _arrow(f"the {view}", _table(f"the {view}", data), wanted, nodes, gathering)
    files = parquet_of(data)
    if files is not None:
        import pyarrow as pa
        import pyarrow.parquet

        try:
            form = pa.parquet.read_schema(files.paths[0])
            read = _batches(files.what, form, _stored(files.paths), wanted, nodes, gathering)
            return replace(read, marks=metadata_marks(files.paths))
        except (pa.ArrowException, OSError):
            raise DataError(f"{files.what}: cannot be read to its end.") from None
    return _lines(data, wanted, nodes, gathering)


def _table(what: str, data: Any) -> pa.Table:
    import pyarrow as pa

    if not isinstance(data, pa.Table):
        raise DataError(f"{what}: trees are read from nested Parquet, from JSON lines or from an Arrow table.")
    return data


def _arrow(what: str, table: pa.Table, wanted: Sequence[str], nodes: Nodes, gathering: Gathering | None) -> Trees:
    return _batches(what, table.schema, iter(table.to_batches(max_chunksize=_ROWS)), wanted, nodes, gathering)


def _stored(paths: Sequence[Path]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa
    import pyarrow.parquet

    for path in paths:
        with pa.parquet.ParquetFile(path) as file:
            yield from file.iter_batches(_ROWS)


def _batches(
    what: str,
    form: pa.Schema,
    batches: Iterator[pa.RecordBatch],
    wanted: Sequence[str],
    nodes: Nodes,
    gathering: Gathering | None,
) -> Trees:
    import pyarrow as pa

    shape = nodes.shape
    refuse_doubled(what, form.names)
    classes = [name for name in shape.names if name in form.names]
    for name in classes:
        check_form(what, form.field(name).type, shape, name)
    kept = [name for name in wanted if name in form.names]
    records, taken, singles = 0, 0, []
    for batch in batches:
        if batch.schema.names != form.names:
            raise DataError(f"{what}: a part of it has other columns than the first.")
        if batch.schema.types != form.types:
            for name in classes:
                check_form(what, batch.schema.field(name).type, shape, name)
        unfold(what, batch, classes, nodes, records)
        records += batch.num_rows
        if gathering is not None and records - taken >= _ROWS:
            gathering.take(taken, records - taken)
            taken = records
        singles.append(pa.table([batch.column(name) for name in kept], kept) if kept else None)
    if gathering is not None:
        gathering.take(taken, records - taken)
    empty = pa.schema([form.field(name) for name in kept]).empty_table()
    others = pa.concat_tables([empty, *(one for one in singles if one is not None)]) if kept else empty
    return nodes.trees(what, records, form.names, others)


def _lines(path: Path, wanted: Sequence[str], nodes: Nodes, gathering: Gathering | None) -> Trees:
    import pyarrow as pa

    shape = nodes.shape
    walk, form = strict_jsonl.Walk(path.name, shape, nodes.words), LineForm(shape, wanted)
    names: dict[str, None] = {}
    singles: dict[str, list[str | None]] = {name: [] for name in wanted}
    records, taken = 0, 0
    for place, written, line in strict_jsonl.lines(path):
        for name in line:
            names[name] = None
        walk.record(place, records, line)
        for name, texts in singles.items():
            texts.append(strict_jsonl.single(path.name, place, name, line.get(name)))
        form.look(place, written, line)
        records += 1
        if gathering is not None and records - taken >= _ROWS:
            _add_walked(nodes, walk)
            gathering.take(taken, records - taken)
            walk, taken = strict_jsonl.Walk(path.name, shape, nodes.words), records
    _add_walked(nodes, walk)
    if gathering is not None:
        gathering.take(taken, records - taken)
    # a column of lists that are all empty is left out of every line, and a file without records names nothing
    there = [*names, *(name for name in shape.names if name not in names)]
    there += [name for name in wanted if not records]
    kept = [name for name in wanted if name in there]
    others = pa.table({name: pa.array(singles[name], pa.string()) for name in kept})
    return nodes.trees(path.name, records, tuple(dict.fromkeys(there)), others, form.marks())


def read_texts(what: str, texts: Sequence[str], shape: TreeShape) -> Trees:
    """Trees that stand as JSON texts in another table: text i is record i."""
    import pyarrow as pa

    nodes = Nodes(shape)
    walk = strict_jsonl.Walk(what, shape, nodes.words)
    for i, text in enumerate(texts):
        line = strict_jsonl.parsed(what, i + 1, text)
        if unknown := set(line) - set(shape.names):
            raise DataError(f"{what}: {counted(len(unknown), 'name')} in a tree that are not those of classes.")
        walk.record(i + 1, i, line)
    _add_walked(nodes, walk)
    return nodes.trees(what, len(texts), shape.names, pa.table({}))


def _add_walked(nodes: Nodes, walk: strict_jsonl.Walk) -> None:
    record, of, word, parent = (
        _numbers(one) for one in (walk.node_record, walk.node_class, walk.node_word, walk.above)
    )
    # by class, as blocks are; parents are numbered anew by where they went
    order = np.argsort(of, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(nodes.number, nodes.number + len(order))
    parent = np.where(parent < 0, -1, place[parent])
    edges = np.searchsorted(of[order], np.arange(len(nodes.shape.names) + 1))
    for number, (start, stop) in enumerate(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)):
        mine = order[start:stop]
        nodes.add(record[mine], number, word[mine], parent[mine])


def _numbers(values: array[int]) -> NDArray[np.int64]:
    return np.frombuffer(values, np.int64).copy() if len(values) else np.zeros(0, np.int64)
