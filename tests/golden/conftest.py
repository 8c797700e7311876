from __future__ import annotations

import json

import pytest


@pytest.fixture(scope="session")
def golden(shared):
    """The worked examples of papers 001, 002 and 004 by id."""
    cases = {}
    for path in sorted((shared / "golden").glob("00[124]_*.json")):
        for case in json.loads(path.read_text())["cases"]:
            cases[case["id"]] = case
    return cases
