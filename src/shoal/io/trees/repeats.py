"""Whether single values that are removed from the records occur in several: then one person may have several records.

Every promise counts records, and speaks of people only where each has one. A column that names people is removed, so it must be
looked at before. Of each value 8 bytes are kept, its hash under a key of this process; values that only hash alike are too few to
matter in a warning.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from shoal.data.paths import FieldPath
from shoal.data.schema import Role
from shoal.data.text import text_array
from shoal.io.columns import unfit
from shoal.io.trees.nested import Nested

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from shoal.data.schema import Schema
    from shoal.io.trees.json_records import Line, Record

_SHOWN = 20


def removed_singles(schema: Schema | None) -> tuple[FieldPath, ...]:
    """The paths of columns that are removed and lie in no list."""
    if schema is None:
        return ()
    paths = (FieldPath.of(column.place) for column in schema if column.role is Role.IDENTIFYING)
    return tuple(path for path in paths if None not in path.parts)


class Repeats:
    """missing: texts that mean: no value."""

    def __init__(self, schema: Schema | None, missing: Collection[str] = ()) -> None:
        self._hashes = {path: array("q") for path in removed_singles(schema)}
        self._missing = frozenset({"", *missing})

    def of(self, leaves: Mapping[FieldPath, pa.DataType]) -> tuple[FieldPath, ...]:
        """Which of these leaves are counted; what has no text form is not."""
        return tuple(path for path in self._hashes if path in leaves and not unfit(leaves[path]))

    def heard(self, records: Iterable[tuple[Line, Record]]) -> Iterator[tuple[Line, Record]]:
        """The same records, looked at as they pass by."""
        for line, record in records:
            for path, hashes in self._hashes.items():
                value: Any = record
                for name in path.parts:
                    value = value.get(name) if isinstance(value, dict) else None
                if isinstance(value, str) and value not in self._missing:
                    hashes.append(hash(value))
            yield line, record

    def add(self, batches: Iterable[pa.RecordBatch], paths: Collection[FieldPath]) -> None:
        for batch in batches if paths else ():
            nested = Nested(batch)
            for path in paths:
                texts = text_array(nested.leaf(path)).to_pylist()
                self._hashes[path].extend(
                    hash(text) for text in texts if text is not None and text not in self._missing
                )

    def warnings(self) -> tuple[str, ...]:
        repeated = {path: _repeated(hashes) for path, hashes in self._hashes.items()}
        return warnings_of({str(path): number for path, number in repeated.items() if number})


def warnings_of(repeated: Mapping[str, int]) -> tuple[str, ...]:
    """One sentence for all columns, with the number of records of each."""
    if not repeated:
        return ()
    names = [f"'{name}'" for name in repeated][:_SHOWN]
    numbers = [f"{number:,}" for number in repeated.values()][:_SHOWN]
    columns = f"column {names[0]}" if len(names) == 1 else f"columns {', '.join(names)}"
    return (
        f"{columns}: {', '.join(numbers)} records have a value that another record has too. If it names a person, these people "
        "have several records, and the promise counts records.",
    )


def _repeated(hashes: array[int]) -> int:
    _, counts = np.unique(np.frombuffer(hashes, np.int64), return_counts=True)
    return int(counts[counts > 1].sum())
