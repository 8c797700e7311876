"""What all tests share."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
SHARED = HERE.parents[1] / "shared"
sys.path.insert(0, str(HERE))  # oracles and harnesses are imported as `properties.…`, `faults.…`


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with benchmark data and golden cases, beside the project."""
    if not SHARED.is_dir():
        pytest.skip("the folder `shared` with benchmark data is not beside the project")
    return SHARED
