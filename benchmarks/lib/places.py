"""Where the project lies, and the data beside it. Whoever lacks the data is told so, and not shown a traceback."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import TracebackType

PROJECT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("SHOAL_SHARED", PROJECT.parent / "shared"))


ADVICE = "docs/data.md says where data comes from, under which licence, and where to put it; SHOAL_SHARED names another folder."


def missing_data(error: BaseException) -> str | None:
    """What to do about an error that comes from data that is not here; None of any other error."""
    name = str(getattr(error, "filename", None) or "")
    ours = type(error).__module__.startswith("shoal.")
    if isinstance(error, FileNotFoundError) and Path(name).name == "tpchgen-cli":
        return (
            "This benchmark makes its rows with tpchgen-cli, which is not here: pip install tpchgen-cli (docs/data.md)."
        )
    if isinstance(error, FileNotFoundError) and name.startswith(str(SHARED)):
        what = Path(name).relative_to(SHARED)
        return f"This benchmark needs {what}, which is not part of shoal and is not in {SHARED}. {ADVICE}"
    if ours and "shared/data" in str(error):  # a recipe of the examples, or its hierarchy
        return f"{error} {ADVICE}"
    if (ours or isinstance(error, FileNotFoundError)) and not (SHARED / "data").is_dir():
        return f"This benchmark needs data, which is not part of shoal and is not in {SHARED}. {ADVICE}"
    return None


def _say(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    message = missing_data(error)
    if message is None:
        sys.__excepthook__(kind, error, trace)
    else:
        print(message, file=sys.stderr)


if sys.argv[0] == "-m" or "benchmarks" in sys.argv[0]:  # a benchmark is being run; tests keep their own ways
    sys.excepthook = _say
