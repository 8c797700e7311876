"""Every guarantee, loss and method has a picture of its idea, it is the one that the script draws, and its page shows it."""

from __future__ import annotations

import importlib
import re
import sys
from typing import Any

import pytest
from doc_pages import PROJECT

from shoal.guarantees import GUARANTEES
from shoal.loss import KINDS
from shoal.methods.registry import METHODS

sys.path.insert(0, str(PROJECT / "docs"))
IDEAS: Any = importlib.import_module("draw_ideas")
DRAWN: Any = importlib.import_module("draw_methods")
SETS: Any = importlib.import_module("draw_methods_of_sets")
OF_METHODS = {**DRAWN.TABLES, **SETS.OTHERS}
ALL = [(folder, name) for folder, ideas in IDEAS.FOLDERS.items() for name in ideas]


@pytest.mark.parametrize(("folder", "name"), ALL)
def test_it_is_drawn_and_shown(folder: str, name: str) -> None:
    drawn = PROJECT / "docs/pictures" / folder / f"{name}.svg"
    assert drawn.read_text("utf-8") == IDEAS.draw(name, IDEAS.FOLDERS[folder][name]), "run docs/draw_ideas.py"
    page = (PROJECT / "docs/reference" / f"{folder}.md").read_text("utf-8")
    heading = name.replace("-of-", " of ").replace("item-sets", "item sets")
    section = re.search(rf"(?ms)^##+ {re.escape(heading)}$(.*?)(?=^##)", page)
    assert section is not None and f"(../pictures/{folder}/{name}.svg)" in section[1]


@pytest.mark.parametrize("name", OF_METHODS)
def test_a_method_is_drawn_and_shown(name: str) -> None:
    drawn = PROJECT / "docs/pictures/methods" / f"{name}.svg"
    assert drawn.read_text("utf-8") == IDEAS.draw(name, OF_METHODS[name], DRAWN.WIDE), "run docs/draw_methods.py"
    page = (PROJECT / "docs/methods" / f"{name}.md").read_text("utf-8")
    assert f"![The idea of {name}](../pictures/methods/{name}.svg)" in page


def test_none_is_forgotten() -> None:
    assert set(METHODS) | {"blocks"} == set(OF_METHODS)
    assert {path.stem for path in (PROJECT / "docs/methods").glob("*.md")} == set(OF_METHODS)
    assert {path.stem for path in (PROJECT / "docs/pictures/methods").iterdir()} == set(OF_METHODS)
    assert set(IDEAS.GUARANTEES) == set(GUARANTEES)
    assert {name for losses in KINDS.values() for name in losses} <= set(IDEAS.LOSSES)


def test_nothing_else_lies_beside_them() -> None:
    there = {
        (path.parent.name, path.stem)
        for folder in IDEAS.FOLDERS
        for path in (PROJECT / "docs/pictures" / folder).iterdir()
    }
    assert there == set(ALL)


def test_what_is_drawn_keeps_what_it_says() -> None:
    assert IDEAS.fewest(IDEAS.BASKETS, 2) == 2
    for known in ({"bread"}, {"milk", "tea"}, {"rice", "tea"}, {"tea"}, set()):
        paid = [IDEAS.PAID[place] for place in IDEAS.holding(known)]
        assert max(map(paid.count, paid)) * 2 <= len(paid)
    assert IDEAS.fewest([("a", "b"), ("a",)], 2) == 1


def test_what_is_drawn_of_methods_keeps_what_it_says() -> None:
    for classes in (DRAWN.cut_up(DRAWN.PEOPLE, 3), DRAWN.gathered(3)):
        assert sorted(person for one in classes for person in one) == sorted(DRAWN.PEOPLE)
        assert min(map(len, classes)) >= 3
    assert len(DRAWN.spanning()) == len(DRAWN.PEOPLE) - 1
    assert DRAWN.smallest(DRAWN.best(3)) >= 3
    assert IDEAS.fewest(SETS.labelled(["dairy"]), 2) >= 2 > IDEAS.fewest(SETS.labelled(["dairy", "drinks"]), 2)
    lost = [(SETS.values_lost(state), SETS.items_lost(state)) for state in SETS.STATES]
    assert lost == sorted(lost, key=lambda pair: (pair[0], -pair[1]))
