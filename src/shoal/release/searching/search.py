"""Releases to choose from, of whatever kind of data. Here the kind is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from shoal.release.editing.basis import search_basis
from shoal.release.editing.promises import fitting
from shoal.release.kinds.tables.choices import table_choices
from shoal.release.searching.sweep import sweep

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.methods.method import Listener
    from shoal.release.editing.document import RecipeDocument
    from shoal.report.steward.choices import Choices


class _Search(Protocol):
    def __call__(self, document: RecipeDocument, listener: Listener) -> Choices: ...


SEARCHES: Mapping[str, _Search] = {"tables": table_choices, "sets": sweep, "mixed": sweep, "trees": sweep}
_ANY_METHOD = frozenset({"tables"})  # whose search asks no method of the recipe


def search(document: RecipeDocument, listener: Listener = lambda _: None) -> Choices:
    """Releases that keep the promise of a recipe with other numbers, from least safe to safest."""
    return SEARCHES[document.recipe().schema_.kind](document, listener)


def basis_of(document: RecipeDocument) -> str:
    """What a search of this recipe would rest on: a result with the same basis still holds."""
    return search_basis(document.values, method=fitting(document).kind not in _ANY_METHOD)
