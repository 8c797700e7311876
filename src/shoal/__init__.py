"""shoal: publish data about people so that nobody in it can be picked out, and prove it.

In five calls, with the data of `shoal example table demo`:

>>> import polars, shoal
>>> people = polars.read_csv("demo/patients.csv", infer_schema=False)
>>> known = ["age", "sex", "postcode"]
>>> shoal.risk(people, quasi=known).headline
'69 in 100 people could be recognised'
>>> release = shoal.anonymize(
...     people, quasi=known, sensitive="diagnosis", drop=["name", "schooling", "ward"], k=5, l=2, suppression=0.02
... )
>>> shoal.verify(release.data, quasi=known, sensitive="diagnosis", k=5, l=2).passed
True
>>> shoal.frontier(people, quasi=known, drop=["name", "schooling", "ward", "diagnosis"], k=5).points[0].k
1
>>> shoal.run("demo/recipe.toml").files[0].name
'patients.csv'

| to do | name |
|---|---|
| make a release | `anonymize` (frame in, frame out), `run` (files, with a report) |
| judge one, anyone's | `verify`, `attack`, `measure`, `risk` |
| choose | `frontier` (what each k costs), `compare` (methods), `methods()`, `guarantees()`, `losses()` |
| say what is promised | `KAnonymity`, `LDiversity`, `TCloseness` and others |
| say how to blur | `intervals`, `borders`, `dates`, `mask`, `groups`, `hierarchy_file` |
| keep it | `Recipe`, `suggest` |
| analyse a release | `open_release` |

Errors say whose fault it is: `RecipeError`, `DataError`, `Infeasible`, `NotAnonymous`, `InternalError`. Stages are logged under the
name `shoal`, at the level INFO.
"""

from __future__ import annotations

from importlib import import_module as _import_module  # private: a type checker would offer it
from typing import TYPE_CHECKING, Any

from shoal.version import __version__ as __version__

__all__ = [
    "AnswerIsNo",
    "Assessment",
    "Attacked",
    "Attained",
    "Blur",
    "Check",
    "Comparison",
    "CountBounds",
    "DataError",
    "Diversity",
    "Entry",
    "FrontierResult",
    "Guarantee",
    "HierarchyError",
    "Infeasible",
    "InternalError",
    "KAnonymity",
    "KKMAnonymity",
    "KLMDiversity",
    "KMAnonymity",
    "KMNAnonymity",
    "KMNDiversity",
    "KMatching",
    "LDiversity",
    "LMDiversity",
    "LMatching",
    "Listing",
    "MeasuredLoss",
    "MixedAssessment",
    "MixedFrontierResult",
    "NotAnonymous",
    "OpenedRelease",
    "OpenedTable",
    "ParameterError",
    "Progress",
    "Recipe",
    "RecipeError",
    "Release",
    "RiskAssessment",
    "SetAssessment",
    "ShoalError",
    "SweptFrontierResult",
    "TCloseness",
    "TableCount",
    "TreeAssessment",
    "Verdict",
    "Witness",
    "anonymize",
    "attack",
    "borders",
    "compare",
    "dates",
    "frontier",
    "groups",
    "guarantees",
    "hierarchy_file",
    "intervals",
    "losses",
    "mask",
    "measure",
    "methods",
    "open_release",
    "risk",
    "run",
    "suggest",
    "verify",
]

if TYPE_CHECKING:
    from shoal.data.listing import Entry, Listing
    from shoal.errors import (
        AnswerIsNo,
        DataError,
        HierarchyError,
        Infeasible,
        InternalError,
        NotAnonymous,
        ParameterError,
        RecipeError,
        ShoalError,
    )
    from shoal.guarantees import (
        KAnonymity,
        KKMAnonymity,
        KLMDiversity,
        KMAnonymity,
        KMatching,
        KMNAnonymity,
        KMNDiversity,
        LDiversity,
        LMatching,
        LMDiversity,
        TCloseness,
    )
    from shoal.guarantees import listing as guarantees
    from shoal.guarantees.guarantee import Guarantee
    from shoal.loss import losses
    from shoal.methods import listing as methods
    from shoal.methods.method import Progress
    from shoal.release.assess import risk
    from shoal.release.attacking.attack import attack
    from shoal.release.compare import compare
    from shoal.release.comparison import Comparison
    from shoal.release.frontier import frontier
    from shoal.release.kinds.mixed.frontier import MixedFrontierResult
    from shoal.release.kinds.opened import open_release
    from shoal.release.kinds.sets.opened import CountBounds, OpenedRelease
    from shoal.release.kinds.tables.frontier import FrontierResult
    from shoal.release.kinds.tables.opened import OpenedTable, TableCount
    from shoal.release.recipe.recipe import Recipe
    from shoal.release.recipe.sections import EngineName
    from shoal.release.result import Release
    from shoal.release.run import anonymize, run
    from shoal.release.searching.frontier import SweptFrontierResult
    from shoal.release.short.blur import Blur, borders, dates, groups, hierarchy_file, intervals, mask
    from shoal.release.short.measure import measure
    from shoal.release.short.roles import Names, Promises
    from shoal.release.short.suggestion import suggest
    from shoal.report.attacked import Attacked
    from shoal.report.mixed.risk import MixedAssessment
    from shoal.report.risk import RiskAssessment
    from shoal.report.sets.risk import SetAssessment
    from shoal.report.steward.attained import Attained, Diversity, MeasuredLoss
    from shoal.report.tables.risk import Assessment
    from shoal.report.trees.risk import TreeAssessment
    from shoal.verifier.verdict import Check, Verdict, Witness

