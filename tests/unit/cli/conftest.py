"""A command, called in this process."""

from __future__ import annotations

import pytest

from shoal.cli.errors import run_command
from shoal.cli.root import shoal


@pytest.fixture
def call(capsys):
    def run(*args):
        code = run_command(shoal, [str(a) for a in args])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err + captured.out
        return code, captured.out, captured.err

    return run
