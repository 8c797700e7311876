"""Every guarantee and every loss has a picture of its idea, it is the one that the script draws, and its page shows it."""

from __future__ import annotations

import importlib.util
import re
from typing import Any

import pytest
from doc_pages import PROJECT

from shoal.guarantees import GUARANTEES
from shoal.loss import KINDS

SPEC = importlib.util.spec_from_file_location("draw_ideas", PROJECT / "docs" / "draw_ideas.py")
assert SPEC is not None and SPEC.loader is not None
IDEAS: Any = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(IDEAS)
ALL = [(folder, name) for folder, ideas in IDEAS.FOLDERS.items() for name in ideas]


@pytest.mark.parametrize(("folder", "name"), ALL)
def test_it_is_drawn_and_shown(folder: str, name: str) -> None:
    drawn = PROJECT / "docs/pictures" / folder / f"{name}.svg"
    assert drawn.read_text("utf-8") == IDEAS.draw(name, IDEAS.FOLDERS[folder][name]), "run docs/draw_ideas.py"
    page = (PROJECT / "docs/reference" / f"{folder}.md").read_text("utf-8")
    heading = name.replace("-of-", " of ").replace("item-sets", "item sets")
    section = re.search(rf"(?ms)^##+ {re.escape(heading)}$(.*?)(?=^##)", page)
    assert section is not None and f"(../pictures/{folder}/{name}.svg)" in section[1]


def test_none_is_forgotten() -> None:
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
