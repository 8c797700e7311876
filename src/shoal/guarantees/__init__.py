"""The guarantees a recipe can ask for, by name."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any

from shoal.errors import RecipeError, did_you_mean
from shoal.guarantees.k_anonymity import KAnonymity
from shoal.guarantees.l_diversity import LDiversity
from shoal.guarantees.t_closeness import TCloseness

if TYPE_CHECKING:
    from shoal.guarantees.guarantee import Guarantee

__all__ = ["GUARANTEES", "KAnonymity", "LDiversity", "TCloseness", "guarantee_from"]

GUARANTEES: dict[str, type] = {made.name: made for made in (KAnonymity, LDiversity, TCloseness)}


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
