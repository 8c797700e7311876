"""Colours of pages and pictures: readable on light ground and on dark, and none but those of the palette."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from samples.example_facts import EXAMPLE, local, wide
from shoal.report.charts.palette import DARK, LIGHT, pictures_in_the_dark
from shoal.report.html import render_html

# words, and what they stand on in pages and pictures
WORDS = [
    *((words, ground) for words in ("ink", "muted", "safe", "risk") for ground in ("card", "ground")),
    *(("ink", ground) for ground in ("alarm", "blur", "faint", "risk-soft", "tint-1", "tint-2", "tint-3", "tint-4")),
    *(("muted", ground) for ground in ("blur", "faint")),
    ("card", "safe"),
]


def contrast(one: str, other: str) -> float:
    """As WCAG 2 defines it."""
    dark, light = sorted(_luminance(colour) for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_the_measure_is_that_of_wcag() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("words", "ground"), WORDS)
def test_words_stand_out_from_their_ground(words: str, ground: str, colours: dict[str, str]) -> None:
    assert contrast(colours[words], colours[ground]) >= 4.5


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("bars", ["safe", "risk"])
def test_bars_stand_out_from_the_card(bars: str, colours: dict[str, str]) -> None:
    assert contrast(colours[bars], colours["card"]) >= 3


def test_every_colour_has_its_counterpart_in_the_dark() -> None:
    assert list(LIGHT) == list(DARK)
    rules = pictures_in_the_dark()
    assert all(f'[fill="{colour}"]' in rules and f'[stroke="{colour}"]' in rules for colour in LIGHT.values())
    assert len(set(LIGHT.values())) == len(LIGHT)  # a rule goes by the colour


@pytest.mark.parametrize("facts", [EXAMPLE, wide(), local()], ids=["example", "wide", "local"])
def test_pictures_use_no_other_colour(facts: object) -> None:
    pictures = re.findall(r"<svg.*?</svg>", render_html(facts), re.DOTALL)
    used = {colour for picture in pictures for _, colour in re.findall(r'(fill|stroke)="([^"]+)"', picture)}
    assert used <= {*LIGHT.values(), "none"}


def test_the_style_names_colours_and_writes_none() -> None:
    style = files("shoal.report").joinpath("templates/report.css").read_text()
    on_paper = ("background: #fff", "color: #55606e")  # paper is white; the margin of a page knows no variables
    for colour in re.findall(r"[\w-]+: #[0-9a-f]{3,6}\b", style):
        assert colour in on_paper
    assert set(re.findall(r"var\(--([\w-]+)\)", style)) <= set(LIGHT)


def test_nothing_in_a_table_is_kept_from_wrapping() -> None:
    """What cannot wrap is printed over the next column."""
    style = files("shoal.report").joinpath("templates/report.css").read_text()
    unwrapped = {rule.partition("{")[0].strip() for rule in style.split("}") if "white-space: nowrap" in rule}
    assert unwrapped <= {"nav a", ".measures dd", ".status"}
