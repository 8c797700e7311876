"""Bars that borders can stand between, and points that are exact between any borders."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.release.looking.histogram import histogram, round_width


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(st.integers(-50, 400).map(str), st.integers(1, 9), min_size=1, max_size=40),
    st.integers(-20, 50),
    st.integers(1, 300),
)
def test_everybody_is_in_one_bar_or_outside(counts: dict[str, int], low: int, span: int) -> None:
    drawn = histogram(list(counts.items()), Fraction(low), Fraction(low + span))
    assert drawn is not None
    assert sum(drawn.bars) + drawn.below + drawn.above == sum(counts.values())
    assert sum(people for _, people in drawn.points) == sum(drawn.bars)
    assert (len(drawn.bars) - 1) * drawn.width < span <= len(drawn.bars) * drawn.width
    assert len(drawn.bars) <= 100


def test_widths_are_round() -> None:
    assert [round_width(Fraction(n), whole=True) for n in (1, 3, 7, 40)] == [1, 5, 10, 50]
    assert round_width(Fraction(3, 1000), whole=False) == Fraction(5, 1000)


def test_nothing_to_draw() -> None:
    assert histogram([("a", 1)], Fraction(0), Fraction(9)) is None
    assert histogram([("1", 1)], Fraction(9), Fraction(9)) is None
