"""The command line. Commands are imported when they are called, so that `shoal --help` answers at once."""

from __future__ import annotations

import os
import sys
import warnings

from shoal.cli.root import shoal


def main() -> None:
    """Run a command; every ending is one of the documented exit codes, none is a traceback."""
    from shoal.cli.errors import run_command
    from shoal.cli.terminal.streams import prepare_streams

    prepare_streams()
    warnings.showwarning = _warn
    code = run_command(shoal, sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    # Everything is closed and on disk by now. Leaving without the interpreter's teardown saves time, and keeps worker threads
    # of Arrow that are still winding down from turning a success into an abort.
    os._exit(code)


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    """A warning of ours or of a library, without the line of code that it comes from."""
    from shoal.cli.output import echo

    echo(f"Warning: {message}", fg="yellow", err=True)
