"""The guarantees a recipe can ask for, by name."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any

from shoal.errors import RecipeError, did_you_mean
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
    "guarantee_from",
    "misplaced",
]

GUARANTEES: dict[str, type[Any]] = {
    made.name: made
    for made in (
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
}
_WHY = {
    "table": 'no quasi column has kind = "set"',
    "sets": "the quasi column holds sets of items",
    "mixed": "the quasi columns are both: single values, and sets of items",
    "trees": "the quasi columns are classes of nodes of a tree",
}
_ABOUT = {
    "table": "rows of single values",
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
    made = GUARANTEES[name]
    keys = {field.name: field.default is MISSING for field in fields(made)}
    mistakes = [
        f"The guarantee {name} has no parameter `{key}`. Parameters: {', '.join(keys)}.{did_you_mean(key, keys)}"
        for key in parameters
        if key not in keys
    ]
    lacking = [key for key, required in keys.items() if required and key not in parameters]
    mistakes += [f"The guarantee {name} needs the parameter `{key}`." for key in lacking]
    if not lacking:
        try:
            guarantee: Guarantee = made(**{key: value for key, value in parameters.items() if key in keys})
        except ValueError as refused:
            mistakes += str(refused).splitlines()
    if mistakes:
        raise RecipeError(*mistakes)
    return guarantee


def misplaced(guarantees: Sequence[Guarantee], kind: str) -> list[str]:
    """Sentences about guarantees that do not go with data of this kind ("table", "sets", "mixed", "trees"), or not together."""
    fitting = ", ".join(name for name, made in GUARANTEES.items() if made.kind == kind)
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
