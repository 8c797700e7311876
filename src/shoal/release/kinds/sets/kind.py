"""Sets of items, on the way from a recipe to a release.

Imports lie in the functions: a recipe can be proposed without loading what describes a release.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from shoal.attacks.attack import Todo
    from shoal.data.schema import Column, Schema
    from shoal.engines.engine import Engine
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.io.publishing.drafts import AnyDraft
    from shoal.methods.method import Decision, Listener
    from shoal.methods.sets.problem import SetProblem
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


class Sets:
    """Each record is a set of items."""

    @property
    def example(self) -> Example:
        """Baskets."""
        from shoal.release.kinds.sets.example import EXAMPLE

        return EXAMPLE

    def promise(self, private: Sequence[str]) -> list[str]:
        """k-matching, which needs no hierarchy; how to choose another stands above it."""
        from shoal.release.kinds.sets.suggest import promise

        return promise(private)

    def promises(self, wanted: Wanted) -> list[dict[str, Any]]:
        """As the guarantees of a recipe."""
        from shoal.release.kinds.sets.suggest import promises

        return promises(wanted)

    def treatment(self, column: Column, hierarchies: Mapping[str, Hierarchy], recipe: Recipe) -> str:
        """Labels of a hierarchy, or base sets where there is none."""
        return "items shown as labels" if column.name in hierarchies else "shown as base sets, with what may differ"

    def lattice(self, hierarchies: Mapping[str, Hierarchy]) -> int:
        """None is searched."""
        return 0

    @property
    def combinations(self) -> str:
        """That a person holds."""
        return "items"

    def assess(self, engine: Engine, schema: Schema, asked: Asked) -> AnyAssessment:
        """Of the data that the engine has loaded."""
        from shoal.release.kinds.sets.assess import assess

        return assess(engine, schema, asked)

    def assess_release(
        self, data: Any, schema: Schema, asked: Asked, counting: Callable[[], None]
    ) -> AnyAssessment | None:
        """An engine reads it as it reads data."""
        return None

    def attacks(self, engine: Engine, schema: Schema, asked: Asked) -> Todo:
        """On the release that the engine has loaded."""
        from shoal.release.kinds.sets.attack import attacks

        return attacks(engine, schema, asked)

    def attacks_on_release(self, data: Any, schema: Schema, asked: Asked) -> Todo | None:
        """An engine reads it as it reads data."""
        return None

    def problem(self, recipe: Recipe, hierarchies: Hierarchies) -> SetProblem:
        """What is shown of the items."""
        from shoal.methods.sets.problem import SetProblem

        return SetProblem(hierarchies.quasi, hierarchies.sensitive, recipe.guarantees)

    def rules(self, decision: Decision) -> Mapping[str, Any] | None:
        """The verifier needs none."""
        return None

    def floor(self, task: Task, decision: Decision, listener: Listener) -> float | None:
        """None is known."""
        return None

    def follow(self, task: Task, decision: Decision, person: str | None, key: bytes) -> Followed | str | None:
        """By the labels of their items, or the class that shows one base set."""
        from shoal.release.kinds.sets.follow import follow

        return follow(task, decision, person, key)

    @property
    def in_classes(self) -> bool:
        """Records share parts of what they show."""
        return False

    @property
    def compared(self) -> tuple[str, ...]:
        """Those for every promise."""
        return ("apriori", "nonreciprocal", "cahd")

    def measure(self, task: Task, decision: Decision) -> Mapping[ComparedLoss, float]:
        """What a method decided, by every loss."""
        from shoal.release.kinds.sets.losses import measure

        return measure(task, decision)

    def describe(self, task: Task, product: Product, floor: float | None) -> Described:
        """All that is said of a release."""
        from shoal.release.kinds.sets.describe import describe_sets

        return describe_sets(task.plan, task.engine, product.decision, product.written, product.verdict)

    def write_beside(self, draft: AnyDraft, plan: Plan, records: int) -> Mapping[str, str]:
        """There is one form only."""
        return {}
