"""What has to be decided about a table, and what was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.errors import InternalError
from shoal.methods.method import Problem
from shoal.recoding.tables.groups import GroupRecoding
from shoal.recoding.tables.levels import LevelRecoding

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from shoal.loss.loss import CellLoss, ClassLoss
    from shoal.methods.method import Decision


@dataclass(frozen=True, eq=False)
class TableProblem(Problem):
    """Which values each class of records shows, and which records are left out."""

    loss: CellLoss | ClassLoss
    weights: Mapping[str, float]
    suppression: Fraction  # of the records
    stated: frozenset[str] = frozenset()  # columns whose raw values are named by a file or the recipe, not by the data
    whole: bool = False  # records with the same quasi-identifiers stay in one class


def table_recoding(decision: Decision) -> LevelRecoding | GroupRecoding:
    """The recoding of a decision about a table."""
    if not isinstance(decision.recoding, LevelRecoding | GroupRecoding):
        raise InternalError("A recoding of item sets or trees was taken for one of a table.")
    return decision.recoding
