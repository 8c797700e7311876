"""Published trees written down as paths, for tests: `clinic=north/diagnosis=asthma`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.verifier.schema import Column, Role, Schema

if TYPE_CHECKING:
    from pathlib import Path


def node(name: str, path: str = "", parent: str | None = None, missing: tuple[str, ...] = ()) -> Column:
    return Column(name, Role.QUASI, "node", path=path, parent=parent, missing=missing)


def single(name: str, path: str = "", missing: tuple[str, ...] = ()) -> Column:
    return Column(name, Role.PLAIN, path=path, missing=missing)


def schema(*columns: Column) -> Schema:
    return Schema(columns)


def paths(trees: pa.Table | Path) -> list[set[str]]:
    """By record, the paths to all its nodes. A node twice below the same node is told as one of its own."""
    table = trees if isinstance(trees, pa.Table) else pq.read_table(trees)
    return [
        set(_paths({name: value for name, value in row.items() if isinstance(value, list)}, ""))
        for row in table.to_pylist()
    ]


def _paths(lists: dict[str, Any], above: str) -> list[str]:
    found: list[str] = []
    for name, nodes in lists.items():
        for one in nodes or []:
            path = f"{above}{name}={one['value']}"
            found.append(f"{path} again" if path in found else path)
            found += _paths({key: value for key, value in one.items() if key != "value"}, f"{path}/")
    return found


def singles(trees: pa.Table | Path, name: str) -> list[Any]:
    table = trees if isinstance(trees, pa.Table) else pq.read_table(trees)
    return list(table.column(name).to_pylist())
