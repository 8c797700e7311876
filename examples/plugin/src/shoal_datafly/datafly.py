"""Datafly (Sweeney 1997): while too many records stand out, the column with the most different values is blurred one level more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from shoal.extend import Decision, Infeasible, Listener, Progress, Table, TableProblem, key_problems


class Datafly:
    """One level for each column, found greedily; what still stands out is left out, if the recipe allows it."""

    name: ClassVar[str] = "datafly"
    kind: ClassVar[str] = "tables"
    title: ClassVar[str] = "Datafly, greedy full-domain generalization"
    keys: ClassVar[Mapping[str, str]] = {}

    def problems(self, options: Mapping[str, Any]) -> list[str]:
        return key_problems(self.name, self.keys, options)

    def decide(self, engine: Any, problem: TableProblem, listener: Listener, **options: Any) -> Decision:
        table = Table(engine, problem, listener)
        levels = [0] * len(table.columns)
        while (broken := table.broken(levels)) > table.limit:
            listener(Progress("search", f"{broken:,} records stand out"))
            shown = table.distinct(levels)
            open_ = [c for c, level in enumerate(levels) if level < table.heights[c]]
            if not open_:
                raise Infeasible("Even with every column at its top level a promise is broken. Ask for less.")
            levels[max(open_, key=lambda c: shown[c])] += 1  # the first of equals
        return table.at_levels(levels)
