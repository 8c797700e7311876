"""Addresses of stores and of the web: no key, one place, and the web for reading only."""

from __future__ import annotations

import pytest

from shoal.errors import RecipeError
from shoal.io.stores.address import address_problems, is_remote, is_store
from shoal.release.recipe.recipe import Recipe
from shoal.verifier.files.remote import brought

SECRET = "kanarienvogel"


@pytest.mark.parametrize("uri", ["s3://b/a.csv", "gs://b/x/a.parquet", "az://c/a.csv", "https://example.org/a.csv"])
def test_sound(uri):
    assert address_problems("input.path", uri) == []
    assert is_remote(uri)
    assert is_store(uri) == (not uri.startswith("http"))


@pytest.mark.parametrize(
    "uri",
    [
        f"s3://key:{SECRET}@b/a.csv",
        f"s3://{SECRET}@b/a.csv",
        f"s3://b/a.csv?secret_key={SECRET}",
        f"https://b/a.csv?token={SECRET}",
        f"https://user:{SECRET}@b/a.csv",
        f"s3://b/a.csv#{SECRET}",
        f"s3://b/{SECRET}/*.csv",
        f"s3://b/../{SECRET}.csv",
        f"s3://b//{SECRET}.csv",
        "s3://b",
        "s3://",
    ],
)
def test_what_holds_a_key_or_is_not_one_place_is_refused_and_not_repeated(uri, tmp_path):
    (problem,) = address_problems("input.path", uri)
    assert problem.startswith("input.path: ")
    assert SECRET not in problem
    with pytest.raises(RecipeError) as caught:
        Recipe.of(
            {
                "input": {"path": uri},
                "columns": {"age": {"role": "quasi"}},
                "guarantee": [{"name": "k-anonymity", "k": 2}],
            }
        )
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("uri", [f"s3://key:{SECRET}@b/a.csv", f"s3://b/a.csv?secret_key={SECRET}", "s3://b"])
def test_the_verifier_refuses_them_too(uri, tmp_path):
    with pytest.raises(RecipeError) as caught:
        brought(uri, tmp_path / "x")
    assert SECRET not in str(caught.value)


def test_the_web_is_for_reading_only():
    assert address_problems("output.path", "https://example.org/a.csv", writing=True)
    assert not address_problems("output.path", "s3://b/a.csv", writing=True)


def test_other_uris_are_for_spark():
    with pytest.raises(RecipeError, match="is for Spark"):
        Recipe.of(
            {
                "input": {"path": "hdfs://node/a.parquet"},
                "columns": {"age": {"role": "quasi"}},
                "guarantee": [{"name": "k-anonymity", "k": 2}],
            }
        )
