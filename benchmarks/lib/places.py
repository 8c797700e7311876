"""Where the project lies, and the data beside it. Whoever lacks the data is told so, and not shown a traceback."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import TracebackType

PROJECT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("SHOAL_SHARED", PROJECT.parent / "shared"))


def missing_data(error: BaseException) -> str | None:
    """What to do about an error that comes from data that is not here; None of any other error."""
    name = getattr(error, "filename", None)
    lost = isinstance(error, FileNotFoundError) and name is not None and str(name).startswith(str(SHARED))
    if not lost and (SHARED / "data").is_dir():
        return None
    if not lost and not (isinstance(error, FileNotFoundError) or type(error).__module__.startswith("shoal.")):
        return None
    what = Path(str(name)).relative_to(SHARED) if lost else Path("data")
    return (
        f"This benchmark needs {what}, which is not part of shoal and is not in {SHARED}. docs/data.md says where each data set "
        f"comes from, under which licence, and where to put it; SHOAL_SHARED names another folder."
    )


def _say(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    message = missing_data(error)
    if message is None:
        sys.__excepthook__(kind, error, trace)
    else:
        print(message, file=sys.stderr)


if sys.argv[0] == "-m" or "benchmarks" in sys.argv[0]:  # a benchmark is being run; tests keep their own ways
    sys.excepthook = _say
