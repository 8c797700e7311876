"""`shoal run RECIPE` as the command line runs it, with a kernel that takes its time in the middle: long_kernel.py SECONDS RECIPE"""

from __future__ import annotations

import ctypes
import sys

from numba import njit

from shoal.cli import main
from shoal.engines.engine import Progress
from shoal.methods.tables.optimal import Optimal

usleep = ctypes.CDLL(None).usleep
usleep.argtypes = [ctypes.c_uint32]


@njit(nogil=True)
def take_time(times):
    for _ in range(times):
        usleep(10_000)


take_time(0)
seconds, decide = int(sys.argv.pop(1)), Optimal.decide


def decide_slowly(self, engine, problem, listener, **options):
    listener(Progress("search", "the kernel works", 1.0))
    print("kernel begins", file=sys.stderr)
    take_time(seconds * 100)
    print("kernel is over", file=sys.stderr)
    return decide(self, engine, problem, listener, **options)


Optimal.decide = decide_slowly
sys.argv[1:1] = ["run"]
main()
