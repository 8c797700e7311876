"""What a recipe may say where quasi columns are both: single values, and sets of items.

Several columns of sets count as one: an item of the column NAME is `NAME:item` there (footnote 1 of the paper behind
`guarantees/k_km_anonymity.py`). In the release each stays a column of its own.
"""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

from shoal.data.schema import Role

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.guarantees.guarantee import Guarantee
    from shoal.release.recipe import Recipe
    from shoal.release.sections import ColumnSpec

METHOD_FOR_BOTH = "rum-bound"  # that of the method "auto"
LOSSES_FOR_BOTH = ("item-ncp", "ul")  # of the items; that of the single values is always NCP
_LOW_FOR_VALUES = ("tum-bound", "tfirst")  # methods that keep the loss of the single values low


def mixed_problems(columns: Mapping[str, ColumnSpec], guarantees: Sequence[Guarantee], items: Any) -> list[str]:
    """Mistakes between the sections. items: the option of the method that says what items are shown as, if it is given."""
    sets = {name: spec for name, spec in columns.items() if spec.kind == "set" and spec.role is Role.QUASI}
    problems = [
        f"columns.{longer}: items of '{shorter}' could read like items of this column; rename one of the two."
        for shorter, longer in permutations(sets, 2)
        if longer.startswith(f"{shorter}:")
    ]
    for i, guarantee in enumerate(guarantees):
        column = guarantee.sensitive
        spec = None if column is None else columns.get(column)
        if spec is not None and spec.kind == "set" and not spec.sensitive_items:
            problems.append(
                f"guarantee.{i}.column: '{column}' holds sets of items, and none of them is sensitive; say which "
                f"(columns.{column}.sensitive_items), or name a column with the role 'sensitive'."
            )
    if items == "hierarchy":
        problems += [
            f'columns.{name}.hierarchy: must be given for items = "hierarchy": items are shown as labels of it.'
            for name, spec in sets.items()
            if spec.hierarchy is None
        ]
    return problems


def item_loss(recipe: Recipe) -> str:
    """What is made small on the side of the items."""
    return recipe.loss.name if recipe.loss.name in LOSSES_FOR_BOTH else LOSSES_FOR_BOTH[0]


def loss_for_both(recipe: Recipe) -> str:
    """The name of what the method of the recipe makes small."""
    return "ncp" if recipe.method_name in _LOW_FOR_VALUES else item_loss(recipe)
