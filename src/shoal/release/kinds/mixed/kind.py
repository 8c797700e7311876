"""Mixed tables, on the way from a recipe to a release.

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
    from shoal.methods.mixed.problem import MixedProblem
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


class Mixed:
    """Records of single values and sets of items."""

    @property
    def example(self) -> Example:
        """Patients with any number of diagnoses."""
        from shoal.release.kinds.mixed.example import EXAMPLE

        return EXAMPLE

    def promise(self, private: Sequence[str]) -> list[str]:
        """(k,k^m)-anonymity, with (k,l^m)-diversity for every private fact."""
        from shoal.release.kinds.mixed.suggest import promise

        return promise(private)

    def promises(self, wanted: Wanted) -> list[dict[str, Any]]:
        """As the guarantees of a recipe."""
        from shoal.release.kinds.mixed.suggest import promises

        return promises(wanted)

    def treatment(self, column: Column, hierarchies: Mapping[str, Hierarchy], recipe: Recipe) -> str:
        """Values are blurred, items shown as one of a few."""
        if column.name not in recipe.schema_.sets:
            return "blurred as far as the promise needs"
        labels = "labels" if recipe.method.options.get("items") == "hierarchy" else "sets of items"
        kept = len(column.sensitive_items)
        return f"items shown as {labels}" + (
            f", {kept:,} sensitive {'one' if kept == 1 else 'ones'} as they are" if kept else ""
        )

    def lattice(self, hierarchies: Mapping[str, Hierarchy]) -> int:
        """None is searched."""
        return 0

    @property
    def combinations(self) -> str:
        """On both sides."""
        return "columns and items"

    def assess(self, engine: Engine, schema: Schema, asked: Asked) -> AnyAssessment:
        """Of the data that the engine has loaded."""
        from shoal.release.kinds.mixed.assess import assess

        return assess(engine, schema, asked)

    def assess_release(
        self, data: Any, schema: Schema, asked: Asked, counting: Callable[[], None]
    ) -> AnyAssessment | None:
        """An engine reads it as it reads data."""
        return None

    def attacks(self, engine: Engine, schema: Schema, asked: Asked) -> Todo:
        """On the release that the engine has loaded."""
        from shoal.release.kinds.mixed.attack import attacks

        return attacks(engine, schema, asked)

    def attacks_on_release(self, data: Any, schema: Schema, asked: Asked) -> Todo | None:
        """An engine reads it as it reads data."""
        return None

    def problem(self, recipe: Recipe, hierarchies: Hierarchies) -> MixedProblem:
        """Which values and which labels of items each class of records shows."""
        from shoal.methods.mixed.problem import MixedProblem
        from shoal.release.kinds.mixed.dialect import item_loss

        return MixedProblem(
            hierarchies=hierarchies.quasi,
            sensitive=hierarchies.sensitive,
            guarantees=recipe.guarantees,
            weights=recipe.loss.weights,
            sets={name: recipe.schema_.sensitive_items(name) for name in recipe.schema_.quasi_sets},
            item_loss=item_loss(recipe),
        )

    def rules(self, decision: Decision) -> Mapping[str, Any] | None:
        """The verifier needs none."""
        return None

    def floor(self, task: Task, decision: Decision, listener: Listener) -> float | None:
        """None is known."""
        return None

    def follow(self, task: Task, decision: Decision, person: str | None, key: bytes) -> Followed | str | None:
        """Into the class of their single values, and by the labels of their items there."""
        from shoal.release.kinds.mixed.follow import follow

        return follow(task, decision, person, key)

    @property
    def in_classes(self) -> bool:
        """With the same single values."""
        return True

    @property
    def compared(self) -> tuple[str, ...]:
        """All of them."""
        return ("rum-bound", "tum-bound", "rfirst", "tfirst")

    def measure(self, task: Task, decision: Decision) -> Mapping[ComparedLoss, float]:
        """What a method decided, by every loss."""
        from shoal.release.kinds.mixed.losses import measure

        return measure(task, decision)

    def describe(self, task: Task, product: Product, floor: float | None) -> Described:
        """All that is said of a release."""
        from shoal.release.kinds.mixed.describe import describe_mixed

        return describe_mixed(
            task.plan, task.engine, task.hierarchies, product.decision, product.written, product.verdict
        )

    def write_beside(self, draft: AnyDraft, plan: Plan, records: int) -> Mapping[str, str]:
        """There is one form only."""
        return {}
