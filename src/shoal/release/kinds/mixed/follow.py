"""Follow the people of a mixed table into its classes, and by the labels that these show of their items.

Whoever has the same single values and the same items is of the same line. All single values are known, and some of the items; those
that are declared sensitive are not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.attacks.together.crowds import Sight
from shoal.attacks.together.marks import NONE, Marks, Ragged
from shoal.errors import InternalError
from shoal.recoding.mixed.clusters import MixedRecoding
from shoal.release.ledger.people import Followed, things_named
from shoal.release.ledger.tuples import leaves, lines_of, numbered, places_in, private_values, row_keys

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from shoal.data.schema import Schema
    from shoal.engines.engine import People
    from shoal.methods.method import Decision
    from shoal.release.task import Task


def follow(task: Task, decision: Decision, person: str | None, key: bytes) -> Followed | None:
    """Into the classes of the recoding."""
    recoding = decision.recoding
    if not isinstance(recoding, MixedRecoding):
        raise InternalError("A recoding of another kind of data was taken for one of a mixed table.")
    recoded, columns = recoding.groups.recoded, recoding.groups.columns
    private = private_values(task.plan.schema)
    rows = task.engine.people((*columns, *private), person)
    if rows is None:
        return None
    parts = _keys(recoded.codes, recoding.sets.offsets, recoding.sets.items)
    starts, items = _items(recoding, rows, task.plan.schema)
    known = numbered(parts)
    line = places_in(known, _keys(leaves(rows, columns, recoded.hierarchies), starts, items))
    lines, order = lines_of(places_in(known, parts), recoded.classes.astype(np.int64), recoded.counts, len(known))
    held = Ragged(recoding.sets.offsets, recoding.sets.items.astype(np.int64))
    shown = Ragged(recoding.sets.offsets, recoding.label_numbers.astype(np.int64))  # LEFT_OUT is NONE
    _, first = np.unique(places_in(known, parts), return_index=True)
    marks = Marks(
        _names(recoding, key),
        held.take(first.astype(np.int64)),
        shown.take(order),
        Ragged.empty(len(order)),
        np.full(len(known), NONE, np.int64),
    )
    return Followed.of(rows, key, private, line, Sight(lines, marks))


def _keys(codes: NDArray[np.int32], starts: NDArray[np.int64], items: NDArray[np.int32]) -> list[bytes]:
    """Of single values and items together. All records have as many single values."""
    width = codes.shape[1]
    values = row_keys(np.arange(len(codes) + 1, dtype=np.int64) * width, codes.reshape(-1))
    return [one + two for one, two in zip(values, row_keys(starts, items), strict=True)]


def _items(recoding: MixedRecoding, rows: People, schema: Schema) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Of each person the items that are not sensitive, by the codes of the recoding, ascending."""
    owners, codes = [], []
    for number, column in enumerate(recoding.columns):
        start, vocabulary = recoding.vocabulary(number)
        sensitive = frozenset(schema.sensitive_items(column))
        place = {text: start + at for at, text in enumerate(vocabulary.to_pylist()) if text not in sensitive}
        sets = rows.sets[column]
        code_of = np.array([place.get(text, NONE) for text in sets.vocabulary.to_pylist()], np.int64)
        mine = code_of[sets.items]
        owners.append(sets.rows[mine != NONE])
        codes.append(mine[mine != NONE])
    people = len(rows.sets[recoding.columns[0]])
    ragged = Ragged.of_pairs(np.concatenate(owners), np.concatenate(codes), people)
    return ragged.starts, ragged.values.astype(np.int32)


def _names(recoding: MixedRecoding, key: bytes) -> pa.Array:
    """(vocabulary,): pseudonyms of the items, by the column that they are of."""
    import pyarrow as pa

    if len(recoding.columns) == 1:
        return things_named(recoding.columns[0], recoding.sets.vocabulary.to_pylist(), key)
    found: dict[int, bytes] = {}
    for number, column in enumerate(recoding.columns):
        start, vocabulary = recoding.vocabulary(number)
        for at, name in enumerate(things_named(column, vocabulary.to_pylist(), key).to_pylist()):
            found[start + at] = name
    return pa.array([found[at] for at in range(len(recoding.sets.vocabulary))], pa.binary(16))
