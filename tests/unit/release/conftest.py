from __future__ import annotations

import pytest

from shoal.release.examples import write_example


@pytest.fixture
def demo(tmp_path):
    """The made-up patients with their recipe."""
    write_example("table", tmp_path / "demo")
    return tmp_path / "demo"
