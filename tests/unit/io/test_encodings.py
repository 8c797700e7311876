"""Encodings: found by `init` where the bytes decide, refused where they do not; transcoded in pieces, faults named by line."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import DataError, RecipeError
from shoal.io.encodings import ENCODINGS, Transcoded, check_encoding, encoding_of

GERMAN = "name;größe;ort\nMüller;174,2;Köln\nStraße;1,5;„Häuser“ – 5 €\n"


def read_all(stream, size=7):
    pieces = iter(lambda: stream.read(size), b"")
    return b"".join(pieces).decode()


@pytest.mark.parametrize(
    ("encoding", "python"),
    [("utf-8", "utf-8"), ("utf-8", "utf-8-sig"), ("utf-16", "utf-16"), ("windows-1252", "cp1252")],
)
def test_it_is_found_from_the_bytes(encoding, python):
    assert encoding_of(io.BytesIO(GERMAN.encode(python))) == encoding


@pytest.mark.parametrize(
    "data",
    [
        "имя;город\nИван;Москва\n".encode("cp1251"),
        "名前;東京\n".encode("shift-jis"),
        b"name\n\x81\n",
        "größe\n".encode("cp850"),
        "Иван\n".encode("cp1251"),
        "name".encode("utf-16-le"),
    ],
    ids=["cyrillic", "japanese", "undefined", "dos", "short", "without a mark"],
)
def test_what_the_bytes_do_not_decide_is_left_open(data):
    assert encoding_of(io.BytesIO(data)) is None


@settings(max_examples=60, deadline=None)
@given(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
    st.sampled_from(sorted(ENCODINGS)),
    st.integers(1, 9),
)
def test_pieces_give_the_same_text(text, encoding, size):
    try:
        data = text.encode(ENCODINGS[encoding])
    except UnicodeEncodeError:
        return
    if encoding == "latin-1" and any(128 <= byte < 160 for byte in data):
        return  # refused, see below
    assert read_all(Transcoded(io.BytesIO(data), encoding, "a.csv"), size) == data.decode(ENCODINGS[encoding])


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (b"name\nAnn\nB\x81b\n", "windows-1252"),
        (b"name\nAnn\nB\x84b\n", "latin-1"),
        ("name\nĊn\nB".encode("utf-16") + b"\x00\xd8a\x00", "utf-16"),
        ("name\nĊn\nB".encode("utf-16") + b"x", "utf-16"),
    ],
)
def test_a_fault_is_named_by_its_line_and_no_cell_is_quoted(data, encoding, size):
    with pytest.raises(DataError, match="line 3") as refusal:
        read_all(Transcoded(io.BytesIO(data), encoding, "a.csv"), size)
    assert "B" not in str(refusal.value)


def test_utf_16_without_its_mark_is_refused():
    with pytest.raises(DataError, match="mark"):
        read_all(Transcoded(io.BytesIO("name".encode("utf-16-le")), "utf-16", "a.csv"))


def test_encodings_that_are_not_read_are_named():
    with pytest.raises(RecipeError, match="windows-1252"):
        check_encoding("windows-1251")
