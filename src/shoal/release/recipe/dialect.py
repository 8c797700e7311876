"""Recipes of each kind of data have keys, losses and methods of their own: a dialect, one in each slice of `release/kinds`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.guarantees.guarantee import Guarantee
    from shoal.release.recipe.contents import Contents
    from shoal.release.recipe.sections import ColumnSpec


class Dialect(Protocol):
    """What a recipe may say of one kind of data."""

    @property
    def title(self) -> str:
        """The data, in a message: "sets of items"."""
        ...

    @property
    def losses(self) -> Sequence[str]:
        """Names of the losses that can be made small, the usual one first."""
        ...

    @property
    def leaves_out(self) -> bool:
        """Whether records may be left out of a release, as `[suppression] limit` says."""
        ...

    @property
    def can_be_seeded(self) -> bool:
        """Whether `seed` fixes all that is drawn at random."""
        ...

    @property
    def can_be_unsteered(self) -> bool:
        """Whether classes can be decided by the quasi-identifiers alone, as `[method] minimality` asks."""
        ...

    def default_method(self, guarantees: Sequence[Guarantee]) -> str:
        """The method that "auto" stands for."""
        ...

    def loss(self, contents: Contents, method: str) -> str:
        """Name of the loss that the method makes small."""
        ...

    def can_protect(self, column: ColumnSpec) -> bool:
        """Whether a guarantee of this kind may name the column as its sensitive one."""
        ...

    def misuses(self, contents: Contents) -> list[str]:
        """Keys that only this kind has, and that are wrong where they stand. Asked of every recipe, whatever its kind."""
        ...

    def problems(self, contents: Contents) -> list[str]:
        """What else is wrong with a recipe of this kind."""
        ...
