"""Numbers that are put aside come back as they were, or nothing is verified; and nobody else finds them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import DataError, InternalError
from shoal.verifier.files import aside
from shoal.verifier.files.aside import Aside


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=5), max_size=6), st.integers(0, 12), st.data())
def test_what_was_put_aside_comes_back(parts, few, data):
    whole = [number for part in parts for number in part]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(aside, "_FEW", few)
        kept = Aside()
        for part in parts:
            kept.add(np.array(part, np.int32))
        assert len(kept) == len(whole)
        for _ in range(4):
            first, last = data.draw(st.integers(0, 30)), data.draw(st.integers(0, 30))
            assert kept[first:last].tolist() == whole[first:last]
        assert kept[:].tolist() == whole
        kept.close()
        assert len(kept) == 0


def _large(folder):
    kept = Aside(folder)
    kept.add(np.arange(aside._FEW + 1, dtype=np.int32))
    return kept


def test_the_file_has_no_name_and_one_reader(tmp_path):
    kept = _large(tmp_path)
    assert list(tmp_path.iterdir()) == []
    told = os.fstat(kept._file.fileno())
    assert (stat.S_IMODE(told.st_mode), told.st_nlink) == (0o600, 0)
    assert told.st_size == 4 * len(kept)
    assert Path(f"/proc/self/fd/{kept._file.fileno()}").readlink().parts[: len(tmp_path.parts)] == tmp_path.parts


def test_what_is_not_all_there_is_a_fault(tmp_path):
    kept = _large(tmp_path)
    os.ftruncate(kept._file.fileno(), 4 * len(kept) - 1)
    with pytest.raises(InternalError, match="not all there"):
        kept[:]


def test_no_room_is_told(tmp_path, monkeypatch):
    kept = _large(tmp_path)
    with pytest.raises(DataError, match="cannot be written"):
        _large(tmp_path / "nowhere")
    monkeypatch.setattr(kept, "_file", Path("/dev/full").open("wb", buffering=0))  # noqa: SIM115
    with pytest.raises(DataError, match=r"cannot be written \(OSError\)"):
        kept.add(np.zeros(1, np.int32))


def test_other_numbers_are_refused():
    with pytest.raises(InternalError, match="int64"):
        Aside().add(np.zeros(1, np.int64))
    with pytest.raises(InternalError, match="in its order"):
        Aside()[::2]
