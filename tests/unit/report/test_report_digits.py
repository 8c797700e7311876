"""Figures in three digits: true on the side they are rounded to, and nothing more of the raw figure in them."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.report.digits import above, down, gap, lost, up

figures = st.one_of(st.floats(1e-6, 1, exclude_min=True), st.floats(1, 1e12))


def few(value: float) -> bool:
    return len(Decimal(repr(value)).normalize().as_tuple().digits) <= 3


@given(figures)
@example(0.3 - 0.1)
@example(0.999_6)
@example(1.0)
def test_both_ends_are_near_and_on_their_side(value: float) -> None:
    assert few(down(value)) and few(up(value))
    assert down(value) <= value * (1 + 1e-11) and value <= up(value) * (1 + 1e-11)
    assert up(value) <= value * 1.010001 and down(value) >= value * 0.989999
    assert up(up(value)) == up(value) and down(down(value)) == down(value)


@given(figures)
@example(0.9999)
@example(1.0)
def test_only_all_is_all(value: float) -> None:
    assert few(lost(value))
    assert (lost(value) == 1) == (abs(value - 1) < 1e-11)
    assert lost(value) == up(value) or lost(value) == 0.999


@given(figures, st.floats(1e-6, 1))
def test_how_far_above_stays_true_and_follows_from_what_is_told(loss: float, share: float) -> None:
    floor = loss * share
    told = above(loss, floor)
    assert few(told)
    if told:
        assert loss <= down(floor) * (1 + told) * (1 + 1e-9)
        assert told == above(up(loss), down(floor))
    else:
        assert loss <= floor * (1 + 1e-8)


@given(figures, st.floats(0, 1))
@example(0.500_1, 0.999_9)
def test_a_gap_leads_to_the_bound_that_is_told(loss: float, share: float) -> None:
    bound = loss * share
    told = gap(loss, bound)
    if told:
        assert up(loss) - told == pytest.approx(down(bound), abs=1e-9 * loss)
        assert loss - told <= bound + 1e-9 * loss
    else:
        assert loss <= bound * (1 + 1e-11)


def test_by_hand() -> None:
    assert (up(0.049_123), down(0.030_175), up(0), down(0)) == (0.0492, 0.0301, 0, 0)
    assert (up(7_220_555), down(7_220_555)) == (7_230_000, 7_220_000)
    assert (up(0.3 - 0.1), down(0.1 + 0.2)) == (0.2, 0.3)  # not for the last digits of a float
    assert (lost(0.9999), lost(1), lost(1.0001)) == (0.999, 1, 1.01)
    assert above(0.0491, 0.0301) == 0.632
    assert above(0.0491, 0.0491 - 1e-12) == 0
    assert gap(0.5, 0.0499) == 0.4501
    assert gap(0.500_01, 0.5) == 0.001  # what is not proved is not told as if it were
