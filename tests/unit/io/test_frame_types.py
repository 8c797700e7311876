"""Columns of data frames as libraries type them: each is published and verified, or refused by name with what to do."""

from __future__ import annotations

import datetime as dt

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal

TIMES = 20  # each value
WORDS = ["u", "v", "w"] * TIMES
DAYS = [dt.datetime(2020, 1, day, 3) for day in (1, 2, 3)] * TIMES
NUMBERS = [0, 1, 2] * TIMES
BERLIN = "Europe/Berlin"


def recipe(**column):
    return {
        "shoal": 1,
        "columns": {"x": {"role": "quasi", **column}, "y": {"role": "sensitive"}},
        "guarantee": [{"name": "k-anonymity", "k": 5}],
    }


def frame(values, library=pl.DataFrame):
    return library({"x": values, "y": ["a", "b", "c"] * TIMES})


def views(ordered):
    indices = pa.array(NUMBERS, pa.uint32())
    return pa.chunked_array(
        [pa.DictionaryArray.from_arrays(indices, pa.array(["u", "v", "w"], pa.string_view()), ordered=ordered)]
    )


CATEGORIES = {
    "Categorical": frame(pl.Series(WORDS, dtype=pl.Categorical)),
    "Categorical with gaps": frame(pl.Series([*WORDS[:-10], *[None] * 10], dtype=pl.Categorical)),
    "Enum": frame(pl.Series(WORDS, dtype=pl.Enum(["w", "v", "u", "never"]))),
    "two chunks": pl.concat([frame(WORDS).cast({"x": pl.Categorical}).clear(), frame(WORDS).cast({"x": pl.Categorical})]),
    "views": frame(views(False), pa.table),
    "ordered views": frame(views(True), pa.table),
    "a text twice": frame(pa.DictionaryArray.from_arrays(pa.array(NUMBERS), pa.array(["u", "u", "w"])), pa.table),
    "pandas": frame(pd.Categorical(WORDS, ["w", "v", "u"], ordered=True), pd.DataFrame),
    "pandas numbers": frame(pd.Categorical(NUMBERS), pd.DataFrame),
}  # fmt: skip


@pytest.mark.parametrize("name", CATEGORIES)
def test_categories_are_published_as_their_values(name):
    data = CATEGORIES[name]
    release = shoal.anonymize(data, recipe())
    assert type(release.data) is type(data)
    assert shoal.verify(release.data, recipe(), original=data).passed
    assert shoal.verify(data, recipe()).passed  # and categories in a release of another tool

    def values(table):
        return sorted(map(str, table["x"].to_pylist() if isinstance(table, pa.Table) else table["x"].to_list()))

    assert values(release.data) == values(data)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", BERLIN])
def test_times_of_every_unit_and_zone_pass_the_verifier(unit, zone):
    """pandas 2 has nanoseconds unless told otherwise."""
    times = pd.Series(DAYS).astype(f"datetime64[{unit}]")
    data = frame(times if zone is None else times.dt.tz_localize(zone), pd.DataFrame)
    release = shoal.anonymize(data, recipe())
    assert shoal.verify(release.data, recipe(), original=data).passed
    assert shoal.verify(data, recipe()).passed
    assert (
        release.data["x"].astype(times.dtype if zone is None else "datetime64[ns, UTC]").value_counts() == TIMES
    ).all()


@pytest.mark.parametrize("inner", [pl.Categorical, pl.Enum(["u", "v", "w"]), pl.String])
def test_lists_of_categories_are_sets_of_items(inner):
    data = frame(pl.Series([[word] for word in WORDS], dtype=pl.List(inner)))
    sets = {**recipe(kind="set"), "guarantee": [{"name": "k-matching", "k": 5}]}
    del sets["columns"]["y"]
    release = shoal.anonymize(data.select("x"), sets)
    assert release.verdict.passed
    with pytest.raises(shoal.DataError, match=r"'x' are lists.*kind = \"set\""):
        shoal.anonymize(data, recipe())


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (frame(pl.Series([dt.timedelta(days=n) for n in NUMBERS])), "duration"),
        (frame(pl.Series(NUMBERS, dtype=pl.Int128)), "Int128"),
        (frame(pl.Series([b"x"] * 3 * TIMES)), "binary"),
        (frame(pl.Series([{"a": n} for n in NUMBERS])), "nested"),
        (frame(pd.Series([pd.Timedelta(days=n) for n in NUMBERS]), pd.DataFrame), "duration"),
        (frame(pd.Series(DAYS).dt.to_period("M"), pd.DataFrame), "period"),
        (frame(pd.cut(pd.Series(NUMBERS), 3), pd.DataFrame), "interval"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_single_value_is_refused_by_name_with_what_to_do(data, what):
    with pytest.raises(shoal.DataError, match=rf"'x' \(.*{what}") as refused:
        shoal.anonymize(data, recipe())
    assert "Turn them into" in str(refused.value) or "Cast" in str(refused.value)
