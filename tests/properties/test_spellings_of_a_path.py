"""However a path is spelt, it is recognised as the same place; and no other place is taken for it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.io.publishing.overlap import Place

FOLDERS = ["a", "b", "a/c", "a/c/d", "b/c"]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A few folders, each with the file `data.csv` and a link to every other folder."""
    root = tmp_path_factory.mktemp("spellings")
    for folder in FOLDERS:
        (root / folder).mkdir(parents=True)
        (root / folder / "data.csv").write_text(folder)
    for folder in FOLDERS:
        for other in FOLDERS:
            (root / folder / f"to-{other.replace('/', '-')}").symlink_to(root / other)
    return root


def detours(draw, place, folder):
    """Another spelling of a folder, by links, `.` and `..`."""
    path = str(place / draw(st.sampled_from(FOLDERS)))
    for _ in range(draw(st.integers(0, 4))):
        step = draw(
            st.sampled_from(["/.", "//.", "/nowhere/..", *(f"/to-{other.replace('/', '-')}" for other in FOLDERS)])
        )
        path += step
    return f"{path}/to-{folder.replace('/', '-')}"


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_file_in_any_spelling(place, data):
    folder, other = data.draw(st.sampled_from(FOLDERS)), data.draw(st.sampled_from(FOLDERS))
    spelt = data.draw(st.composite(detours)(place, folder))
    if data.draw(st.booleans()):
        spelt = os.path.relpath(os.path.realpath(spelt))
    name = data.draw(st.sampled_from(["data.csv", "Data.CSV", "new.csv"]))
    found, plain = Place.of(Path(spelt, name)), Place.of(place / other / "data.csv")
    # by the plain meaning: the same folder, and the same name in any letter case
    same = folder == other and name.lower() == "data.csv"
    assert (found.to(plain), plain.to(found)) == (("is", "is") if same else (None, None))
    inside = Path(place / folder).resolve().is_relative_to((place / other).resolve())
    assert (found.to(Place.of(place / other)) == "lies in") == inside
    assert (Place.of(place / other).to(found) == "holds") == inside
