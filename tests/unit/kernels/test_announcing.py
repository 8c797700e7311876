"""Whoever waits is told once for each kernel that is compiled, and may stop it."""

from __future__ import annotations

import threading

import pytest
from numba import njit

from shoal.kernels.announcing import compiling_announced


def fresh():
    """Two functions that nobody has compiled, one of which calls the other."""

    @njit
    def inner(number):
        return number + 1

    return njit(lambda number: inner(number) * 2)


def test_it_is_said_once_for_a_kernel_with_all_that_it_calls():
    said = []
    double = fresh()
    with compiling_announced(lambda: said.append(1)):
        assert double(3) == 8
        assert double(4) == 10
    assert said == [1]
    assert fresh()(3) == 8
    assert said == [1]  # it is over


def test_raising_stops_it_before_it_begins_and_the_next_call_compiles():
    double = fresh()

    def stop():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), compiling_announced(stop):
        double(3)
    said = []
    with compiling_announced(lambda: said.append(1)):
        assert double(3) == 8
    assert said == [1]


def test_another_thread_is_another_matter():
    said = []
    with compiling_announced(lambda: said.append(1)):
        thread = threading.Thread(target=fresh(), args=(3,))
        thread.start()
        thread.join()
    assert said == []
