"""One sensitive value in two spellings is no diversity: makers refuse the column by name, and quote nothing of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import shoal
from shoal.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

RECIPE = """
[input]
path = "in.csv"
[output]
path = "out/people.csv"
[columns]
q = { role = "quasi" }
illness = { role = "sensitive" }
[[guarantee]]
name = "k-anonymity"
k = 2
[[guarantee]]
name = "l-diversity"
l = 2
column = "illness"
[method]
name = "optimal"
"""


@pytest.mark.parametrize(("one", "two"), [("flu", "flu\u2800"), ("flu A", "flu  A"), ("9", "9.0")])
def test_the_column_is_refused(one: str, two: str, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("q,illness\n" + f"a,{one}\na,{two}\n" * 2, encoding="utf-8")
    (tmp_path / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    with pytest.raises(DataError, match="Column 'illness': 2 values look like another value") as caught:
        shoal.run(tmp_path / "recipe.toml")
    assert "flu" not in str(caught.value)
    assert not (tmp_path / "out").exists()
