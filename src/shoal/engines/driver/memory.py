"""Who may have how much of the memory that a recipe allows the process.

DuckDB keeps to its own limit and spills beyond it; the rest of the process (Python, its libraries, the distinct combinations that
methods search over, pages the allocator has not given back) has no limit of its own, so it is left as much as DuckDB, and never
less than it takes with nothing to do. The engine and the verifier do not work at the same time: each may have the same share, and
the engine rests while the verifier counts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_UNITS = {"K": 1, "M": 2, "G": 3, "T": 4}
_DUCKDB = 0.5
_RESTING = 1 / 16
_REST = 600_000_000  # bytes of the process without DuckDB, with a million distinct combinations
_LEAST = 64 << 20  # below this DuckDB cannot hold the blocks it is working on


@dataclass(frozen=True)
class Shares:
    """Limits of DuckDB as it takes them; None where the recipe sets none."""

    engine: str | None = None
    resting: str | None = None  # of the engine, between its verbs
    verifier: str | None = None


def shares(memory: str | None) -> Shares:
    """
    >>> shares("4GB")
    Shares(engine='2000000000B', resting='250000000B', verifier='2000000000B')
    """
    if memory is None:
        return Shares()
    size = size_of(memory)
    working = f"{max(_LEAST, min(int(size * _DUCKDB), size - _REST))}B"
    return Shares(working, f"{max(_LEAST, int(size * _RESTING))}B", working)


def size_of(memory: str) -> int:
    """Bytes: 4GB is 4,000,000,000 and 4GiB is 4,294,967,296."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?([KMGT])(i?)B", memory)
    if match is None:
        raise ValueError(f"`memory` must be a number with a unit, such as 4GB or 512MiB; got {memory!r}.")
    number, unit, binary = match.groups()
    return int(float(number) * (1024 if binary else 1000) ** _UNITS[unit])
