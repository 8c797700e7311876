"""`columns.*.missing`: "Refused", 99 and -1 are no values, for promises, for the verifier, and in what is published."""

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.errors import DataError, Infeasible, RecipeError
from shoal.release.check import check_release
from shoal.release.recipe.recipe import Recipe
from shoal.release.run import run


def recipe_of(codes, *, form="distinct", **more):
    return {
        "columns": {"age": {"role": "quasi"}, "ill": {"role": "sensitive", "missing": codes}},
        "guarantee": [
            {"name": "k-anonymity", "k": 2},
            {"name": "l-diversity", "l": 2, "column": "ill", "variant": form},
        ],
        "method": {"name": "optimal"},
        **more,
    }


@pytest.mark.parametrize("form", ["distinct", "entropy"])
@pytest.mark.parametrize(
    ("values", "code"), [(["flu", "Refused"], "Refused"), ([7, 99], "99"), ([7.5, 99.0], "99"), ([7, -1], "-1.0")]
)
def test_refused_is_no_second_value(values, code, form):
    """{flu, Refused} is not 2-diverse: whoever refused may have flu."""
    frame = pl.DataFrame({"age": ["30"] * 4, "ill": values * 2})
    assert shoal.anonymize(frame, recipe_of([], form=form)).records_out == 4
    with pytest.raises(Infeasible):
        shoal.anonymize(frame, recipe_of([code], form=form))


def test_the_verifier_reads_codes_by_itself(tmp_path):
    """A release of another tool, in which they still stand."""
    (tmp_path / "out.csv").write_text("age,ill\n" + "30,flu\n30,Refused\n" * 2)
    assert check_release(tmp_path / "out.csv", recipe_of([])).passed
    verdict = check_release(tmp_path / "out.csv", recipe_of(["Refused"]))
    assert [check.name for check in verdict.checks if not check.passed] == ["2-diversity of ill"] or not verdict.passed
    for spelt in ("Refused ", "Refused\u200b"):  # to a reader it is the code
        (tmp_path / "out.csv").write_text("age,ill\n" + f"30,flu\n30,{spelt}\n" * 2, encoding="utf-8")
        assert not check_release(tmp_path / "out.csv", recipe_of(["Refused"])).passed
    pq.write_table(pa.table({"age": ["30"] * 4, "ill": [7, 99] * 2}), tmp_path / "out.parquet")
    assert check_release(tmp_path / "out.parquet", recipe_of([])).passed
    assert not check_release(tmp_path / "out.parquet", recipe_of(["99"])).passed


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_code_is_published_as_missing(tmp_path, suffix):
    table = pa.table(
        {"age": ["30", "30", "30", "-1", "-1"], "ill": ["flu", "hiv", "Refused", "flu", "hiv"], "n": [1, 1, 1, 99, 1]}
    )
    if suffix == "csv":
        pl.from_arrow(table).write_csv(tmp_path / "in.csv")
    else:
        pq.write_table(table, tmp_path / "in.parquet")
    values = recipe_of(["Refused"], input={"path": f"in.{suffix}"}, output={"path": f"out.{suffix}"})
    values["columns"]["age"]["missing"] = ["-1"]
    values["columns"]["n"] = {"role": "plain", "missing": ["99"]}
    recipe = Recipe.of(values)
    recipe._folder = tmp_path
    release = run(recipe)
    assert release.records_out == 5
    made = (pl.read_csv if suffix == "csv" else pl.read_parquet)(tmp_path / f"out.{suffix}")
    assert made["ill"].null_count() == 1 and made["age"].null_count() == 2 and made["n"].null_count() == 1
    assert check_release(tmp_path / f"out.{suffix}", recipe, original=tmp_path / f"in.{suffix}").passed
    # what the original says is no excuse for a release that shows the code
    told = pl.read_csv if suffix == "csv" else pl.read_parquet
    frame = told(tmp_path / f"out.{suffix}").with_columns(pl.col("age").cast(pl.String).fill_null("-1"))
    assert not check_release(frame, recipe, original=tmp_path / f"in.{suffix}").passed


