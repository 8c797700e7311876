"""Compile ahead of time, so that no later run has to: every method runs once on the made-up data of its kind.

What a kernel is compiled to depends on the types it is called with, and only the calls say which these are. So the calls are made,
as a user would make them, in a folder that is gone afterwards.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from shoal.errors import Infeasible, RecipeError
from shoal.kernels import compiling
from shoal.methods.method import Progress
from shoal.methods.registry import METHODS
from shoal.release.examples import EXAMPLES, write_example
from shoal.release.recipe.recipe import Recipe
from shoal.release.run import run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.methods.method import Listener

_BUDGET = 2  # seconds that a search by time goes on for
_PROMISES: tuple[list[dict[str, Any]] | None, ...] = (None, [{"name": "k-matching", "k": 5}])  # None: of the example


@dataclass(frozen=True)
class Prepared:
    """What lies ready now."""

    folder: Path  # where compiled code is kept
    functions: int  # how many lie there
    new: int  # of these from this call
    seconds: float


def prepare(examples: Sequence[str] = (), *, listener: Listener = lambda _: None) -> Prepared:
    """Compile what the kinds of data of these examples need; of all of them, if none is named."""
    started, before = time.monotonic(), _kept()
    names = list(examples) or [name for name, _ in EXAMPLES]
    with TemporaryDirectory() as place:
        for number, name in enumerate(names):
            folder = Path(place) / name
            recipe = Recipe.load(write_example(name, folder)[-1])
            listener(Progress("compile", f"what the example {name} needs", number / len(names)))
            run(recipe, replace=True)  # with options of its own
            methods = [method for method in METHODS.values() if method.kind == recipe.schema_.kind]
            for done, method in enumerate(methods):
                share = (number + done / len(methods)) / len(names)
                listener(Progress("compile", f"what {method.name} needs", share))
                budget = {"budget": _BUDGET} if "budget" in method.keys else {}
                _run_once(recipe, folder, {"name": method.name, **budget})
    return Prepared(compiling.folder(), _kept(), _kept() - before, time.monotonic() - started)


def _run_once(recipe: Recipe, folder: Path, method: dict[str, Any]) -> None:
    """With the promise of the example, or else with one that this method can keep."""
    for promise in _PROMISES:
        values = recipe.model_dump(exclude_unset=True, by_alias=True) | {"method": method}
        if promise is not None:
            values["guarantee"] = promise
        with suppress(RecipeError, Infeasible):
            changed = Recipe.of(values)
            changed._folder = folder
            run(changed, replace=True)
            return


def _kept() -> int:
    return sum(1 for _ in compiling.folder().rglob("*.nbc"))
