from __future__ import annotations

import pytest

from shoal.release.examples import write_example


@pytest.fixture
def demo(tmp_path):
    """The made-up patients, with a ledger."""
    write_example("table", tmp_path / "demo")
    recipe = tmp_path / "demo" / "recipe.toml"
    recipe.write_text(recipe.read_text() + '\n[ledger]\npath = "private/ledger.jsonl"\n')
    return tmp_path / "demo"
