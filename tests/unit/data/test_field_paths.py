"""Paths into nested records: written and read back, their scopes, and what is no path."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data.paths import MAX_DEPTH, FieldPath

names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=6) | st.sampled_from(
    ['a"b', "a.b", "[]", "@id", " "]
)
paths = st.builds(lambda first, rest: FieldPath((first, *rest)), names, st.lists(names | st.none(), max_size=5))


@given(paths)
def test_a_path_is_read_as_it_is_written(path):
    assert FieldPath.of(str(path)) == path


@pytest.mark.parametrize(
    ("text", "parts", "scope"),
    [
        ("gender", ("gender",), ()),
        ("main.disease", ("main", "disease"), ()),
        ("visits[].type", ("visits", None, "type"), ("visits", None)),
        ("visits[].codes[]", ("visits", None, "codes", None), ("visits", None, "codes", None)),
        ("a[][].b.c", ("a", None, None, "b", "c"), ("a", None, None)),
        ('"a.b"[].@id', ("a.b", None, "@id"), ("a.b", None)),
    ],
)
def test_parts_and_scope(text, parts, scope):
    path = FieldPath.of(text)
    assert (path.parts, path.scope, str(path)) == (parts, scope, text)


@pytest.mark.parametrize(
    "text", ["", ".", "a.", ".a", "a..b", "[]", "[].a", "a[]b", "a[", "a]", "a[0]", '"a', '"a"b', '""']
)
def test_no_path(text):
    with pytest.raises(ValueError, match=r"must|begins"):
        FieldPath.of(text)


def test_depth_is_bounded():
    with pytest.raises(ValueError, match="at most"):
        FieldPath.of("a" + "[]" * MAX_DEPTH)


def test_covering():
    visits = FieldPath.of("visits[]")
    assert visits.covers(FieldPath.of("visits[].type")) and visits.covers(visits)
    assert not visits.covers(FieldPath.of("visits")) and not FieldPath.of("visit").covers(visits)
