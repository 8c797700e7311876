"""Work on a store that Ctrl-C cannot break into, and that does not end with a connection to Java.

Ctrl-C reaches the main thread only. When it breaks into a call to Java, py4j asks Java to end that connection, and Java ends every
connection of this process, and interrupts what they do, at the moment it hears of it: perhaps in the middle of the cleaning up. So
what changes a store runs in a thread of its own, and what puts it in order is tried again.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event
from typing import TYPE_CHECKING

from shoal.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable

_TICK = 0.2  # seconds; a signal that comes just before a wait begins is heard only after it
_PAUSES = (0.1, 0.4, 1.6)  # seconds; Java ends its connections once for each that was open


def apart(work: Callable[[Event], None]) -> None:
    """Do it in a thread of its own, and wait for its end. Ctrl-C sets the event that `work` looks at between its steps, and stays
    what it is, unless `work` has to tell about the data: then that is told."""
    stopped, faults = Event(), list[BaseException]()

    def run() -> None:
        try:
            if not stopped.is_set():
                work(stopped)
        except BaseException as fault:
            faults.append(fault)

    try:
        with ThreadPoolExecutor(1, "shoal-store") as thread:
            thread.submit(
                bool
            ).result()  # first of all it starts: one that Ctrl-C meets while it does is not waited for
            try:
                running = thread.submit(run)
                while not running.done():
                    wait([running], _TICK)
            except KeyboardInterrupt:
                stopped.set()
                raise
    except KeyboardInterrupt:
        for fault in faults:
            if isinstance(fault, DataError):
                raise fault from None
        raise
    for fault in faults:
        raise fault


def persistently(work: Callable[[], None]) -> None:
    """Do it, and again when Java did not answer or failed. It must do no harm when some or all of it was done already."""
    for pause in _PAUSES:
        try:
            return work()
        except Exception as error:
            if not is_of_spark(error):
                raise
        time.sleep(pause)
    return work()


def is_of_spark(error: BaseException) -> bool:
    """Raised by Spark or by the way to Java, not by us."""
    return type(error).__module__.split(".")[0] in {"pyspark", "py4j"}
