"""A process that stands ready, does one job and ends: the job on its input as a line of JSON, progress on its output.

It says nothing else on its output and nothing on its errors: what a library prints may show cells of the data.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal import system
from shoal.errors import ShoalError
from shoal.studio.projects import write_private

if TYPE_CHECKING:
    from shoal.methods.method import Progress

_PAUSE = 0.05  # seconds between two lines of progress


def main() -> int:
    """Exit code 0 whenever an answer was given, good or bad."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever starts the studio with `&` makes it deaf to it
    system.end_children_with_me()
    say = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)  # whatever is printed goes where errors go
    from shoal.studio.work.registry import WORKS

    line = sys.stdin.readline()
    if not line:
        return 0
    threading.Thread(target=_end_with_the_studio, daemon=True).start()
    task: dict[str, Any] = json.loads(line)
    last, stage = 0.0, ""

    def listener(event: Progress) -> None:
        nonlocal last, stage
        now = time.monotonic()
        if event.stage != stage or now - last >= _PAUSE:
            last, stage = now, event.stage
            say.write(json.dumps({"stage": event.stage, "message": event.message, "done": event.done}) + "\n")

    try:
        result = WORKS[task["work"]](Path(task["recipe"]), task["options"], listener)
        write_private(Path(task["result"]), json.dumps(result))
        answer: dict[str, Any] = {"ended": True}
    except KeyboardInterrupt:
        return 130
    except ShoalError as reason:
        answer = {"error": str(reason)}
    except MemoryError:
        answer = {"error": "This computer has too little memory for it. Close other programs and try again."}
    except Exception as bug:
        kind = type(bug).__name__
        answer = {"error": f"This is a fault of shoal ({kind}), not yours. `shoal run` on the recipe tells more."}
    say.write(json.dumps(answer) + "\n")
    return 0


def _end_with_the_studio() -> None:
    """The other end of our input closes when the studio ends, even if it is killed."""
    sys.stdin.read()
    system.interrupt_myself()
    time.sleep(5)
    system.end_myself(130)


if __name__ == "__main__":
    sys.exit(main())
