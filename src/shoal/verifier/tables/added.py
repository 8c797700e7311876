"""A promise that another package knows and shoal does not: its own check judges, on classes that were counted here.

The verifier looks for the check by itself, in the entry points of the group `shoal.checks`. It is a function of the classes and the
parameters that the recipe gives, and answers with the numbers of the classes that break the promise. Whatever it does otherwise
(raises, names a class that there is not, answers with nothing to go through) is no pass. The verdict says who judged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import RecipeError
from shoal.verifier.finding import Finding
from shoal.verifier.recipe.added import AddedCheck

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shoal.verifier.holdings import Holdings
    from shoal.verifier.recipe.guarantees import Guarantee
    from shoal.verifier.tables.classes import Classes


@dataclass(frozen=True)
class Class:
    """One class of the release: its records, and how many of them hold each value of the column that the promise names.

    A value that is missing or hidden is None; it may stand for any.
    """

    size: int
    values: Mapping[str | None, int]


def find(guarantee: Guarantee, classes: Classes, holdings: Holdings | None) -> Finding:
    added = AddedCheck.of(guarantee.name)
    if added is None:
        raise RecipeError(f"guarantee: no package ships a check of '{guarantee.name}'. Nothing is verified.")
    broken = np.zeros(len(classes.sizes), np.bool_)
    try:
        numbers = added.check(tuple(_plain(classes, holdings)), dict(guarantee.parameters))
        for number in numbers:
            if isinstance(number, bool) or not 0 <= int(number) < len(broken):
                raise ValueError
            broken[int(number)] = True
    except Exception as reason:  # whatever another package raises: no answer is no pass
        raise RecipeError(
            f"guarantee: the check of '{guarantee.name}' by {added.package} failed ({type(reason).__name__}). Nothing is verified."
        ) from None
    return Finding(
        promise=guarantee.technical(),
        classes=classes,
        broken=broken,
        rank=classes.sizes.astype(np.float64),
        reason=lambda number: f"the check of {added.package} names this combination.",
        kept=f"The check of {added.package} names no combination; shoal itself has none for this promise.",
    )


def caution(guarantee: Guarantee) -> str:
    """What whoever reads the verdict has to know."""
    added = AddedCheck.of(guarantee.name)
    by = "nobody" if added is None else added.package
    return (
        f'The promise "{guarantee.technical()}" is not one of shoal\'s. It was checked by {by}, whose authors answer for what it '
        "means and for the check."
    )


def _plain(classes: Classes, holdings: Holdings | None) -> Iterator[Class]:
    held: list[dict[str | None, int]] = [{} for _ in classes.sizes]
    if holdings is not None:
        entries = zip(holdings.classes.tolist(), holdings.values.tolist(), holdings.counts.tolist(), strict=True)
        for number, value, count in entries:
            text = holdings.texts[value]
            held[number][text] = held[number].get(text, 0) + count
    for size, values in zip(classes.sizes.tolist(), held, strict=True):
        yield Class(size, values)
