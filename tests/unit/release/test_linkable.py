"""A column that is published as it is and tells people apart: refused by the maker, unless the recipe accepts it openly."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import shoal
from shoal.errors import RecipeError
from shoal.release.preview import preview
from shoal.release.recipe.recipe import Recipe

if TYPE_CHECKING:
    from pathlib import Path

NUMBER = 60


def recipe(**note: Any) -> dict[str, Any]:
    return {
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [20], "from": 0, "to": 100}},
            "note": {"role": "plain", **note},
            "ward": {"role": "sensitive"},
        },
        "guarantee": [{"name": "k-anonymity", "k": 5}],
        "method": {"name": "optimal"},
    }


def people() -> pa.Table:
    return pa.table(
        {
            "age": [str(20 + i % 30) for i in range(NUMBER)],
            "note": [f"canary {i}" for i in range(NUMBER)],
            "ward": [f"w{i % 3}" for i in range(NUMBER)],
        }
    )


def files(folder: Path, **note: Any) -> Path:
    columns = recipe(**note)
    (folder / "people.csv").write_text(
        "\n".join(["age,note,ward", *(",".join(row.values()) for row in people().to_pylist())]) + "\n"
    )
    note_line = ", ".join(f"{key} = {json.dumps(value)}" for key, value in columns["columns"]["note"].items())
    (folder / "recipe.toml").write_text(
        '[input]\npath = "people.csv"\n[output]\npath = "out/people.csv"\n[columns]\n'
        'age = { role = "quasi", hierarchy = { intervals = [20], from = 0, to = 100 } }\n'
        f'note = {{ {note_line} }}\nward = {{ role = "sensitive" }}\n[[guarantee]]\nname = "k-anonymity"\nk = 5\n'
        '[method]\nname = "optimal"\n'
    )
    return folder / "recipe.toml"


@pytest.mark.parametrize("role", ["plain", "sensitive"])
def test_an_id_left_plain_is_refused_before_anything_is_decided(tmp_path: Path, role: str) -> None:
    path = files(tmp_path, role=role)
    with pytest.raises(
        RecipeError, match=r"columns\.note: is published as it is, and 60 of 60 people are alone"
    ) as told:
        shoal.run(path)
    assert told.value.exit_code == 2
    assert "canary" not in str(told.value)
    assert not (tmp_path / "out").exists()
    assert any("columns.note" in warning for warning in preview(path).warnings)


def test_data_in_memory_is_refused_too() -> None:
    with pytest.raises(RecipeError, match="accept_unique"):
        shoal.anonymize(people(), recipe())


def test_what_is_accepted_stands_on_page_one_and_in_the_figures(tmp_path: Path) -> None:
    shoal.run(files(tmp_path, accept_unique=True, reason="drawn by lot for this release"))
    report = json.loads((tmp_path / "out/people.report.json").read_text())["facts"]
    told = {"columns": ["note"], "records": NUMBER, "reason": "drawn by lot for this release"}
    assert told in report["singled"]
    first_page = (tmp_path / "out/people.report.html").read_text().split('id="promise"')[0]
    assert "1&nbsp;in&nbsp;1" in first_page and "for 100\u00a0% of the records" in first_page
    assert first_page.count("drawn by lot for this release") == 2  # beside the figure, and before one signs
    assert shoal.verify(tmp_path / "out/people.csv", tmp_path / "recipe.toml").passed


@pytest.mark.parametrize(
    ("note", "problem"),
    [
        ({"accept_unique": True}, "needs a `reason`"),
        ({"accept_unique": True, "reason": "  "}, "needs a `reason`"),
        ({"accept_unique": True, "reason": "x", "role": "quasi"}, "is for what is published as it is"),
        ({"accept_unique": True, "reason": "x", "role": "identifying"}, "is for what is published as it is"),
    ],
)
def test_accepting_needs_a_reason_and_something_to_accept(note: dict[str, Any], problem: str) -> None:
    with pytest.raises(RecipeError, match=problem):
        Recipe.of(recipe(**note))


def test_suppression_that_leaves_too_many_alone_is_told_as_a_mistake_of_the_recipe() -> None:
    """11 of 230 people are alone, which is less than 5 %; but only 210 are published."""
    ages = ["30"] * 210 + [str(60 + i) for i in range(20)]
    notes = [f"n{i}" for i in range(11)] + ["-"] * 219
    made = recipe() | {"suppression": {"limit": 0.1}}
    made["columns"]["age"] = {"role": "quasi"}
    table = pa.table({"age": ages, "note": notes, "ward": ["w"] * 230})
    with pytest.raises(RecipeError, match="11 of 210 records are alone"):
        shoal.anonymize(table, made)
