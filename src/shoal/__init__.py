"""shoal: publish data about people so that nobody in it can be picked out, and prove it.

>>> import shoal
>>> release = shoal.anonymize(frame, recipe)        # doctest: +SKIP
>>> shoal.verify(release.data, recipe).passed       # doctest: +SKIP
True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import shoal.verify  # noqa: F401 - binds the package first, so that the function below keeps its name

__version__ = "0.1.0"

__all__ = [
    "DataError",
    "HierarchyError",
    "Infeasible",
    "InternalError",
    "NotAnonymous",
    "Recipe",
    "RecipeError",
    "Release",
    "ShoalError",
    "Verdict",
    "anonymize",
    "compare",
    "frontier",
    "open_release",
    "risk",
    "run",
    "verify",
]

if TYPE_CHECKING:
    from shoal.errors import (
        DataError,
        HierarchyError,
        Infeasible,
        InternalError,
        NotAnonymous,
        RecipeError,
        ShoalError,
    )
    from shoal.release.assess import risk
    from shoal.release.compare import compare
    from shoal.release.frontier import frontier
    from shoal.release.opened import open_release
    from shoal.release.recipe import Recipe
    from shoal.release.result import Release
    from shoal.release.run import anonymize, run
    from shoal.release.sections import EngineName
    from shoal.verify.verdict import Verdict

_WHERE = {
    "Recipe": "shoal.release.recipe",
    "Release": "shoal.release.result",
    "Verdict": "shoal.verify.verdict",
    "anonymize": "shoal.release.run",
    "compare": "shoal.release.compare",
    "frontier": "shoal.release.frontier",
    "open_release": "shoal.release.opened",
    "risk": "shoal.release.assess",
    "run": "shoal.release.run",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is asked for: `import shoal` and `shoal --help` stay fast."""
    if name in _WHERE:
        found = getattr(import_module(_WHERE[name]), name)
    elif name in __all__:
        found = getattr(import_module("shoal.errors"), name)
    else:
        raise AttributeError(f"module 'shoal' has no attribute '{name}'")
    globals()[name] = found
    return found


def verify(
    release: Any,
    recipe: Any,
    *,
    original: Any = None,
    assignment: Any = None,
    rules: Any = None,
    delimiter: str | None = None,
    exempt_suppressed: bool = False,
    engine: EngineName | None = None,
    session: Any = None,
) -> Verdict:
    """Check a release, of this tool or another, against a recipe. `release`, `original`, `assignment`: paths or data frames.

    `rules`: of trees, the private manifest of the release; by default the one beside it. `engine`, "local" or "spark": where to
    count. `session`: a Spark session to count in.
    """
    from shoal.release.check import check_release

    return check_release(
        release,
        recipe,
        original=original,
        assignment=assignment,
        rules=rules,
        delimiter=delimiter,
        exempt_suppressed=exempt_suppressed,
        engine=engine,
        session=session,
    )
