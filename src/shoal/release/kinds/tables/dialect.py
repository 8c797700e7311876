"""What a recipe may say of tables of single values. Most is common to all kinds: see `recipe/checking.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.data.schema import Role
from shoal.loss import LOSSES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.guarantees.guarantee import Guarantee
    from shoal.release.recipe.contents import Contents
    from shoal.release.recipe.sections import ColumnSpec


class TableDialect:
    """What a recipe may say of tables."""

    title = "tables of single values"
    leaves_out = True
    can_be_seeded = True
    can_be_unsteered = True

    @property
    def losses(self) -> tuple[str, ...]:
        """Also those that other packages add."""
        return tuple(LOSSES)

    def default_method(self, guarantees: Sequence[Guarantee]) -> str:
        """Itself a method, which tries others."""
        return "auto"

    def loss(self, contents: Contents, method: str) -> str:
        """As the recipe says."""
        return contents.loss.name

    def can_protect(self, column: ColumnSpec) -> bool:
        """A single value."""
        return column.role is Role.SENSITIVE

    def misuses(self, contents: Contents) -> list[str]:
        """Tables have no key of their own."""
        return []

    def problems(self, contents: Contents) -> list[str]:
        """Nothing that is not common to all kinds."""
        return []
