"""The promise that was checked, in plain values: whoever made the release can hold it against the one that was meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.verifier.recipe.reading import Recipe

Promise = tuple[tuple[Any, ...], ...]


def promise_of(recipe: Recipe) -> Promise:
    """Each column by name, role, kind, place, parent, and what is special about its values; each guarantee by its technical name;
    then the rest."""
    columns = (
        (
            "column",
            c.name,
            str(c.role),
            c.kind,
            c.place,
            c.parent,
            c.missing,
            c.sensitive_items,
            c.negated,
            c.accept_unique,
        )
        for c in recipe.schema
    )
    return (
        *columns,
        *(("guarantee", guarantee.name, guarantee.technical()) for guarantee in recipe.guarantees),
        ("suppression", str(recipe.suppression_limit)),
        ("missing", recipe.missing),
        ("left out", recipe.left_out),
        ("spreadsheet safe", recipe.spreadsheet_safe),
    )
