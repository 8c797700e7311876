"""Tables of single values, on the way from a recipe to a release.

Imports lie in the functions: a recipe can be proposed without loading what describes a release.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from shoal.attacks.attack import Todo
    from shoal.data.schema import Column, Schema
    from shoal.engines.engine import Engine
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.io.publishing.drafts import AnyDraft
    from shoal.methods.method import Decision, Listener
    from shoal.methods.tables.problem import TableProblem
    from shoal.release.kinds.asked import Asked
    from shoal.release.kinds.example import Example
    from shoal.release.kinds.wanted import Wanted
    from shoal.release.ledger.people import Followed
    from shoal.release.plan import Hierarchies, Plan
    from shoal.release.recipe.recipe import Recipe
    from shoal.release.sidecars import Described
    from shoal.release.task import Product, Task
    from shoal.report.comparing.facts import ComparedLoss
    from shoal.report.kinds import AnyAssessment


class Tables:
    """Tables of single values."""

    @property
    def example(self) -> Example:
        """Patients with one diagnosis each."""
        from shoal.release.kinds.tables.example import EXAMPLE

        return EXAMPLE

    def promise(self, private: Sequence[str]) -> list[str]:
        """k-anonymity, with l-diversity for every private fact."""
        from shoal.release.kinds.tables.suggest import promise

        return promise(private)

    def promises(self, wanted: Wanted) -> list[dict[str, Any]]:
        """As the guarantees of a recipe."""
        from shoal.release.kinds.tables.suggest import promises

        return promises(wanted)

    def treatment(self, column: Column, hierarchies: Mapping[str, Hierarchy], recipe: Recipe) -> str:
        """Every one alike."""
        return "blurred as far as the promise needs"

    def lattice(self, hierarchies: Mapping[str, Hierarchy]) -> int:
        """One level of each column."""
        return math.prod(hierarchy.height + 1 for hierarchy in hierarchies.values())

    @property
    def combinations(self) -> str:
        """Of quasi-identifiers."""
        return "columns"

    def assess(self, engine: Engine, schema: Schema, asked: Asked) -> AnyAssessment:
        """Of the data that the engine has loaded."""
        from shoal.release.kinds.tables.assess import assess

        return assess(engine, schema, asked)

    def assess_release(
        self, data: Any, schema: Schema, asked: Asked, counting: Callable[[], None]
    ) -> AnyAssessment | None:
        """An engine reads it as it reads data."""
        return None

    def attacks(self, engine: Engine, schema: Schema, asked: Asked) -> Todo:
        """On the release that the engine has loaded."""
        from shoal.release.kinds.tables.attack import attacks

        return attacks(engine, schema, asked)

    def attacks_on_release(self, data: Any, schema: Schema, asked: Asked) -> Todo | None:
        """An engine reads it as it reads data."""
        return None

    def problem(self, recipe: Recipe, hierarchies: Hierarchies) -> TableProblem:
        """Which values each class of records shows, and which records are left out."""
        from shoal.loss import loss_from
        from shoal.methods.tables.problem import TableProblem

        return TableProblem(
            hierarchies=hierarchies.quasi,
            sensitive=hierarchies.sensitive,
            guarantees=recipe.guarantees,
            loss=loss_from(recipe.loss.name, recipe.loss.column),
            weights=recipe.loss.weights,
            suppression=recipe.suppression_limit,
            stated=frozenset(name for name, spec in recipe.columns.items() if spec.states_its_values),
        )

    def rules(self, decision: Decision) -> Mapping[str, Any] | None:
        """The verifier needs none."""
        return None

    def floor(self, task: Task, decision: Decision, listener: Listener) -> float | None:
        """Of releases along the hierarchies."""
        from shoal.release.kinds.tables.bound import floor_loss

        return floor_loss(task.engine, task.problem, decision, listener)

    def follow(self, task: Task, decision: Decision, person: str | None, key: bytes) -> Followed | str | None:
        """Into the class of their quasi-identifiers, or the several that such records were dealt out to."""
        from shoal.release.kinds.tables.follow import follow

        return follow(task, decision, person, key)

    @property
    def in_classes(self) -> bool:
        """With the same quasi-identifiers."""
        return True

    @property
    def compared(self) -> tuple[str, ...]:
        """All but those that make a list of releases."""
        return ("optimal", "mstk", "mondrian", "incognito", "cluster", "auto")

    def measure(self, task: Task, decision: Decision) -> Mapping[ComparedLoss, float]:
        """What a method decided, by every loss."""
        from shoal.release.kinds.tables.losses import measure

        return measure(task, decision)

    def describe(self, task: Task, product: Product, floor: float | None) -> Described:
        """All that is said of a release."""
        from shoal.release.kinds.tables.describe import describe

        return describe(
            task.plan, task.engine, task.hierarchies, product.decision, product.written, product.verdict, floor=floor
        )

    def write_beside(self, draft: AnyDraft, plan: Plan, records: int) -> Mapping[str, str]:
        """There is one form only."""
        return {}
