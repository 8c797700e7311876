"""Ctrl-C while kernels are compiled is neither lost nor taken for a bug."""

from __future__ import annotations

import signal
import threading

import numpy as np
import pytest
from numba import njit
from numba.core import event

from shoal.kernels.interrupts import hold_while_compiling

pytestmark = pytest.mark.usefixtures("uncollected")

hold_while_compiling()


class Press(event.Listener):
    """Presses Ctrl-C where LLVM would lose it: in the midst of the compiler's work."""

    pressed = 0

    def on_start(self, event):
        if not self.pressed:
            self.pressed += 1
            signal.raise_signal(signal.SIGINT)
            for _ in range(1000):  # time enough to hear it
                pass

    def on_end(self, event):
        pass


def new_kernel():
    @njit
    def inner(values):
        return values[values > 1].sum()

    @njit
    def kernel(values):
        return inner(values) + 1

    return kernel


def compile_pressed(kernel):
    press = Press()
    with event.install_listener("numba:compile", press):
        kernel(np.arange(5))
    assert press.pressed


def test_it_is_heard_when_the_compiler_can_be_left():
    before = signal.getsignal(signal.SIGINT)
    kernel = new_kernel()
    with pytest.raises(KeyboardInterrupt):
        compile_pressed(kernel)
    assert signal.getsignal(signal.SIGINT) is before
    assert kernel(np.arange(5)) == 10  # and it can be compiled after that


def test_a_handler_of_the_program_is_asked():
    asked = []
    before = signal.signal(signal.SIGINT, lambda *given: asked.append(given))
    try:
        compile_pressed(new_kernel())
        assert asked == [(signal.SIGINT, None)]
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_ignored_signal_stays_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        compile_pressed(new_kernel())
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_compile_as_before():
    made = []
    thread = threading.Thread(target=lambda: made.append(new_kernel()(np.arange(5))))
    thread.start()
    thread.join()
    assert made == [10]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
