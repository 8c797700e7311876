"""The command line. Commands are imported when they are called, so that `shoal --help` answers at once."""

from __future__ import annotations

import os
import sys

from shoal.cli.root import shoal


def main() -> None:
    """Run a command; every ending is one of the documented exit codes, none is a traceback."""
    from shoal.cli.errors import run_command

    code = run_command(shoal, sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    # Everything is closed and on disk by now. Leaving without the interpreter's teardown saves time, and keeps worker threads
    # of Arrow that are still winding down from turning a success into an abort.
    os._exit(code)
