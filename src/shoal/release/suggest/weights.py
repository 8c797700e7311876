"""Weights of records in a sample, told apart from what people weigh."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.hierarchies import decimals
from shoal.release.suggest.words import words_of

if TYPE_CHECKING:
    from shoal.release.suggest.seen import Seen

WHAT = "a survey weight, as good as a number on each person"

_AROUND_ONE = 2  # half of the records have less: weights with a mean of 1, and lighter than any child
_HEAVIER = 700  # than anybody is, in pounds too: weights that add up to the population
_DECIMALS = 3  # that no scale shows
_BODIES = frozenset(
    [
        *(
            "kg",
            "kgs",
            "kilo",
            "kilos",
            "lb",
            "lbs",
            "pound",
            "pounds",
            "gram",
            "grams",
            "gramm",
            "grammes",
            "gramos",
            "g",
        ),
        *(
            "body",
            "korper",
            "koerper",
            "corps",
            "corporel",
            "corporal",
            "birth",
            "geburt",
            "geburts",
            "naissance",
            "nacer",
        ),
        *("baby", "newborn", "mother", "child", "patient", "height", "bmi", "loss", "gain", "current", "nacimiento"),
    ]
)


def are_of_a_sample(seen: Seen) -> bool:
    """Whether numbers in a column called `weight` are weights in a sample, by how large they are and how they are written."""
    if not seen.column.numeric or not _BODIES.isdisjoint(words_of(seen.column.name)):
        return False
    numbers = sorted(number for number in map(decimals.parse, seen.column.sample_values) if number is not None)
    if not numbers or seen.column.high is None:
        return False
    long = sum(len(value.partition(".")[2]) >= _DECIMALS for value in seen.values)
    return (
        numbers[len(numbers) // 2] < _AROUND_ONE or seen.column.high > _HEAVIER or 2 * long > max(len(seen.values), 1)
    )
