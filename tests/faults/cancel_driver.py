"""`shoal run RECIPE` as the command line runs it, with Ctrl-C a moment after a stage has begun: cancel_driver.py RECIPE STAGE"""

from __future__ import annotations

import signal
import sys
import threading
from contextlib import contextmanager

import shoal.cli.progress
from shoal.cli.errors import run_command
from shoal.cli.root import shoal as command

MOMENT = 0.2  # seconds
stage = sys.argv[2]


@contextmanager
def progress(quiet=False):
    pressed = []

    def listen(event):
        if event.stage == stage and not pressed:
            pressed.append(event)
            threading.Timer(MOMENT, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT)).start()

    yield listen


shoal.cli.progress.progress = progress
sys.exit(run_command(command, ["run", sys.argv[1]]))
