"""What stands after the name of a benchmark that has no options: `--help` shows what its file says, and so does too little."""

from __future__ import annotations

import sys


def given(about: str | None, least: int, most: int | None = None) -> list[str]:
    """The words of the command line, from `least` to `most` of them; with `most` None any number."""
    words = sys.argv[1:]
    said = (about or "").strip()
    if "--help" in words or "-h" in words:
        print(said)
        raise SystemExit(0)
    if len(words) < least or (most is not None and len(words) > most):
        print(said, file=sys.stderr)
        raise SystemExit(2)
    return words
