"""The kinds of data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.release.kinds.mixed.kind import Mixed
from shoal.release.kinds.sets.kind import Sets
from shoal.release.kinds.tables.kind import Tables
from shoal.release.kinds.trees.kind import Trees

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.release.kinds.kind import Kind

KINDS: Mapping[str, Kind] = {"tables": Tables(), "sets": Sets(), "mixed": Mixed(), "trees": Trees()}
