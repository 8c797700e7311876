"""What a result was worked out from: as long as that part of a recipe stays, the result holds, whatever else is changed."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_DATA = ("input", "columns", "missing", "engine")
_TOLD = ("suggested", "reason", "accept_unique")  # of a column: what changes no figure


def risk_basis(values: Mapping[str, Any]) -> str:
    """Of the risk of the data as it is: the data, and what is compared with."""
    context = values.get("context")
    threshold = context.get("threshold") if isinstance(context, dict) else None
    return _digest(_data(values), values.get("guarantee"), threshold)


def search_basis(values: Mapping[str, Any], *, method: bool) -> str:
    """Of a search over k: all that decides a release but k itself. method: whether the method of the recipe is among that."""
    promises = values.get("guarantee")
    others = [_but(one, ("k",)) for one in promises] if isinstance(promises, list) else promises
    return _digest(
        _data(values),
        others,
        [values.get("loss"), values.get("suppression")],
        values.get("method") if method else None,
    )


def _data(values: Mapping[str, Any]) -> Any:
    columns = values.get("columns")
    told = {name: _but(entry, _TOLD) for name, entry in columns.items()} if isinstance(columns, dict) else columns
    return [*(values.get(key) for key in _DATA if key != "columns"), told]


def _but(entry: Any, keys: Collection[str]) -> Any:
    return {key: value for key, value in entry.items() if key not in keys} if isinstance(entry, dict) else entry


def _digest(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:16]
