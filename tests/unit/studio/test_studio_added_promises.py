"""Promises of other packages: shown where the recipe makes them, never dropped, and offered or refused with a reason."""

from __future__ import annotations

import re
import sys
from html import unescape
from typing import Any

import pytest

from shoal.guarantees import GUARANTEES

PACKAGE = """
from dataclasses import dataclass
from typing import ClassVar
@dataclass(frozen=True)
class Pairs:
    least: int
    name: ClassVar = "pairs"
    kind: ClassVar = "tables"
    k: ClassVar = None
    l: ClassVar = None
    m: ClassVar = None
    n: ClassVar = None
    sensitive: ClassVar = None
    monotone: ClassVar = True
    monotone_with_suppression: ClassVar = True
    def sentence(self):
        return f"Nobody stands with fewer than {self.least}."
    def technical(self):
        return f"pairs of {self.least}"
    def failing(self, classes):
        return classes.sizes < self.least
@dataclass(frozen=True)
class Unchecked(Pairs):
    name: ClassVar = "unchecked"
def check(classes, parameters):
    return [i for i, one in enumerate(classes) if one.size < parameters["least"]]
"""
ENTRIES = """
[shoal.guarantees]
pairs = added_for_studio:Pairs
unchecked = added_for_studio:Unchecked
broken = added_for_studio:Nothing
[shoal.checks]
pairs = added_for_studio:check
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    folder = tmp_path / "site"
    info = folder / "added_for_studio-1.2.dist-info"
    info.mkdir(parents=True)
    (folder / "added_for_studio.py").write_text(PACKAGE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: added_for_studio\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text(ENTRIES)
    monkeypatch.syspath_prepend(folder)
    GUARANTEES.forget()
    yield
    sys.modules.pop("added_for_studio", None)
    monkeypatch.undo()
    GUARANTEES.forget()


def words(response: Any) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", response.text)).split())


def promising(studio, **guarantee):
    """A project whose recipe makes this promise after its own."""
    project = studio.open_example()
    document = project.document()
    project.save(document, document.put_guarantees([*document.values["guarantee"], guarantee]))
    return project


def test_what_packages_bring_is_offered_or_refused_with_a_reason(studio, package) -> None:
    page = words(studio.get(f"/r/{studio.open_example().key}/promise"))
    assert "pairs, from added_for_studio 1.2: write it into the recipe, with least; its package checks it." in page
    assert "unchecked, from added_for_studio 1.2: not offered. Its package ships no check of it" in page
    assert "broken, from added_for_studio 1.2: not offered. It cannot be used" in page
    baskets = words(studio.get(f"/r/{studio.open_example('baskets').key}/promise"))
    assert "pairs, from" not in baskets  # it is about tables


def test_one_that_the_recipe_makes_is_shown_kept_and_removed(studio, package) -> None:
    project = promising(studio, name="pairs", least=3)
    place = len(project.document().values["guarantee"]) - 1
    page = words(studio.get(f"/r/{project.key}/promise"))
    assert "Nobody stands with fewer than 3." in page and "pairs of 3" in page
    studio.change(project, "promise", **{"k-0": "7"})
    assert project.document().values["guarantee"][place] == {"name": "pairs", "least": 3}
    studio.change(project, f"promise/remove/{place}")
    assert len(project.document().values["guarantee"]) == place


def test_one_without_a_check_is_refused_where_it_stands(studio, package) -> None:
    project = promising(studio, name="unchecked", least=3)
    page = words(studio.get(f"/r/{project.key}/promise"))
    assert "unchecked, from added_for_studio 1.2 Remove" in page and "no release could be verified" in page
