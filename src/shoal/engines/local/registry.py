"""What there is on this engine for each kind of data, and for each recoding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.engines.local.apply import clusters, groups, items, levels, matching, trees
from shoal.engines.local.load import columns as load_columns
from shoal.engines.local.load import trees as load_trees
from shoal.recoding.mixed.clusters import MixedRecoding
from shoal.recoding.sets.items import ItemRecoding
from shoal.recoding.sets.matching import MatchingRecoding
from shoal.recoding.tables.groups import GroupRecoding
from shoal.recoding.tables.levels import LevelRecoding
from shoal.recoding.trees.classes import TreeClassRecoding
from shoal.recoding.trees.rules import TreeRecoding

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from shoal.data.schema import Kind, Schema
    from shoal.engines.driver.connection import Connection
    from shoal.engines.engine import Recoding
    from shoal.engines.local.loaded import Loaded
    from shoal.engines.local.release import Release
    from shoal.io.source import Source

# Each leaves the relations `data` and `numbered`.
LOAD: Mapping[Kind, Callable[[Connection, Source, Schema], Loaded]] = {
    "tables": load_columns.load,
    "sets": load_columns.load,
    "mixed": load_columns.load,
    "trees": load_trees.load,
}

# Each leaves the table `release`.
APPLY: Mapping[type, Callable[[Connection, Schema, Loaded, Any], Release]] = {
    LevelRecoding: levels.apply,
    GroupRecoding: groups.apply,
    ItemRecoding: items.apply,
    MatchingRecoding: matching.apply,
    MixedRecoding: clusters.apply,
    TreeRecoding: trees.apply,
    TreeClassRecoding: trees.apply,
}


def load(con: Connection, source: Source, schema: Schema) -> Loaded:
    """The records of a source."""
    return LOAD[schema.kind](con, source, schema)


def apply(con: Connection, schema: Schema, loaded: Loaded, recoding: Recoding) -> Release:
    """Recode all records."""
    return APPLY[type(recoding)](con, schema, loaded, recoding)
