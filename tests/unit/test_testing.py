"""The fixture `assert_anonymous`: it fails with counts and rows, never with a cell."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import entry_points

import pyarrow as pa
import pytest

from shoal.testing import assert_anonymous, check_anonymous

GOOD = pa.table({"age": ["20-29"] * 4 + ["30-39"] * 4, "illness": ["flu", "none"] * 4})
BAD = pa.table({"age": ["20-29"] * 4 + ["30-39"] * 3 + ["Methuselah"], "illness": ["flu", "none"] * 4})


def test_what_keeps_its_promise_passes() -> None:
    assert check_anonymous(GOOD, quasi=["age"], sensitive="illness", k=4, l=2).passed
    assert assert_anonymous is not None


@pytest.mark.parametrize(("k", "l"), [(5, 2), (4, 3)])
def test_what_does_not_fails(k, l) -> None:
    with pytest.raises(AssertionError, match="Does not meet the stated guarantee"):
        check_anonymous(GOOD, quasi=["age"], sensitive="illness", k=k, l=l)


def test_a_failure_names_rows_and_no_cell() -> None:
    with pytest.raises(AssertionError, match="rows 8") as failure:
        check_anonymous(BAD, quasi="age", sensitive="illness", k=3)
    assert "Methuselah" not in str(failure.value)


def test_with_a_recipe() -> None:
    recipe = {
        "columns": {"age": {"role": "quasi"}, "illness": {"role": "sensitive"}},
        "guarantee": [{"name": "k-anonymity", "k": 4}],
    }
    assert check_anonymous(GOOD, recipe).passed


@pytest.mark.slow
def test_pytest_finds_the_fixture_by_itself(tmp_path) -> None:
    file = tmp_path / "test_export.py"
    file.write_text(
        "import pyarrow as pa\n"
        "def test_good(assert_anonymous):\n"
        "    assert_anonymous(pa.table({'age': ['2*'] * 5}), quasi=['age'], k=5)\n"
        "def test_bad(assert_anonymous):\n"
        "    assert_anonymous(pa.table({'age': ['2*'] * 4}), quasi=['age'], k=5)\n"
    )
    installed = bool(entry_points(group="pytest11", name="shoal.testing"))
    by_name = [] if installed else ["-p", "shoal.testing"]  # an older installation of the project
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *by_name, str(file)],
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert "1 failed, 1 passed" in ran.stdout, ran.stdout
