"""Numbers and names in words."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.report import words
from shoal.report.charts.svg import fit, text_width, ticks
from shoal.report.words import NBSP


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0, "0 %"),
        (1, "100 %"),
        (0.5, "50 %"),
        (0.12345, "12.3 %"),
        (0.00001, "less than 0.1 %"),
        (0.99999, "more than 99.9 %"),
        (Fraction(1, 3), "33.3 %"),
    ],
)
def test_percent(share: float | Fraction, said: str) -> None:
    assert words.percent(share).replace(NBSP, " ") == said


@pytest.mark.parametrize(
    ("value", "said"),
    [(Fraction(1, 11), "0.0909…"), (Fraction(1, 5), "0.2"), (Fraction(1), "1"), (Fraction(2, 3), "0.6666…")],
)
def test_a_chance_is_cut_not_rounded(value: Fraction, said: str) -> None:
    assert words.chance(value) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [(Fraction(1, 11), "9.09… %"), (Fraction(1, 5), "20 %"), (Fraction(1), "100 %"), (Fraction(2, 3), "66.66… %")],
)
def test_a_share_is_cut_not_rounded(value: Fraction, said: str) -> None:
    assert words.cut_percent(value).replace(NBSP, " ") == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0.01", "1 %"),
        ("0.0105", "1.05 %"),
        ("0", "0 %"),
        ("0.0", "0 %"),
        ("1", "100 %"),
        ("1/3", "1/3 of all"),
        ("1e-05", "0.001 %"),
    ],
)
def test_exact_percent(text: str, said: str) -> None:
    assert words.exact_percent(text).replace(NBSP, " ") == said


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.0, "0 %"),
        (0.34, "34 %"),
        (0.3400000000000001, "34 %"),
        (0.3401, "35 %"),
        (0.0401, "4.1 %"),
        (0.04, "4 %"),
        (0.0999, "10 %"),
        (0.00001, "0.1 %"),
        (12.3401, "1,235 %"),
    ],
)
def test_at_most_rounds_up(share: float, said: str) -> None:
    assert words.at_most(share).replace(NBSP, " ") == said


@given(st.floats(0, 1000))
def test_at_most_is_never_below(share: float) -> None:
    said = float(words.at_most(share).replace(NBSP, "").rstrip("%").replace(",", ""))
    assert said >= share * 100 - 1e-6
    assert said <= share * 100 + 1


def test_one_in() -> None:
    said = [words.one_in(Fraction(*pair)).replace(NBSP, " ") for pair in ((1, 5), (1, 6667), (2, 29), (0, 1))]
    assert said == ["1 in 5", "1 in 6,667", "1 in 14.5", "none"]


def test_names_in_sentences() -> None:
    assert words.named("age") == "age"
    assert words.named("a, b") == "“a, b”"
    assert words.named("عمر") == "\u2068عمر\u2069"
    assert words.listed(["a"]) == "a"
    assert words.listed(["a", "b", "c"]) == "a, b and c"
    assert words.listed([str(i) for i in range(20)], 2) == "0, 1 and 18 more"
    assert words.listed([]) == ""


@given(st.text())
def test_clean_text_can_be_written_and_hides_nothing(text: str) -> None:
    cleaned = words.clean(text)
    cleaned.encode()
    assert "\u202e" not in cleaned
    assert not any(ord(char) < 32 or 0x7F <= ord(char) < 0xA0 for char in cleaned)
    assert words.clean("生年 عمر देवनागरी é") == "生年 عمر देवनागरी é"


@given(st.text(), st.floats(10, 300))
def test_a_cut_text_fits(text: str, room: float) -> None:
    cut = fit(text, room)
    assert cut == text or cut.endswith("…")
    assert cut == text or text.startswith(cut[:-1].rstrip())
    assert text_width(cut, 12) <= max(room, text_width("…", 12)) + 1e-9  # widths are sums of floats


@given(st.floats(1e-6, 1e12))
def test_ticks_reach_the_top_in_few_steps(top: float) -> None:
    marks = ticks(top)
    assert marks[0] == 0
    assert marks[-1] >= top * (1 - 1e-9)
    assert 2 <= len(marks) <= 7
