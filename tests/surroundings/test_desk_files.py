"""Files as people have them: each is proposed, confirmed, published and verified, or refused with words that help."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("openpyxl", reason="workbooks are written with openpyxl")
pytest.importorskip("pyreadstat", reason="files of SPSS are written with pyreadstat: pip install 'shoal[office]'")

from samples.desk.desk import FILES
from samples.desk.file import DeskFile
from samples.desk.journey import travel


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_it_is_published_or_refused_with_words_that_help(
    file: DeskFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    journey = travel(file)
    assert "Traceback" not in journey.words
    wanted = "refused" if file.refused else "stopped" if file.stopped else "verified"
    assert journey.end == wanted, f"{journey.words}\n{journey.recipe}"
    assert journey.code in (0, 1, 2, 3)
    assert re.search(file.refused or file.stopped, journey.words), journey.words
    assert [part for part in file.proposes if part not in journey.recipe] == [], journey.recipe
    there = {path.name for path in Path().iterdir()}
    assert there <= {file.name, "recipe.toml", "release"}
    assert journey.unchanged, "the original was written to"


def test_there_are_sixty_of_them() -> None:
    assert len({file.name for file in FILES}) == len(FILES) >= 60
