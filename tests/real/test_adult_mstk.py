"""Method mstk on the whole of Adult, with the six columns of paper 002: verified from the file, and no record lost."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import shoal
from real.tables import ADULT

EXAMPLES = Path(__file__).resolve().parents[2] / "examples/adult"
HEIGHTS = {"age": 4, "workclass": 3, "sex": 1, "education": 4, "race": 2, "occupation": 2}  # Table 5 of the paper


@pytest.fixture
def recipe(tmp_path, shared):
    """The example recipe for some k, in a folder of its own."""

    def copy(k: int, more: str = "") -> Path:
        for name in ("mstk", "poka"):
            shutil.copytree(EXAMPLES / name, tmp_path / name, dirs_exist_ok=True)
        path = tmp_path / "mstk/recipe.toml"
        text = path.read_text().replace("../../../../shared", str(shared)).replace("k = 3", f"k = {k}")
        path.write_text(text.replace('name = "mstk"', f'name = "mstk"\n{more}'))
        return path

    return copy


def check(path: Path, shared: Path, k: int) -> shoal.Release:
    release = shoal.run(path)
    file = path.parent / "release/adult.parquet"
    assert shoal.verify(file, path, original=ADULT.path(shared)).passed
    classes = Counter(tuple(row.values()) for row in pq.read_table(file).to_pylist())
    assert sum(classes.values()) == release.records_out == release.records_in == 30_162
    assert min(classes.values()) >= k and len(classes) == release.verdict.classes
    shutil.rmtree(file.parent)
    return release


def test_adult_whole(recipe, shared):
    release = check(recipe(3), shared, 3)
    recoding = release.decision.recoding
    assert {c: h.height for c, h in zip(recoding.columns, recoding.hierarchies, strict=True)} == HEIGHTS
    assert release.loss < 0.03


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 6, 11, 21, 50])
def test_adult_whole_for_other_k(recipe, shared, k):
    check(recipe(k), shared, k)


@pytest.mark.slow
def test_splitting_again_loses_less(recipe, shared):
    assert check(recipe(10), shared, 10).loss < check(recipe(10, "resplit = false"), shared, 10).loss
