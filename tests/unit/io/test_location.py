"""Paths and URIs are told apart, and their parts found."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.io.location import beside, has_pattern, is_uri, name_of, path_of, renames_at_once, split


@pytest.mark.parametrize(
    "uri", ["hdfs://node:8020/a", "s3a://bucket/a b", "file:///a", "abfss://c@x.net/a", "hdfs:///a"]
)
def test_uris(uri):
    assert is_uri(uri)


@pytest.mark.parametrize("path", ["people.csv", "/data/people", "a:b/c", "c:/data", "data/hdfs://x", "", "./file://x"])
def test_paths(path):
    assert not is_uri(path)


@pytest.mark.parametrize(
    ("location", "name"),
    [
        ("hdfs://node/data/people.parquet", "people.parquet"),
        ("hdfs://node/data/people.parquet/", "people.parquet"),
        ("s3a://bucket", ""),
        ("s3a://bucket/", ""),
        ("file:///", ""),
        ("file:///a b", "a b"),
        (Path("/x/y.csv"), "y.csv"),
    ],
)
def test_names(location, name):
    assert name_of(location) == name


def test_beside():
    assert beside("hdfs://node/data/people.parquet", "x.json") == "hdfs://node/data/x.json"
    assert beside("hdfs://node/data/people.parquet/", "x.json") == "hdfs://node/data/x.json"
    assert beside("file:///x", "y") == "file:///y"


def test_what_renames_in_one_step():
    assert [renames_at_once(f"{scheme}://x/y") for scheme in ("hdfs", "file", "viewfs", "HDFS")] == [True] * 4
    assert [renames_at_once(f"{scheme}://x/y") for scheme in ("s3a", "gs", "abfss", "oss", "x")] == [False] * 5


def test_patterns():
    assert has_pattern("hdfs://node/a*")
    assert not has_pattern("hdfs://node/a b")


@pytest.mark.parametrize(
    ("uri", "parts", "path"),
    [
        ("hdfs://Node:8020/data/People.parquet", ("hdfs", "node", "/data/People.parquet"), None),
        ("S3A://bucket/a#b?c", ("s3a", "bucket", "/a#b?c"), None),
        ("abfss://box@account.example/x", ("abfss", "box@account.example", "/x"), None),
        ("hdfs:///x", ("hdfs", "", "/x"), None),
        ("file:///data/a b", ("file", "", "/data/a b"), Path("/data/a b")),
        ("s3a://bucket", ("s3a", "bucket", "/"), None),
    ],
)
def test_the_parts_of_a_uri(uri, parts, path):
    assert (split(uri), path_of(uri)) == (parts, path)
