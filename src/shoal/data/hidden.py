"""Sensitive values that a reader of the release takes for hidden: missing, blank, or `*`.

Such a value may stand for any, so it counts as no value of its own. Whoever decides has to count as the verifier does, or decides
what is then refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.lookalikes import appearance
from shoal.data.text import text_array

if TYPE_CHECKING:
    from collections.abc import Mapping


def is_hidden(text: str | None) -> bool:
    """Whether a reader sees no value in it: missing, blank, or a star."""
    return text is None or appearance(text) in ("", "*")


def known_counts(counts: Mapping[str | None, int]) -> tuple[dict[str, int], int]:
    """How many records have each value that is known, and how many have a hidden one."""
    known = {value: count for value, count in counts.items() if value is not None and not is_hidden(value)}
    return known, sum(counts.values()) - sum(known.values())


def known_texts(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """The texts of a sensitive column, null where they are hidden."""
    if isinstance(column, pa.ChunkedArray):
        return pa.concat_arrays([pa.array([], pa.string()), *map(known_texts, column.chunks)])
    encoded = text_array(column).cast(pa.string()).dictionary_encode()
    known = [None if is_hidden(text) else text for text in encoded.dictionary.to_pylist()]
    return pc.take(pa.array(known, pa.string()), encoded.indices)
