"""The methods a recipe can name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.methods.tables.optimal import Optimal

if TYPE_CHECKING:
    from shoal.methods.method import Method

METHODS: dict[str, Method] = {method.name: method for method in (Optimal(),)}
AUTO = "optimal"  # what `auto` stands for while one method can meet every guarantee


def method_from(name: str) -> Method:
    return METHODS[AUTO if name == "auto" else name]
