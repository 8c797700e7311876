"""Compiled loops over arrays, each file one algorithm. They know nothing of shoal."""

from shoal.kernels.interrupts import hold_while_compiling

hold_while_compiling()
