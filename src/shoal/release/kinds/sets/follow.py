"""Follow the people behind sets of items: by the labels of their items, or into classes that show one base set.

Whoever has the same items is of the same line. Where items are shown as labels, items are what may be known, and everybody is in
one class. In a matching all items of a person are known: that is their class, or the records that may stand for their set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.attacks.together.crowds import Sight
from shoal.attacks.together.lines import Lines
from shoal.attacks.together.marks import NONE, Marks, Ragged
from shoal.data.itemsets import ItemSets
from shoal.data.text import texts
from shoal.recoding.sets.items import ItemRecoding
from shoal.recoding.sets.matching import MatchingRecoding
from shoal.release.ledger.people import Followed, things_named
from shoal.release.ledger.tuples import lines_of, numbered, places_in, private_values, row_keys

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.engines.engine import People
    from shoal.methods.method import Decision
    from shoal.release.task import Task


def follow(task: Task, decision: Decision, person: str | None, key: bytes) -> Followed | str | None:
    """By what the recoding shows."""
    (column,) = task.plan.schema.quasi
    private, recoding = private_values(task.plan.schema), decision.recoding
    rows = task.engine.people(private, person)
    if rows is None:
        return None
    if isinstance(recoding, ItemRecoding):
        line, sight = _labels(recoding, rows.sets[column], key)
    elif isinstance(recoding, MatchingRecoding):
        line, sight = _classes(recoding, rows.sets[column], rows)
    else:
        return "sets of items are shown in a way that people are not followed by"
    return Followed.of(rows, key, private, line, sight)


def _labels(recoding: ItemRecoding, sets: ItemSets, key: bytes) -> tuple[NDArray[np.int64], Sight]:
    line, different = _different(sets)
    parts = np.zeros(len(different), np.int64)
    if recoding.part_of is not None:
        batch = pa.RecordBatch.from_arrays([different.lists()], [recoding.column])
        parts = recoding.part_of(batch).to_numpy(zero_copy_only=False).astype(np.int64)
    code_of = np.array([recoding.hierarchy.code(text) for text in different.vocabulary.to_pylist()], np.int64)
    shows = recoding.nodes[parts[different.rows], code_of[different.items]].astype(np.int64)  # LEFT_OUT is NONE
    return line, _one_class(
        line, different, shows, things_named(recoding.column, different.vocabulary.to_pylist(), key)
    )


def _one_class(line: NDArray[np.int64], sets: ItemSets, shows: NDArray[np.int64], names: pa.Array) -> Sight:
    number = len(sets)
    people = np.bincount(line, minlength=number).astype(np.int64)
    lines = Lines(people, np.arange(number + 1, dtype=np.int64), np.zeros(number, np.int64), people)
    things = Ragged(sets.offsets, sets.items.astype(np.int64))
    none = np.full(number, NONE, np.int64)
    return Sight(lines, Marks(names, things, Ragged(sets.offsets, shows), Ragged.empty(number), none))


def _classes(recoding: MatchingRecoding, sets: ItemSets, rows: People) -> tuple[NDArray[np.int64], Sight]:
    originals = row_keys(recoding.sets.offsets, _codes(recoding.sets, sets.vocabulary))
    held = row_keys(sets.offsets, sets.items)
    if recoding.label is not None and recoding.labels is not None:
        values = rows.columns[recoding.label]
        labels = [_marked(text) for text in texts(values.dictionary)]
        held = [one + labels[at] for one, at in zip(held, values.indices.to_pylist(), strict=True)]
        mine = [_marked(text) for text in recoding.labels.to_pylist()]
        originals = [one + label for one, label in zip(originals, mine, strict=True)]
    line = places_in(numbered(originals), held)
    members = recoding.members
    lines, order = lines_of(members.sets, members.classes, members.counts, len(recoding.sets))
    if recoding.edges is None:
        return line, Sight(lines)
    edges = Ragged.of_pairs(recoding.edges.classes, recoding.edges.sets, len(recoding.base))
    parts, number = len(order), len(recoding.sets)
    none = pa.array([], pa.binary(16))
    marks = Marks(
        none,
        Ragged.empty(number),
        Ragged.empty(parts),
        edges.take(members.classes[order]),
        np.arange(number, dtype=np.int64),
    )
    together = Lines(lines.people, lines.offsets, np.zeros(parts, np.int64), lines.records)
    return line, Sight(together, marks)


def _different(sets: ItemSets) -> tuple[NDArray[np.int64], ItemSets]:
    """The number of each record's set, and the different sets."""
    keys = row_keys(sets.offsets, sets.items)
    known = numbered(keys)
    line = places_in(known, keys)
    _, first = np.unique(line, return_index=True)
    return line, sets.take(first.astype(np.int64))


def _codes(sets: ItemSets, vocabulary: pa.Array) -> NDArray[np.int64]:
    """The items by their places in another vocabulary, ascending in each record."""
    place = {text: number for number, text in enumerate(vocabulary.to_pylist())}
    code_of = np.array([place.get(text, NONE) for text in sets.vocabulary.to_pylist()], np.int64)
    codes = code_of[sets.items]
    return codes[np.lexsort((codes, sets.rows))]


def _marked(text: str | None) -> bytes:
    """A label behind a set; a missing one is none that is there."""
    return b"|" if text is None else b"|=" + text.encode()
