"""Bombs among office files: the makers' reader and the verifier's each refuse them soon, in limited memory, with a sentence."""

from __future__ import annotations

import resource

import pytest
from office_bombs import FILES

from shoal.errors import DataError
from shoal.io.office.opening import open_office
from shoal.io.reading import RowReading
from shoal.verifier.files.office.apart import read_apart

pytest.importorskip("python_calamine", reason="Excel needs the extra: pip install 'shoal[office]'")
pytest.importorskip("pyreadstat", reason="SPSS, Stata and SAS need the extra: pip install 'shoal[office]'")
pytest.importorskip("pandas", reason="the verifier reads .sas7bdat with pandas")
SECONDS = 10  # of processor time for both readers, with starting their processes; see docs/evidence/office.md
EMPTY = ("cases that are not there",)  # the makers' reader finds no case and says so later; the verifier refuses


def spent() -> float:
    """Processor time so far: the clock would measure what else the machine does."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


@pytest.mark.faults
@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_a_bomb_does_no_harm(tmp_path, name):
    suffix, write = FILES[name]
    path = tmp_path / f"bomb{suffix}"
    write(path)
    started = spent()
    if name in EMPTY:
        assert open_office(path, RowReading()).table.num_rows == 0
    else:
        with pytest.raises(DataError, match=r"bomb\.[a-z0-9]+"):
            open_office(path, RowReading())
    with pytest.raises(DataError):
        read_apart(path, missing=[])
    assert spent() - started < SECONDS
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 4 << 20  # KiB: nothing of it came here
