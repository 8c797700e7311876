"""What a recipe may say of a mixed table: its quasi columns are both, single values and sets of items.

Several columns of sets count as one: an item of the column NAME is `NAME:item` there (footnote 1 of the paper behind
`guarantees/k_km_anonymity.py`). In the release each stays a column of its own.
"""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

from shoal.data.schema import Role
from shoal.loss.mixed.release import ItemsNCP, ItemsUL, TableNCP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.guarantees.guarantee import Guarantee
    from shoal.release.recipe.contents import Contents
    from shoal.release.recipe.sections import ColumnSpec

_METHOD = "rum-bound"  # that of the method "auto"
_LOSSES = (ItemsNCP.name, ItemsUL.name)  # of the items; that of the single values is always NCP
_LOW_FOR_VALUES = ("tum-bound", "tfirst")  # methods that keep the loss of the single values low


class MixedDialect:
    """What a recipe may say of mixed tables."""

    title = "mixed tables"
    losses = _LOSSES
    leaves_out = False
    can_be_seeded = False
    can_be_unsteered = False

    def default_method(self, guarantees: Sequence[Guarantee]) -> str:
        """One for all promises."""
        return _METHOD

    def loss(self, contents: Contents, method: str) -> str:
        """Of the values or of the items, whichever the method keeps low."""
        return TableNCP.name if method in _LOW_FOR_VALUES else item_loss(contents)

    def can_protect(self, column: ColumnSpec) -> bool:
        """A single value; and sets, of which some items may be sensitive (see `problems`)."""
        return column.role is Role.SENSITIVE or column.kind == "set"

    def misuses(self, contents: Contents) -> list[str]:
        """What is said of sets, wherever they stand, is checked with the sets."""
        return []

    def problems(self, contents: Contents) -> list[str]:
        """Of several columns of sets, of sensitive items, and of what items are shown as."""
        columns = contents.columns
        sets = {name: spec for name, spec in columns.items() if spec.kind == "set" and spec.role is Role.QUASI}
        problems = [
            f"columns.{longer}: items of '{shorter}' could read like items of this column; rename one of the two."
            for shorter, longer in permutations(sets, 2)
            if longer.startswith(f"{shorter}:")
        ]
        for i, guarantee in enumerate(contents.guarantees):
            column = guarantee.sensitive
            spec = None if column is None else columns.get(column)
            if spec is not None and spec.kind == "set" and not spec.sensitive_items:
                problems.append(
                    f"guarantee.{i}.column: '{column}' holds sets of items, and none of them is sensitive; say which "
                    f"(columns.{column}.sensitive_items), or name a column with the role 'sensitive'."
                )
        if contents.method.options.get("items") == "hierarchy":
            problems += [
                f'columns.{name}.hierarchy: must be given for items = "hierarchy": items are shown as labels of it.'
                for name, spec in sets.items()
                if spec.hierarchy is None
            ]
        return problems


def item_loss(contents: Contents) -> str:
    """What is made small on the side of the items."""
    return contents.loss.name if contents.loss.name in _LOSSES else _LOSSES[0]
