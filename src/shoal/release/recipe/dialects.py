"""The dialect of each kind of data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.release.kinds.mixed.dialect import MixedDialect
from shoal.release.kinds.sets.dialect import SetDialect
from shoal.release.kinds.tables.dialect import TableDialect
from shoal.release.kinds.trees.dialect import TreeDialect

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.release.recipe.dialect import Dialect

DIALECTS: Mapping[str, Dialect] = {
    "tables": TableDialect(),
    "sets": SetDialect(),
    "mixed": MixedDialect(),
    "trees": TreeDialect(),
}