def test_input_missing_means_the_same_to_maker_and_verifier_whatever_the_type(tmp_path):
    pq.write_table(pa.table({"age": [30, 30, -1, -1], "ill": ["flu", "hiv"] * 2}), tmp_path / "in.parquet")
    values = recipe_of([], input={"path": "in.parquet", "missing": ["-1"]}, output={"path": "out.parquet"})
    recipe = Recipe.of(values)
    recipe._folder = tmp_path
    run(recipe)
    assert pq.read_table(tmp_path / "out.parquet")["age"].null_count == 2


@pytest.mark.parametrize("spelt", ["99.0", "+99", " 99", "99\u200b"])
def test_a_code_in_another_spelling_is_refused(spelt):
    frame = pl.DataFrame({"age": ["30"] * 6, "ill": ["flu", "hiv", "flu", "hiv", "99", spelt]})
    with pytest.raises(DataError, match=r"columns\.ill\.missing") as found:
        shoal.anonymize(frame, recipe_of(["99"]))
    assert "1 value looks" in str(found.value)


def test_a_name_with_zeros_is_not_the_number():
    frame = pl.DataFrame({"age": ["30"] * 4, "ill": ["099", "hiv", "99", "hiv"]})
    made = shoal.anonymize(frame, recipe_of(["99"]))
    assert sorted(made.data["ill"].drop_nulls()) == ["099", "hiv", "hiv"]


def test_sensitive_values_beside_sets():
    """l^m-diversity counts a code as the most frequent value, as it counts a missing one."""
    frame = pl.DataFrame({"items": [["a"]] * 4, "ill": ["flu", "Refused"] * 2})
    values = {
        "columns": {
            "items": {"role": "quasi", "kind": "set", "hierarchy": {"groups": {"all": ["a", "b"]}}},
            "ill": {"role": "sensitive"},
        },
        "guarantee": [{"name": "lm-diversity", "l": 2, "m": 1, "column": "ill"}],
    }
    assert shoal.anonymize(frame, values).records_out == 4
    values["columns"]["ill"]["missing"] = ["Refused"]
    with pytest.raises(Infeasible):
        shoal.anonymize(frame, values)


def test_nodes_and_single_values_of_trees(tmp_path):
    (tmp_path / "people.jsonl").write_text(
        '{"visits": [{"code": "a"}, {"code": "99"}], "ill": "flu"}\n{"visits": [{"code": "a"}], "ill": "Refused"}\n'
        '{"visits": [{"code": "99"}], "ill": "Refused"}\n'
    )
    values = {
        "input": {"path": "people.jsonl"},
        "output": {"path": "out.jsonl"},
        "columns": {
            "code": {"role": "quasi", "kind": "node", "path": "visits[].code", "missing": ["99"]},
            "ill": {"role": "sensitive", "missing": ["Refused"], "accept_unique": True, "reason": "few people"},
        },
        "guarantee": [{"name": "kmn-anonymity", "k": 2, "m": 1, "n": 0}],
    }
    recipe = Recipe.of(values)
    recipe._folder = tmp_path
    release = run(recipe)
    assert (release.records_in, release.empty_rows) == (2, 1)
    assert "99" not in (tmp_path / "out.jsonl").read_text() and "Refused" not in (tmp_path / "out.jsonl").read_text()
    assert check_release(tmp_path / "out.jsonl", recipe, original=tmp_path / "people.jsonl").passed


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"role": "identifying", "missing": ["x"]}, "has no use for codes"),
        ({"role": "quasi", "kind": "set", "missing": ["x"]}, "single values and of nodes"),
        ({"role": "sensitive", "missing": [""]}, "a code needs a text"),
        ({"role": "sensitive", "missing": ["x", "x "]}, "each code is named once"),
    ],
)
def test_recipes_that_are_refused(spec, said):
    with pytest.raises(RecipeError, match=said):
        Recipe.of({"columns": {"q": {"role": "quasi"}, "c": spec}, "guarantee": [{"name": "k-anonymity", "k": 2}]})
