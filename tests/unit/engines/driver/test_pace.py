"""How far work is, in words."""

from __future__ import annotations

import pytest

from shoal.engines.driver.pace import Pace, duration, short
from shoal.engines.engine import Progress


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def told():
    return []


def test_rows_rate_and_time_left(clock, told):
    pace = Pace(told.append, "load", "", 100_000_000, clock)
    clock.now += 6
    pace.share(0.124)
    assert told == [Progress("load", "12.4 M of 100 M rows, 2.1 M a second, 42 s left", 0.124)]


def test_a_rate_is_not_told_before_it_is_sure(clock, told):
    pace = Pace(told.append, "write", "writing", 2000, clock)
    clock.now += 0.5
    pace.share(0.5)
    pace.share(None)
    assert [event.message for event in told] == ["writing, 1 k of 2 k rows", "writing"]


def test_without_rows_there_is_time_left_only(clock, told):
    pace = Pace(told.append, "apply", "putting the records in order", clock=clock)
    clock.now += 300
    pace.share(0.5)
    clock.now += 300
    pace.share(1.7)  # more than all is all
    assert told == [
        Progress("apply", "putting the records in order, 5 min left", 0.5),
        Progress("apply", "putting the records in order", 1.0),
    ]


def test_rows_may_be_told_all_the_time(clock, told):
    pace = Pace(told.append, "write", "", 1000, clock)
    for row in range(1, 1001):
        clock.now += 0.00099
        pace.rows(row)
    assert len(told) == 3  # four times a second, and not at the start


def test_no_rows_at_all(clock, told):
    pace = Pace(told.append, "write", "", 0, clock)
    clock.now += 1
    pace.rows(0)
    assert told == [Progress("write", "", None)]


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0, "0"), (812, "812"), (999.4, "999"), (999.6, "1 k"), (1500, "1.5 k"), (99_949, "99.9 k"), (99_951, "100 k"),
        (999_499, "999 k"), (999_501, "1 M"), (12_345_678, "12.3 M"), (1e8, "100 M"), (3.2e10, "32 G"), (1e13, "10000 G"),
    ],
)  # fmt: skip
def test_short_numbers(number, shown):
    assert short(number) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "1 s"), (0.2, "1 s"), (40.4, "40 s"), (99, "99 s"), (100, "2 min"), (3540, "59 min"), (3600, "1 h 0 min"),
        (7500, "2 h 5 min"),
    ],
)  # fmt: skip
def test_durations(seconds, shown):
    assert duration(seconds) == shown
