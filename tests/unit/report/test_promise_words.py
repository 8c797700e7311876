"""Every guarantee has a sentence with its numbers in it, and says what an attacker could do; charts can be read without eyes."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from shoal.guarantees import GUARANTEES, guarantee_from
from shoal.report.charts.choices import APART, choices_plot
from shoal.report.steward.choices import Choice, Choices, chance_words
from shoal.report.steward.promises import PROMISES, Example, Slot, example_of


def test_every_guarantee_has_words() -> None:
    assert list(PROMISES) == list(GUARANTEES)


@pytest.mark.parametrize("name", PROMISES)
def test_a_sentence_has_every_parameter_once_and_begins_sound(name) -> None:
    promise = PROMISES[name]
    asked = [part.key for part in promise.parts() if isinstance(part, Slot)]
    assert sorted(asked) == sorted({field.name for field in fields(GUARANTEES[name])})
    column = {"column": "illness"} if any(slot.column for slot in promise.slots) else {}
    guarantee = guarantee_from(name, **promise.defaults, **column)
    assert guarantee.technical()
    assert promise.attack({**promise.defaults, **column}, Example(("age 34", "sex F"))).endswith(".")
    assert promise.attack({"k": "seven", "t": None}, Example()).endswith(".")  # a recipe that is being edited


def test_an_example_stands_on_common_values_and_else_on_names() -> None:
    assert example_of(("age", "sex"), {"age": ["34", "35"], "sex": ["F"]}).knows() == "age 34 and sex F"
    assert example_of(("items",), {"items": ["milk", "rye bread"]}).knows(2) == "milk and “rye bread”"
    assert not example_of(("age", "sex"), {}).made_up


def test_chances_are_never_certain_when_they_are_not() -> None:
    assert [chance_words(x) for x in (0.999, 1, 0.78, 0.05, 1 / 6667, None)] == [
        "99 in 100",
        "certain",
        "78 in 100",
        "1 in 20",
        "1 in 6,667",
        "",
    ]


def test_points_of_the_plot_are_links_far_enough_apart_to_be_hit() -> None:
    points = tuple(Choice(k, k / 100, 0, 100, k, 100 // k) for k in range(2, 60))
    choices = Choices(points, 100, 0.9, "NCP", True, others=((3, 0.9),))
    drawn = choices_plot(choices, 30, link=lambda at: f'href="/p?point={at}"')
    places = [
        (float(x), float(y)) for x, y in re.findall(r'<a [^>]*>(?:<rect x="([\d.]+)" y="([\d.]+)" width="24")', drawn)
    ]
    assert 5 < len(places) < len(points) and 'href="/p?point=30"' in drawn and drawn.count("aria-current") == 1
    for at, (x, y) in enumerate(places):
        assert all(max(abs(x - a), abs(y - b)) >= APART - 0.2 for a, b in places[:at])
    assert 'role="group"' in drawn and 'role="img"' in choices_plot(choices)
    assert "style=" not in drawn


def test_a_beaten_release_becomes_faint_unless_it_is_promised() -> None:
    points = tuple(Choice(k, loss, 0, 100, None, None) for k, loss in ((2, 0.1), (5, 0.4), (10, 0.3), (20, 0.6)))
    choices = Choices(points, 100, None, "NCP", True)
    assert [point.k for point in choices.trimmed(2).points] == [2, 10, 20]
    assert [point.k for point in choices.trimmed(5).points] == [2, 5, 10, 20]
    assert choices.trimmed(2).others == ((5, 0.4),)
