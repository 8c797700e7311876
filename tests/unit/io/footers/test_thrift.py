"""The strict reader of Thrift: what was written is read, and what is not a struct is refused and nothing else."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import compact
from oracles.compact import BINARY, BOOL, DOUBLE, I8, I16, I32, I64, LIST, MAP, SET, STRUCT
from shoal.io.footers.layout import UnreadableError, read_footer
from shoal.io.footers.thrift import Compact, MalformedError, binary, i32, i64, length, numbers, struct, structs

WANTED = {
    1: i32("a"),
    2: i64("b"),
    3: binary("c"),
    4: length("d"),
    5: numbers("e"),
    6: struct("f", {1: i32("a")}),
    7: structs("g", {1: i64("b")}),
}
small, large = st.integers(-(2**31), 2**31 - 1), st.integers(-(2**63), 2**63 - 1)
known = st.fixed_dictionaries(
    {},
    optional={
        1: small.map(lambda n: (I32, n)),
        2: large.map(lambda n: (I64, n)),
        3: st.binary(max_size=40).map(lambda b: (BINARY, b)),
        4: st.binary(max_size=40).map(lambda b: (BINARY, b)),
        5: st.lists(large, max_size=20).map(lambda n: (LIST, (I64, n))),
        6: small.map(lambda n: (STRUCT, {1: (I32, n), 9: (BINARY, b"unseen")})),
        7: st.lists(large, max_size=17).map(lambda n: (LIST, (STRUCT, [{1: (I64, one)} for one in n]))),
    },
)
plain = st.one_of(
    st.booleans().map(lambda b: (BOOL, b)),
    st.integers(-128, 127).map(lambda n: (I8, n)),
    st.integers(-(2**15), 2**15 - 1).map(lambda n: (I16, n)),
    large.map(lambda n: (I64, n)),
    st.just((DOUBLE, 0.0)),
    st.binary(max_size=20).map(lambda b: (BINARY, b)),
)
deeper = st.recursive(
    plain,
    lambda inner: st.one_of(
        st.dictionaries(st.integers(1, 300), inner, max_size=3).map(lambda fields: (STRUCT, fields)),
        st.tuples(inner, st.integers(0, 17), st.sampled_from([LIST, SET])).map(
            lambda t: (t[2], (t[0][0], [t[0][1]] * t[1]))
        ),
        st.tuples(inner, inner, st.integers(0, 3)).map(
            lambda t: (MAP, ((t[0][0], t[1][0]), [(t[0][1], t[1][1])] * t[2]))
        ),
    ),
    max_leaves=8,
)


def meant(fields):
    how = {
        1: ("a", lambda v: v),
        2: ("b", lambda v: v),
        3: ("c", lambda v: v),
        4: ("d", len),
        5: ("e", lambda v: len(v[1])),
        6: ("f", lambda v: {"a": v[1][1]}),
        7: ("g", lambda v: [{"b": one[1][1]} for one in v[1]]),
    }
    return {how[number][0]: how[number][1](value) for number, (_, value) in fields.items() if number in how}


@given(known, st.dictionaries(st.integers(8, 32_767), deeper, max_size=4))
def test_what_is_wanted_is_read_and_the_rest_is_passed_over(fields, others):
    reader = Compact(compact.struct(fields | others))
    assert reader.struct(WANTED) == meant(fields)
    assert reader.left == 0


@given(known, st.data())
def test_a_struct_that_is_cut_off_is_refused(fields, data):
    whole = compact.struct(fields)
    with pytest.raises(MalformedError):
        Compact(whole[: data.draw(st.integers(0, len(whole) - 1))]).struct(WANTED)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data):
    with contextlib.suppress(MalformedError):
        Compact(data).struct(WANTED)
    with contextlib.suppress(MalformedError, UnreadableError):
        read_footer(data)


def test_a_field_that_stands_twice_is_refused():
    one = compact.struct({1: (I32, 1)})[:-1]
    again = bytes([I32]) + compact.zigzag(1) + compact.zigzag(2)
    assert Compact(one + b"\0").struct(WANTED) == {"a": 1}
    with pytest.raises(MalformedError, match="twice"):
        Compact(one + again + b"\0").struct(WANTED)


@pytest.mark.parametrize("number", [b"\xff" * 5 + b"\x01", compact.varint(1 << 32)])
def test_a_number_of_more_than_its_bits_is_refused(number):
    with pytest.raises(MalformedError):
        Compact(bytes([0x15]) + number + b"\0").struct(WANTED)


@pytest.mark.parametrize(
    "data",
    [
        bytes([0x19, 0xF6]) + compact.varint(1 << 31) + b"\0",  # a list that is longer than all there is
        bytes([0x1B]) + compact.varint(1 << 31) + b"\x66",
        bytes([0x1C]) * 100_000,  # structs in structs
        bytes([0x19, 0x19]) * 100_000,
    ],
)
def test_bombs_are_refused_at_once(data):
    with pytest.raises(MalformedError):
        Compact(data).struct(WANTED)
    with pytest.raises(MalformedError):
        Compact(data).struct({})