_FROM = {  # module → the public names that it defines
    "shoal.data.listing": ("Entry", "Listing"),
    "shoal.guarantees": (
        "KAnonymity",
        "KKMAnonymity",
        "KLMDiversity",
        "KMAnonymity",
        "KMNAnonymity",
        "KMNDiversity",
        "KMatching",
        "LDiversity",
        "LMDiversity",
        "LMatching",
        "TCloseness",
    ),
    "shoal.guarantees.guarantee": ("Guarantee",),
    "shoal.loss": ("losses",),
    "shoal.methods.method": ("Progress",),
    "shoal.release.assess": ("risk",),
    "shoal.release.attacking.attack": ("attack",),
    "shoal.release.compare": ("compare",),
    "shoal.release.comparison": ("Comparison",),
    "shoal.release.frontier": ("frontier",),
    "shoal.release.kinds.mixed.frontier": ("MixedFrontierResult",),
    "shoal.release.kinds.opened": ("open_release",),
    "shoal.release.kinds.sets.opened": ("CountBounds", "OpenedRelease"),
    "shoal.release.kinds.tables.frontier": ("FrontierResult",),
    "shoal.release.kinds.tables.opened": ("OpenedTable", "TableCount"),
    "shoal.release.recipe.recipe": ("Recipe",),
    "shoal.release.result": ("Release",),
    "shoal.release.run": ("anonymize", "run"),
    "shoal.release.searching.frontier": ("SweptFrontierResult",),
    "shoal.release.short.blur": ("Blur", "borders", "dates", "groups", "hierarchy_file", "intervals", "mask"),
    "shoal.release.short.measure": ("measure",),
    "shoal.release.short.suggestion": ("suggest",),
    "shoal.report.attacked": ("Attacked",),
    "shoal.report.mixed.risk": ("MixedAssessment",),
    "shoal.report.risk": ("RiskAssessment",),
    "shoal.report.sets.risk": ("SetAssessment",),
    "shoal.report.steward.attained": ("Attained", "Diversity", "MeasuredLoss"),
    "shoal.report.tables.risk": ("Assessment",),
    "shoal.report.trees.risk": ("TreeAssessment",),
    "shoal.verifier.verdict": ("Check", "Verdict", "Witness"),
}
_WHERE = {name: module for module, names in _FROM.items() for name in names}
_CALLED = ("guarantees", "methods")  # packages that can be called; see data/listing.py


def __dir__() -> list[str]:
    """What is public, and nothing that only this module needs."""
    return [*__all__, "__version__"]


if not TYPE_CHECKING:  # a type checker must see that a misspelt name is none

    def __getattr__(name: str) -> Any:
        """Import what is asked for when it is asked for: `import shoal` and `shoal --help` stay fast."""
        found: Any
        if name in _CALLED:
            found = _import_module(f"shoal.{name}")
        elif name in _WHERE:
            found = getattr(_import_module(_WHERE[name]), name)
        elif name in __all__:
            found = getattr(_import_module("shoal.errors"), name)
        else:
            raise AttributeError(f"module 'shoal' has no attribute '{name}'")
        globals()[name] = found
        return found


def verify(
    release: Any,
    recipe: Any = None,
    *,
    quasi: Names = None,
    sensitive: Names = None,
    k: int | None = None,
    l: float | None = None,  # noqa: E741  # the name of the parameter in the literature and in every recipe
    t: float | None = None,
    m: int | None = None,
    guarantees: Promises = None,
    original: Any = None,
    assignment: Any = None,
    rules: Any = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    exempt_suppressed: bool = False,
    any_order: bool = False,
    engine: EngineName | None = None,
    session: Any = None,
) -> Verdict:
    """Check a release, of this tool or another, against a recipe, as a stranger would.

    Parameters
    ----------
    release : frame or path
        What was published.
    recipe : Recipe, dict or path, optional
        Roles and promises.
    quasi, sensitive : str or list of str, optional
        In the place of a recipe: what others could know, and private facts.
    k, l, t, m, guarantees : optional
        With them: what is promised.
    original : frame, path or Recipe, optional
        Also check that nothing was lost or invented.
    assignment, rules : optional
        Private files beside a release that save a search; checked, not believed.
    delimiter, encoding : str, optional
        Of a CSV file, where they are not found by themselves.
    exempt_suppressed : bool
        Rows that show `*` in every quasi column need not keep the promise.
    any_order : bool
        Rows were shuffled, so that records that show the same need not stand together.
    engine : {"local", "spark"}, optional
        Where to count.
    session : optional
        A Spark session to count in.

    Returns
    -------
    Verdict
        A release that breaks its promise is an answer, and no exception.

    Examples
    --------
    >>> import shoal
    >>> verdict = shoal.verify("demo/patients.csv", quasi=["age", "sex", "postcode"], k=5)
    >>> verdict.passed, verdict.smallest_class
    (False, 1)
    """
    from shoal.release.check import check_release

    return check_release(
        release,
        recipe,
        quasi=quasi,
        sensitive=sensitive,
        k=k,
        l=l,
        t=t,
        m=m,
        guarantees=guarantees,
        original=original,
        assignment=assignment,
        rules=rules,
        delimiter=delimiter,
        encoding=encoding,
        exempt_suppressed=exempt_suppressed,
        any_order=any_order,
        engine=engine,
        session=session,
    )
