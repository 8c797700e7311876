"""The check of `at-most` on a release, from its definition: it shares no code with what made the release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any


def at_most(classes: Sequence[Any], parameters: Mapping[str, Any]) -> Iterator[int]:
    """The numbers of the classes that break it. Each class has `size`, and `values`: value → records; None: not known which."""
    share = Fraction(str(parameters["share"]))
    for number, one in enumerate(classes):
        known = [count for value, count in one.values.items() if value is not None]
        if max(known, default=0) + one.values.get(None, 0) > share * one.size:
            yield number
