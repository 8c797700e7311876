"""What the counting promises to itself: every record is counted, once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from samples.verify_releases import KEPT
from shoal.errors import InternalError
from shoal.verifier.finding import Finding, judge
from shoal.verifier.holdings import merged
from shoal.verifier.source import open_source
from shoal.verifier.sql.duckdb import DuckDBSql, connection
from shoal.verifier.tables import classes
from shoal.verifier.tables.classes import count_classes, sums
from shoal.verifier.tables.groups import count_groups


def integers(*values: int) -> Any:
    return np.array(values, np.int64)


def test_equal_pairs_are_added_up() -> None:
    found = merged(integers(1, 0, 1, 0, 1), integers(5, 7, 5, 6, 4), integers(1, 2, 3, 4, 5))
    assert [part.tolist() for part in found] == [[0, 0, 1, 1], [6, 7, 4, 5], [4, 2, 5, 4]]
    assert [part.tolist() for part in merged(integers(), integers(), integers())] == [[], [], []]


def test_sums_by_class() -> None:
    assert sums(integers(0, 0, 2), integers(1, 2, 3), 4).tolist() == [3, 0, 3, 0]


def test_a_record_that_is_not_counted_is_our_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    with connection() as con:
        source = open_source(DuckDBSql(con), "release", KEPT, wanted=())
        groups = count_groups(source, "release", ("age", "zip"), ("illness",))
        assert groups.number == 5
        with pytest.raises(InternalError, match="5 records were counted in the release, which has 6"):
            count_classes(replace(groups, source=replace(source, records=6)))
        monkeypatch.setattr(classes, "sums", lambda *_: integers(1, 1))
        with pytest.raises(InternalError, match="'illness' were not counted as often as the records"):
            count_classes(groups, "illness", 1)


def test_a_class_that_is_not_judged_or_not_found_is_our_bug() -> None:
    with connection() as con:
        source = open_source(DuckDBSql(con), "release", KEPT, wanted=())
        counted = count_classes(count_groups(source, "release", ("age", "zip"), ()))
        short = np.array([True])
        with pytest.raises(InternalError, match="promise: 1 of 2 classes were judged"):
            Finding("promise", counted, short, short.astype(np.float64), str, "kept")
        both = np.array([True, True])
        finding = Finding("promise", counted, both, both.astype(np.float64), str, "kept")
        assert len(judge([finding])[0][1]) == 2
        con.execute(f"DELETE FROM {counted.table} WHERE n = 2")
        with pytest.raises(InternalError, match="were not found again"):
            judge([finding])
