"""From what a recoding says of the different records to lines: who lies in which class, and in which part."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.attacks.together.lines import Lines
from shoal.data.schema import Role
from shoal.data.text import texts
from shoal.errors import InternalError
from shoal.recoding.tables.recoded import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from shoal.data.schema import Schema
    from shoal.engines.engine import People
    from shoal.hierarchies.hierarchy import Hierarchy


def lines_of(
    line: NDArray[np.int64], classes: NDArray[np.int64], counts: NDArray[np.int64], number: int
) -> tuple[Lines, NDArray[np.int64]]:
    """From parts, each with its line, its class (or HIDDEN) and its records. number: of lines.

    Returns which of the parts those of the lines are, in their order.
    """
    shown = np.flatnonzero(classes != HIDDEN)
    shown = shown[np.argsort(line[shown], kind="stable")]
    offsets = np.searchsorted(line[shown], np.arange(number + 1)).astype(np.int64)
    people = np.bincount(line, counts, number).astype(np.int64)
    return Lines(people, offsets, classes[shown], counts[shown].astype(np.int64)), shown


def private_values(schema: Schema) -> tuple[str, ...]:
    """Names of the sensitive columns that hold single values."""
    return tuple(name for name in schema.names(Role.SENSITIVE) if name not in schema.sets)


def leaves(rows: People, columns: Sequence[str], hierarchies: Sequence[Hierarchy]) -> NDArray[np.int32]:
    """(people, columns): leaf codes. Every value is a leaf: the release could not have been made otherwise."""
    held = []
    for name, hierarchy in zip(columns, hierarchies, strict=True):
        values = rows.columns[name]
        codes = np.array([hierarchy.code(text) for text in texts(values.dictionary)], np.int32)
        held.append(codes[values.indices.to_numpy()])
    return np.stack(held, axis=1)


def row_keys(starts: NDArray[np.int64], values: NDArray[Any]) -> list[bytes]:
    """What tells each list of numbers from all others."""
    packed = np.ascontiguousarray(values, np.int64).tobytes()
    return [packed[8 * low : 8 * high] for low, high in pairwise(starts.tolist())]


def numbered(keys: Iterable[bytes]) -> dict[bytes, int]:
    """A number for each different key, in the order of their first coming."""
    numbers: dict[bytes, int] = {}
    for key in keys:
        numbers.setdefault(key, len(numbers))
    return numbers


def places_in(known: dict[bytes, int], keys: Iterable[bytes]) -> NDArray[np.int64]:
    """The number of each key. All are known: the release could not have been made otherwise."""
    try:
        return np.array([known[key] for key in keys], np.int64)
    except KeyError:
        raise InternalError("Somebody in the original is not in the release; nothing was published.") from None
