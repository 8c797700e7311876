"""Numbers of labels and paths share a key. Where they do not fit, nothing is verified: two that were counted as one could pass."""

from __future__ import annotations

import json

import pytest

from shoal.errors import DataError
from shoal.verifier.trees import gathering
from shoal.verifier.trees.reading import read_facts
from shoal.verifier.trees.shape import TreeShape


@pytest.mark.parametrize("limit", ["_LABEL_BITS", "_PATH_BITS"])
def test_what_does_not_fit_is_refused(tmp_path, monkeypatch, limit):
    path = tmp_path / "trees.jsonl"
    path.write_text("".join(json.dumps({"a": [{"value": str(i)}]}) + "\n" for i in range(9)))
    shape = TreeShape.of({"a": None})
    try:
        read_facts("release", path, shape, ())
    except DataError as error:
        pytest.fail(f"the file itself is refused: {error}")
    monkeypatch.setattr(gathering, limit, 3)
    with pytest.raises(DataError, match="more than 8 different values or paths"):
        read_facts("release", path, shape, ())
