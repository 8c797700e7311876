"""What a package that adds methods, losses or guarantees to shoal may build on.

These names and what they do stay the same within a major version; everything else of shoal may change.
`docs/how-to/write-a-plugin.md` goes through an example.
"""

from __future__ import annotations

from shoal.data.frequency import FrequencySet, SensitiveCounts
from shoal.errors import Infeasible, RecipeError
from shoal.guarantees.guarantee import ClassCounts, Histogram
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.loss.loss import CellLoss
from shoal.methods.keys import key_problems
from shoal.methods.method import Decision, Listener, Problem, Progress
from shoal.methods.tables.added.table import Table
from shoal.methods.tables.problem import TableProblem
from shoal.recoding.tables.recoded import Recoded, ShownValues

__all__ = [
    "CellLoss",
    "ClassCounts",
    "Decision",
    "FrequencySet",
    "Hierarchy",
    "Histogram",
    "Infeasible",
    "Listener",
    "Problem",
    "Progress",
    "RecipeError",
    "Recoded",
    "SensitiveCounts",
    "ShownValues",
    "Table",
    "TableProblem",
    "key_problems",
]
