"""Pieces of work by name. Each takes a recipe, options and a listener, and gives what JSON can hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from shoal.studio.work.check import check, look
from shoal.studio.work.compare import compare
from shoal.studio.work.methods import methods
from shoal.studio.work.publish import publish
from shoal.studio.work.risk import risk
from shoal.studio.work.search import search

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from shoal.methods.method import Listener


class Work(Protocol):
    """Long work on a recipe."""

    def __call__(self, recipe: Path, options: dict[str, Any], listener: Listener) -> Any: ...


WORKS: Mapping[str, Work] = {
    "check": check,
    "compare": compare,
    "look": look,
    "methods": methods,
    "publish": publish,
    "risk": risk,
    "search": search,
}
