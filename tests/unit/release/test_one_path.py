"""One path: what `run` refuses, a comparison and a frontier refuse as well; what is only suggested they warn of."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import shoal
from shoal.engines.local import LocalEngine
from shoal.errors import DataError, InternalError, RecipeError
from shoal.release import engines as engines_module

NUMBER = 60


def rows(number: int = NUMBER) -> pa.Table:
    return pa.table(
        {
            "age": [str(20 + i % 3) for i in range(number)],
            "note": [f"n{i}" for i in range(number)],
            "items": [["bread", "milk"][: 1 + i % 2] for i in range(number)],
        }
    )


def recipe(*, mixed: bool, **note: Any) -> dict[str, Any]:
    items: dict[str, Any] = {"role": "quasi" if mixed else "identifying", "kind": "set"}
    promise = {"name": "k-km-anonymity", "k": 3, "m": 1} if mixed else {"name": "k-anonymity", "k": 3}
    return {
        "columns": {"age": {"role": "quasi"}, "note": {"role": "plain", **note}, "items": items},
        "guarantee": [promise],
        "method": {"name": "rum-bound", "delta": 0.9} if mixed else {"name": "optimal"},
    }


def compare(table: pa.Table, said: dict[str, Any]) -> Any:
    return shoal.compare(table, said, ["optimal"])


def frontier(table: pa.Table, said: dict[str, Any]) -> Any:
    return shoal.frontier(table, said)


def deltas(table: pa.Table, said: dict[str, Any]) -> Any:
    return shoal.frontier(table, said, deltas=[0.9])


CALLS = [(shoal.anonymize, False), (compare, False), (frontier, False), (shoal.anonymize, True), (deltas, True)]


@pytest.fixture(params=CALLS, ids=["anonymize", "compare", "frontier", "anonymize-mixed", "frontier-mixed"])
def way(request: pytest.FixtureRequest) -> Any:
    return request.param


def test_a_column_that_links_is_refused(way: Any) -> None:
    call, mixed = way
    with pytest.raises(RecipeError, match=r"columns\.note: is published as it is, and 60 of 60 people are alone"):
        call(rows(), recipe(mixed=mixed))


def test_no_records_are_refused(way: Any) -> None:
    call, mixed = way
    with pytest.raises(DataError, match="There are no records"):
        call(rows().slice(0, 0), recipe(mixed=mixed, role="identifying"))


def test_values_that_look_alike_are_refused(way: Any) -> None:
    call, mixed = way
    table = rows()
    table = table.set_column(0, "age", pa.array(["20", "20 "] * (NUMBER // 2)))
    with pytest.raises(DataError, match="look like another value"):
        call(table, recipe(mixed=mixed, role="identifying"))


@pytest.mark.parametrize(("call", "mixed"), [(compare, False), (deltas, True)])
def test_suggested_roles_are_a_warning_where_nothing_is_published(call: Any, mixed: bool) -> None:
    said = recipe(mixed=mixed, role="identifying", suggested=True)
    assert "only suggested: note" in call(rows(), said).warnings[0]
    with pytest.raises(RecipeError, match="only suggested: note"):
        shoal.anonymize(rows(), said)


@pytest.mark.parametrize("call", [shoal.anonymize, compare])
def test_an_engine_that_loses_records_within_the_limit_is_caught(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Lossy(LocalEngine):
        def frame(self) -> Any:
            frame = super().frame()
            return frame.slice(0, frame.num_rows - 1)

    monkeypatch.setattr(engines_module, "LocalEngine", Lossy)
    said = recipe(mixed=False, role="identifying") | {"suppression": {"limit": 0.5}}
    with pytest.raises(InternalError, match="59 records where 60 were written"):
        call(rows(), said)


def test_a_release_whose_records_could_be_linked_is_none() -> None:
    """11 of 230 people are alone, which is less than 5 %; but only 210 are published."""
    table = pa.table(
        {
            "age": ["30"] * 210 + [str(60 + i) for i in range(20)],
            "note": [f"n{i}" for i in range(11)] + ["-"] * 219,
            "items": [["bread"]] * 230,
        }
    )
    said = recipe(mixed=False) | {"suppression": {"limit": 0.1}}
    with pytest.raises(RecipeError, match="11 of 210 records are alone"):
        shoal.anonymize(table, said)
    (facts,) = compare(table, said).methods
    assert (facts.outcome, "11 of 210 records are alone" in facts.reason) == ("none", True)


def test_the_data_are_loaded_once_to_decide_and_once_for_each_release(monkeypatch: pytest.MonkeyPatch) -> None:
    loads = []
    load = LocalEngine.load
    monkeypatch.setattr(LocalEngine, "load", lambda self, *data: (loads.append(1), load(self, *data))[1])
    shoal.compare(rows(), recipe(mixed=False, role="identifying"), ["optimal", "mondrian"])
    assert len(loads) == 3
