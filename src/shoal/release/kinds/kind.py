"""What is asked of a kind of data on the way from a recipe to a release. One answer for each kind, in its slice.

What a recipe may say of it is asked before there is a recipe: see `recipe/dialect.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from shoal.attacks.attack import Todo
    from shoal.data.schema import Column, Schema
    from shoal.engines.engine import Engine
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.io.publishing.drafts import AnyDraft
    from shoal.methods.method import Decision, Listener, Problem
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


class Kind(Protocol):
    """A kind of data: tables, sets of items, mixed tables, or trees."""

    # ---- before there is a recipe: `shoal example`, `shoal init` -----------------------------------------------------

    @property
    def example(self) -> Example:
        """Made-up data to try shoal on."""
        ...

    def promise(self, private: Sequence[str]) -> list[str]:
        """Lines of a proposed recipe: the promise, and what goes with it. private: names of the sensitive columns."""
        ...

    def promises(self, wanted: Wanted) -> list[dict[str, Any]]:
        """What is wanted, as the guarantees of a recipe; a RecipeError says which numbers do not fit."""
        ...

    # ---- before anything is decided: `shoal plan` --------------------------------------------------------------------

    def treatment(self, column: Column, hierarchies: Mapping[str, Hierarchy], recipe: Recipe) -> str:
        """What happens to a quasi-identifier, in words. hierarchies: those that the recipe states."""
        ...

    def lattice(self, hierarchies: Mapping[str, Hierarchy]) -> int:
        """How many combinations of levels there are; 0 where none is searched."""
        ...

    # ---- the risk of data as it is: `shoal risk` ---------------------------------------------------------------------

    @property
    def combinations(self) -> str:
        """What is counted, in words: combinations of these."""
        ...

    def assess(self, engine: Engine, schema: Schema, asked: Asked) -> AnyAssessment:
        """Of the data that the engine has loaded."""
        ...

    def assess_release(
        self, data: Any, schema: Schema, asked: Asked, counting: Callable[[], None]
    ) -> AnyAssessment | None:
        """Of a release that no engine reads as it reads data; None of all else. counting: is called when all is read."""
        ...

    # ---- attacks on a release: `shoal attack` ------------------------------------------------------------------------

    def attacks(self, engine: Engine, schema: Schema, asked: Asked) -> Todo:
        """On the release that the engine has loaded."""
        ...

    def attacks_on_release(self, data: Any, schema: Schema, asked: Asked) -> Todo | None:
        """On a release that no engine reads as it reads data; None of all else."""
        ...

    # ---- a release ---------------------------------------------------------------------------------------------------

    def problem(self, recipe: Recipe, hierarchies: Hierarchies) -> Problem:
        """What a method has to decide."""
        ...

    def rules(self, decision: Decision) -> Mapping[str, Any] | None:
        """What the release says it did, where the verifier has to know that; it is checked, not believed."""
        ...

    def floor(self, task: Task, decision: Decision, listener: Listener) -> float | None:
        """The proved least that a release can lose; None where it is not known."""
        ...

    def follow(self, task: Task, decision: Decision, person: str | None, key: bytes) -> Followed | str | None:
        """Who lies where in a release, and what their records show of what may be known of them. person: the column that names
        them; key: what makes pseudonyms. A text says why they cannot be followed; None where the engine hands out no records."""
        ...

    @property
    def in_classes(self) -> bool:
        """Whether the records of a release lie in classes that look the same."""
        ...

    @property
    def compared(self) -> tuple[str, ...]:
        """The methods that are put side by side unless others are asked for."""
        ...

    def measure(self, task: Task, decision: Decision) -> Mapping[ComparedLoss, float]:
        """What a method decided, by every loss."""
        ...

    def describe(self, task: Task, product: Product, floor: float | None) -> Described:
        """All that is said of a release."""
        ...

    def write_beside(self, draft: AnyDraft, plan: Plan, records: int) -> Mapping[str, str]:
        """The same records in another form, where the recipe asks for one: file → SHA-256."""
        ...
