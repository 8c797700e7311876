"""Original values under the names that the release gives them, by what the codebook says of each published value."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.text import text_array

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def relabelled(column: pa.ChunkedArray, entry: Mapping[str, Any] | None) -> pa.Array | None:
    """As text. entry: of the codebook, on this column. None where an original value has several names."""
    texts = plain(column)
    values = () if entry is None else entry.get("values", ())
    if not values:
        return texts  # published as it is
    if entry is None or entry.get("level") is None:
        return None
    encoded = texts.dictionary_encode()
    names = [_name(raw, values) for raw in encoded.dictionary.to_pylist()]
    return pc.take(pa.array(names, pa.large_string()), encoded.indices)


def plain(column: pa.ChunkedArray) -> pa.Array:
    """One array of texts."""
    chunks = [text_array(chunk).cast(pa.large_string()) for chunk in column.chunks]
    return pa.concat_arrays(chunks) if chunks else pa.array([], pa.large_string())


def _name(raw: str, values: Sequence[Mapping[str, Any]]) -> str:
    """A value that no published one stands for was hidden with its records; it keeps its own name."""
    for value in values:
        if value["value"] == raw or raw in value.get("members", ()) or _FORMS.get(value["kind"], _never)(raw, value):
            return str(value["value"])
    return raw


def _within(raw: str, value: Mapping[str, Any]) -> bool:
    try:
        number = float(raw)
    except ValueError:
        return False
    low, high = value.get("lower"), value.get("upper")
    below = high is None or (number < high if value.get("upper_excluded") else number <= high)
    return (low is None or number >= low) and below


def _among_days(raw: str, value: Mapping[str, Any]) -> bool:
    return bool(re.match(r"\d{4}-\d\d-\d\d", raw)) and value["lower"] <= raw[:10] <= value["upper"]


def _masked(raw: str, value: Mapping[str, Any]) -> bool:
    """The hidden signs are at one side, and the same."""
    label, hidden = value["value"], value.get("hidden") or 0
    if len(label) != len(raw) or not hidden:
        return False
    at_end = len(set(label[-hidden:])) == 1 and raw[:-hidden] == label[:-hidden]
    return at_end or (len(set(label[:hidden])) == 1 and raw[hidden:] == label[hidden:])


def _any(raw: str, value: Mapping[str, Any]) -> bool:
    return True


def _never(raw: str, value: Mapping[str, Any]) -> bool:
    return False


_FORMS = {"range": _within, "dates": _among_days, "mask": _masked, "any": _any}
