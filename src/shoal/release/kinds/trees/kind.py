"""Trees, on the way from a recipe to a release.

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
    from shoal.methods.trees.problem import TreeProblem
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


class Trees:
    """Each record is a tree of nodes."""

    @property
    def example(self) -> Example:
        """Visits with diagnoses with treatments."""
        from shoal.release.kinds.trees.example import EXAMPLE

        return EXAMPLE

    def promise(self, private: Sequence[str]) -> list[str]:
        """k^(m,n)-anonymity, with diversity for every private fact."""
        from shoal.release.kinds.trees.suggest import promise

        return promise(private)

    def promises(self, wanted: Wanted) -> list[dict[str, Any]]:
        """As the guarantees of a recipe."""
        from shoal.release.kinds.trees.suggest import promises

        return promises(wanted)

    def treatment(self, column: Column, hierarchies: Mapping[str, Hierarchy], recipe: Recipe) -> str:
        """Every class of nodes alike."""
        below = f"nodes below '{column.parent}'" if column.parent else "nodes below the record"
        return f"{below}, shown as labels, left out or kept apart as far as the promise needs"

    def lattice(self, hierarchies: Mapping[str, Hierarchy]) -> int:
        """None is searched."""
        return 0

    @property
    def combinations(self) -> str:
        """Of nodes, wherever they hang."""
        return "values"

    def assess(self, engine: Engine, schema: Schema, asked: Asked) -> AnyAssessment:
        """Of the data that the engine has loaded."""
        from shoal.release.kinds.trees.assess import assess

        return assess(engine, schema, asked)

    def assess_release(
        self, data: Any, schema: Schema, asked: Asked, counting: Callable[[], None]
    ) -> AnyAssessment | None:
        """Published trees are read as they lie there."""
        from shoal.release.kinds.trees.assess import assess_release

        return assess_release(data, schema, asked, counting)

    def attacks(self, engine: Engine, schema: Schema, asked: Asked) -> Todo:
        """On the release that the engine has loaded."""
        from shoal.release.kinds.trees.attack import attacks

        return attacks(engine, schema, asked)

    def attacks_on_release(self, data: Any, schema: Schema, asked: Asked) -> Todo | None:
        """Published trees are read as they lie there."""
        from shoal.release.kinds.trees.attack import attacks_on_release

        return attacks_on_release(data, schema, asked)

    def problem(self, recipe: Recipe, hierarchies: Hierarchies) -> TreeProblem:
        """Which labels nodes show, and which are kept apart."""
        from shoal.methods.trees.problem import TreeProblem

        return TreeProblem(
            hierarchies=hierarchies.quasi,
            sensitive=hierarchies.sensitive,
            guarantees=recipe.guarantees,
            shape=recipe.schema_.shape,
            negated=recipe.schema_.negated,
        )

    def rules(self, decision: Decision) -> Mapping[str, Any] | None:
        """Labels and pairs kept apart; classes that show one tree have an assignment instead."""
        from shoal.recoding.trees.rules import TreeRecoding

        return decision.recoding.to_json() if isinstance(decision.recoding, TreeRecoding) else None

    def floor(self, task: Task, decision: Decision, listener: Listener) -> float | None:
        """None is known."""
        return None

    def follow(self, task: Task, decision: Decision, person: str | None, key: bytes) -> Followed | str | None:
        """By the labels that their trees show and how these hang together, or the class that shows one tree."""
        from shoal.release.kinds.trees.follow import follow

        return follow(task, decision, person, key)

    @property
    def in_classes(self) -> bool:
        """Records share parts of what they show."""
        return False

    @property
    def compared(self) -> tuple[str, ...]:
        """All but the search through all cuts, which takes long."""
        return ("inplace", "ocs", "gcs", "tree-cluster")

    def measure(self, task: Task, decision: Decision) -> Mapping[ComparedLoss, float]:
        """What a method decided, by every loss."""
        from shoal.release.kinds.trees.losses import measure

        return measure(task, decision)

    def describe(self, task: Task, product: Product, floor: float | None) -> Described:
        """All that is said of a release."""
        from shoal.release.kinds.trees.describe import describe_trees

        return describe_trees(
            task.plan, task.engine, task.hierarchies, product.decision, product.written, product.verdict
        )

    def write_beside(self, draft: AnyDraft, plan: Plan, records: int) -> Mapping[str, str]:
        """A table for each class of nodes."""
        from shoal.release.kinds.trees.flat import write_flat

        return write_flat(draft, plan, records)
