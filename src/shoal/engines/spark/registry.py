"""What there is on this engine for each kind of data, and for each recoding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.engines.spark.apply import clusters, groups, items, levels, matching, trees
from shoal.engines.spark.load import columns as load_columns
from shoal.engines.spark.load import trees as load_trees
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
    from shoal.engines.spark.frames import Loaded
    from shoal.engines.spark.jobs import Jobs
    from shoal.engines.spark.release import Outcome
    from shoal.io.source import Source

# Each leaves the table `tuples` in the driver's connection, as the local engine does.
LOAD: Mapping[Kind, Callable[[Jobs, Connection, Source, Schema], Loaded]] = {
    "tables": load_columns.load,
    "sets": load_columns.load,
    "mixed": load_columns.load,
    "trees": load_trees.load,
}

APPLY: Mapping[type, Callable[[Jobs, Connection, Schema, Loaded, Any], Outcome]] = {
    LevelRecoding: levels.apply,
    GroupRecoding: groups.apply,
    ItemRecoding: items.apply,
    MatchingRecoding: matching.apply,
    MixedRecoding: clusters.apply,
    TreeRecoding: trees.apply,
    TreeClassRecoding: trees.apply,
}


def load(jobs: Jobs, con: Connection, source: Source, schema: Schema) -> Loaded:
    """The records of a source."""
    return LOAD[schema.kind](jobs, con, source, schema)


def apply(jobs: Jobs, con: Connection, schema: Schema, loaded: Loaded, recoding: Recoding) -> Outcome:
    """Recode all records."""
    return APPLY[type(recoding)](jobs, con, schema, loaded, recoding)
