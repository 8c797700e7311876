"""The guarantees a recipe can ask for, by name. `shoal.guarantees()` lists them."""

from __future__ import annotations

import sys
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any

from shoal.data.listing import Entry, Listing, call_lists
from shoal.data.registry import Registry, asked_of, ships_check
from shoal.errors import ParameterError, RecipeError, did_you_mean
from shoal.guarantees.k_anonymity import KAnonymity
from shoal.guarantees.k_km_anonymity import KKMAnonymity
from shoal.guarantees.k_lm_diversity import KLMDiversity
from shoal.guarantees.k_matching import KMatching
from shoal.guarantees.km_anonymity import KMAnonymity
from shoal.guarantees.kmn_anonymity import KMNAnonymity
from shoal.guarantees.kmn_diversity import KMNDiversity
from shoal.guarantees.l_diversity import LDiversity
from shoal.guarantees.l_matching import LMatching
from shoal.guarantees.lm_diversity import LMDiversity
from shoal.guarantees.t_closeness import TCloseness

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.guarantees.guarantee import Guarantee

__all__ = [
    "GUARANTEES",
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
    "as_recipe",
    "guarantee_from",
    "listing",
    "misplaced",
]

_CHECKED = ("tables",)  # kinds of data whose classes a check of another package is shown


def _accepted(name: str, guarantee: Any) -> type[Any]:
    """A frozen dataclass. Of another package: about tables, the one kind of data whose classes a check is shown."""
    if not isinstance(guarantee, type) or not hasattr(guarantee, "__dataclass_fields__"):
        raise TypeError("A guarantee is a dataclass whose fields are its parameters.")
    asked_of(guarantee, ("name", "kind", "sentence", "technical"), "guarantee")
    found: type[Any] = guarantee
    if found.name != name:
        raise TypeError(f"It calls itself '{found.name}'.")
    if not found.__module__.startswith("shoal."):
        if found.kind not in _CHECKED:
            raise TypeError("Other packages can add guarantees about tables only.")
        asked_of(found, ("failing", "monotone", "monotone_with_suppression"), "guarantee about tables")
    return found


GUARANTEES: Registry[type[Any]] = Registry(
    "shoal.guarantees",
    "guarantee",
    _accepted,
    (
        (guarantee.name, guarantee)
        for guarantee in (
            KAnonymity,
            LDiversity,
            TCloseness,
            KMatching,
            LMatching,
            KMAnonymity,
            LMDiversity,
            KKMAnonymity,
            KLMDiversity,
            KMNAnonymity,
            KMNDiversity,
        )
    ),
)
_WHY = {
    "tables": 'no quasi column has kind = "set"',
    "sets": "the quasi column holds sets of items",
    "mixed": "the quasi columns are both: single values, and sets of items",
    "trees": "the quasi columns are classes of nodes of a tree",
}
_ABOUT = {
    "tables": "rows of single values",
    "sets": "sets of items",
    "mixed": "rows of single values with sets of items",
    "trees": "trees",
}
_PUBLISHED = {"k-matching": "matching", "l-matching": "matching", "km-anonymity": "items", "lm-diversity": "items"}


def guarantee_from(name: str, **parameters: Any) -> Guarantee:
    """The guarantee of this name with these parameters; a RecipeError names every mistake at once.

    >>> guarantee_from("k-anonymity", k=5)
    KAnonymity(k=5)
    """
    if name not in GUARANTEES:
        raise RecipeError(
            f"There is no guarantee named '{name}'. "
            f"Guarantees: {', '.join(GUARANTEES)}.{did_you_mean(name, GUARANTEES)}"
        )
    guarantee_type = GUARANTEES[name]
    package = GUARANTEES.package(name)
    if package is not None and not ships_check(name):
        raise RecipeError(
            f"The guarantee {name} comes from the package {package.name}, which ships no check of it, and shoal's own verifier "
            f"does not know it: no release could be verified. Its authors can add one as an entry point in `shoal.checks`."
        )
    keys = {field.name: field.default is MISSING for field in fields(guarantee_type)}
    mistakes = [
        f"The guarantee {name} has no parameter `{key}`. Parameters: {', '.join(keys)}.{did_you_mean(key, keys)}"
        for key in parameters
        if key not in keys
    ]
    lacking = [key for key, required in keys.items() if required and key not in parameters]
    mistakes += [f"The guarantee {name} needs the parameter `{key}`." for key in lacking]
    if not lacking:
        try:
            guarantee: Guarantee = guarantee_type(**{key: value for key, value in parameters.items() if key in keys})
        except ParameterError as refused:
            mistakes += refused.problems
        except Exception as refused:  # of another package, whatever it raises
            if package is None:
                raise
            why = str(refused) if isinstance(refused, ValueError) else f"({type(refused).__name__})"
            mistakes.append(f"The guarantee {name} refuses its parameters: {why}")
    if mistakes:
        raise RecipeError(*mistakes)
    return guarantee


def as_recipe(guarantee: Guarantee) -> dict[str, Any]:
    """As a recipe says it: the name, and what differs from the defaults.

    >>> as_recipe(LDiversity(2, column="diagnosis"))
    {'name': 'l-diversity', 'l': 2, 'column': 'diagnosis'}
    """
    stated = {one.name: (getattr(guarantee, one.name), one.default) for one in fields(GUARANTEES[guarantee.name])}
    return {"name": guarantee.name, **{key: value for key, (value, default) in stated.items() if value != default}}


def listing() -> Listing:
    """The guarantees that a recipe can ask for, with their parameters.

    Returns
    -------
    Listing
        The rows of `shoal guarantees`; `keys` are parameters, with "" or the default.

    Examples
    --------
    >>> import shoal
    >>> shoal.guarantees().of("tables").names
    ('k-anonymity', 'l-diversity', 't-closeness')
    """
    return Listing(
        Entry(
            name,
            guarantee.kind,
            _first_line(guarantee),
            {one.name: "" if one.default is MISSING else str(one.default) for one in fields(guarantee)},
        )
        for name, guarantee in GUARANTEES.items()
    )


def _first_line(guarantee: type[Any]) -> str:
    """What the file of a guarantee says it is."""
    return (sys.modules[guarantee.__module__].__doc__ or "").strip().splitlines()[0]


def misplaced(guarantees: Sequence[Guarantee], kind: str) -> list[str]:
    """Sentences about guarantees that do not go with data of this kind ("tables", "sets", "mixed", "trees"), or not together."""
    fitting = ", ".join(name for name, guarantee_type in GUARANTEES.items() if guarantee_type.kind == kind)
    problems = []
    for guarantee in guarantees:
        if guarantee.kind != kind:
            about = _ABOUT[guarantee.kind]
            problems.append(
                f"{guarantee.name} is a promise about {about}, and {_WHY[kind]}. Guarantees here: {fitting}."
            )
    if len({_PUBLISHED[guarantee.name] for guarantee in guarantees if guarantee.name in _PUBLISHED}) > 1:
        problems.append(
            "k-matching and l-matching are kept by another form of release than km-anonymity and lm-diversity; promise one or "
            "the other."
        )
    return problems


call_lists(__name__, listing)
