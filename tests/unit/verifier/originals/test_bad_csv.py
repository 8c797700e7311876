"""The verifier's own reader of CSV refuses what the makers' refuses: the same curated files, quoting no cell."""

from __future__ import annotations

import sys
import time
import traceback
from pathlib import Path

import pytest

from shoal.errors import DataError, RecipeError
from shoal.verifier.originals.csv_files import csv_file
from shoal.verifier.recipe.places import Input

sys.path.insert(0, str(Path(__file__).parents[2] / "io"))
import bad_inputs

KEYS = ("delimiter", "encoding", "quote", "multiline", "missing")
# What a file is by its name is asked elsewhere; and the verifier reads fields of any length, within its memory.
ELSEWHERE = ("suffix-", "foreign-bzip2", "foreign-pdf", "gzip-plain", "field-large", "record-large")
CASES = [bad for bad in bad_inputs.csv_cases() if not bad.id.startswith(ELSEWHERE)]


def test_most_are_tried():
    assert len(CASES) >= 350


@pytest.mark.parametrize("bad", CASES, ids=lambda bad: bad.id)
def test_refused(bad: bad_inputs.Bad, tmp_path: Path):
    path = tmp_path / bad.file
    path.write_bytes(bad.data)
    place = Input(path, **{key: value for key, value in bad.options.items() if key in KEYS})
    started = time.perf_counter()
    with pytest.raises((DataError, RecipeError)) as caught, csv_file(path, place) as (_, reader):
        for _ in reader:
            pass
    assert time.perf_counter() - started < 5
    assert bad_inputs.CANARY not in "".join(traceback.format_exception_only(caught.value))
