"""What `auto` says while it works."""

from __future__ import annotations

from types import SimpleNamespace

import pyarrow as pa
import pytest

import shoal
from shoal.kernels.tables import neighbourhood, opening, peeling

FRAME = pa.table({"age": [str(20 + i // 2) for i in range(40)], "town": ["Ulm", "Kiel", "Bonn", "Kiel"] * 10})
RECIPE = {
    "columns": {
        "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10], "from": 0, "to": 100}},
        "town": {"role": "quasi"},
    },
    "guarantee": [{"name": "k-anonymity", "k": 3}],
    "method": {"name": "auto", "budget": "10m"},
}


def told() -> list[str]:
    said = []
    shoal.anonymize(FRAME, RECIPE, listener=lambda event: said.append(event.message))
    return [message for message in said if message.startswith(("trying peel", "trying open", "improving"))]


@pytest.mark.parametrize(("compiled", "more"), [(["it is"], ""), ([], " (preparing kernels, once)")])
def test_kernels_that_are_compiled_first_are_announced(monkeypatch, compiled, more) -> None:
    for module, kernel in ((peeling, "peel"), (opening, "open_boxes"), (neighbourhood, "improve")):
        monkeypatch.setattr(module, kernel, SimpleNamespace(signatures=compiled))  # what is said, not what runs
    assert told() == [f"trying peel{more}", f"trying open{more}", f"improving open{more}"]
