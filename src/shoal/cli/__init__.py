"""The command line. Commands are imported when they are called, so that `shoal --help` answers at once."""

from __future__ import annotations

import sys

from shoal.cli.root import shoal


def main() -> None:
    """Run a command; every ending is one of the documented exit codes, none is a traceback."""
    from shoal.cli.errors import run_command

    sys.exit(run_command(shoal, sys.argv[1:]))
