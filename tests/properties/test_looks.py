"""The rule of what looks the same is written twice: by it makers refuse data, and the verifier counts values as one."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data.lookalikes import appearance
from shoal.verifier.looks import looks_like

IGNORABLE = [
    *(0x00AD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFEFF, 0xFFA0),
    *(*range(0x180B, 0x1810), *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070)),
    *(*range(0xFE00, 0xFE10), *range(0xFFF0, 0xFFF9), *range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B)),
    *range(0xE0000, 0xE1000),
]


def agreed(text: str) -> str:
    """What both say, which looks like itself."""
    look = appearance(text)
    assert looks_like(text) == look, ascii(text)
    assert appearance(look) == look, ascii(text)
    return look


def test_default_ignorable_characters_are_not_seen() -> None:
    for letter in map(chr, IGNORABLE):
        assert agreed(f"{letter}flu") == agreed(f"f{letter}lu") == agreed(f"flu{letter}") == "flu", ascii(letter)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["{}flu", "f{}u", "flu{}", "9{}1"])
def test_the_two_agree_on_every_character(form: str) -> None:
    """Of letters, private and unassigned code points every 37th: the two know them by their category only."""
    for code in range(0x110000):
        letter = chr(code)
        if unicodedata.category(letter) in ("Lu", "Ll", "Lo", "Cn", "Co", "Cs") and code % 37:
            continue
        text = form.format(letter)
        assert appearance(text) == looks_like(text), ascii(text)


@settings(deadline=None)
@given(
    st.text(
        st.characters() | st.sampled_from("  \t\u00a0\u200b\u0301\u2800e\u3164\ufe0f0123456789.+-\u2212e\u0660\u0669*")
    )
)
def test_the_two_agree_on_texts(text: str) -> None:
    agreed(text)


@settings(deadline=None)
@given(st.from_regex(r"[+\-]?(0|[1-9][0-9]{0,5})?(\.[0-9]{0,5})?([eE][+\-]?[0-9]{1,3})?", fullmatch=True))
def test_a_number_is_its_value(text: str) -> None:
    try:
        value = float(text)
    except ValueError:
        assert agreed(text) == text
    else:
        assert float(agreed(text)) == value
        assert "e" not in agreed(text).lower()
