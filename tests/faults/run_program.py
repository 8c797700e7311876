"""The program under test: the whole of `shoal run` with one recipe, in the place of what was released before.

- `run_program.py RECIPE`
"""

from __future__ import annotations

import encodings.utf_8_sig  # noqa: F401 - what a run loads late, each child would load anew

import numpy as np
import pyarrow.pandas_compat  # noqa: F401

import shoal.cli.run
import shoal.io.csv_write
import shoal.release.kinds.tables.describe
import shoal.release.run
from shoal.cli.errors import run_command
from shoal.cli.root import shoal
from shoal.kernels.grouping import group_sum
from shoal.report.page import environment

# the compiled kernel and the template, once for all runs
group_sum(np.zeros((1, 1), np.uint64), np.ones(1, np.int64))
environment().get_template("tables/report.html.jinja")


def main(argv: list[str]) -> int:
    return run_command(shoal, ["run", argv[0], "--replace"])
