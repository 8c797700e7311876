from __future__ import annotations

from decimal import Decimal

import pytest

from shoal.verifier.values import Anything, DatesIn, Itself, Mask, Numbers, OneOf, read_value

INFINITY = Decimal("Infinity")


def numbers(low: str, high: str, *, with_low: bool = True, with_high: bool = True) -> Numbers:
    return Numbers(Decimal(low), Decimal(high), with_low, with_high)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("[20, 30[", numbers("20", "30", with_high=False)),
        ("[20,30[", numbers("20", "30", with_high=False)),
        ("[20, 30)", numbers("20", "30", with_high=False)),
        ("[ 20 , 30 )", numbers("20", "30", with_high=False)),
        ("]20, 30]", numbers("20", "30", with_low=False)),
        ("(20, 30]", numbers("20", "30", with_low=False)),
        ("]20, 30[", numbers("20", "30", with_low=False, with_high=False)),
        ("(20, 30[", numbers("20", "30", with_low=False, with_high=False)),
        ("[20, 30]", numbers("20", "30")),
        ("[20, 20]", numbers("20", "20")),
        ("[20-29]", numbers("20", "29")),
        ("[20:29]", numbers("20", "29")),
        ("[20..29]", numbers("20", "29")),
        ("[20; 29]", numbers("20", "29")),
        ("[-10, -5[", numbers("-10", "-5", with_high=False)),
        ("[-10--5]", numbers("-10", "-5")),
        ("[1.5, 1e3]", numbers("1.5", "1000")),
        ("[20, inf[", numbers("20", "Infinity", with_high=False)),
        ("[20; +Infinity)", numbers("20", "Infinity", with_high=False)),
        ("]-∞, 20]", numbers("-Infinity", "20", with_low=False)),
        ("20-29", numbers("20", "29")),
        ("20 - 29", numbers("20", "29")),
        ("20-20", numbers("20", "20")),
        ("-10--5", numbers("-10", "-5")),
        ("-5-5", numbers("-5", "5")),
        ("0.5-1.5", numbers("0.5", "1.5")),
        (">=100", numbers("100", "Infinity")),
        ("≥ 100", numbers("100", "Infinity")),
        ("> 99", numbers("99", "Infinity", with_low=False)),
        ("<0", numbers("-Infinity", "0", with_high=False)),
        ("<=0", numbers("-Infinity", "0")),
        ("≤-3.5", numbers("-Infinity", "-3.5")),
        ("90+", numbers("90", "Infinity")),
        ("*", Anything()),
        ("*****", Anything()),
        ("13***", Mask("13***")),
        ("2*", Mask("2*")),
        ("*21", Mask("*21")),
        ("1*3", Mask("1*3")),
        ("{A, B}", OneOf(("A", "B"))),
        ("{A,B,C}", OneOf(("A", "B", "C"))),
        ("{A}", OneOf(("A",))),
        ("(A,B)", OneOf(("A", "B"))),
        ("(A, B, C)", OneOf(("A", "B", "C"))),
        ("{20, 30}", OneOf(("20", "30"))),
        ("(20, 25, 30)", OneOf(("20", "25", "30"))),
        ("{'A', 'B b'}", OneOf(("A", "B b"))),
        ('{"A, a", "B"}', OneOf(("A, a", "B"))),
        ("{10-19, 40-49}", OneOf(("10-19", "40-49"))),
        ("{O'Brien, D'Arcy}", OneOf(("O'Brien", "D'Arcy"))),
        ("2020", DatesIn("2020")),
        ("2020-05", DatesIn("2020-05")),
    ],
)
def test_notations(text: str, meaning: object) -> None:
    assert read_value(text) == meaning


@pytest.mark.parametrize(
    "text",
    [
        "",
        "A",
        "25",
        "-3",
        "<=50K",
        ">50K",
        "(20, 30)",  # an open interval, or a set of two numbers
        "[30, 20]",
        "30-20",
        "[20, 20[",
        "]20, 20]",
        "[inf, 20]",
        "[20, -inf]",
        "[A, B]",
        "{}",
        "{ }",
        "()",
        "(A)",
        "{A,}",
        "{,}",
        "{'A', 'B}",
        "{'A'x, 'B'}",
        "{A",
        "A}",
        "2020-13",
        "2020-00",
        "2020-5",
        "2020-05-17",
        "1-2-3",
        "٢٠-٢٩",
        "20-29 ",
        " 20-29",
        "20-29\n",
        "1e9999999-2e9999999",
        ">=1e9999999",
        "[1e9999999, 2e9999999]",
        "Never-married",
    ],
)
def test_what_is_not_read(text: str) -> None:
    assert read_value(text) == Itself()


def test_a_mask_fits_texts_of_its_length() -> None:
    mask = Mask("13**")
    assert mask.fits("1305")
    assert mask.fits("13**")
    assert not mask.fits("1405")
    assert not mask.fits("130")
    assert not mask.fits("13055")


def test_a_year_holds_its_dates_and_times() -> None:
    year = DatesIn("2020")
    assert year.fits("2020-05-17")
    assert year.fits("2020-05-17T09:30:00Z")
    assert year.fits("2020-05-17 09:30")
    assert not year.fits("2021-05-17")
    assert not year.fits("2020")
    assert not year.fits("20201")
    assert not year.fits("2020-05-17x")
    assert not year.fits("2020-05")
    assert DatesIn("2020-05").fits("2020-05-17")
    assert not DatesIn("2020-05").fits("2020-06-17")
