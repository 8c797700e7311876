import pytest

from shoal.data.lookalikes import appearance, lookalikes


@pytest.mark.parametrize(
    "twin",
    [
        "Jose\u0301",  # e and a combining accent
        "José ",
        "\tJosé",
        "Jo\u200bsé",  # zero-width blank
        "\ufeffJosé",
        "José\u200d",
        "Jos\u00adé",  # soft hyphen
        "\u202aJosé\u202c",  # direction marks
        "José\u00a0",  # no-break blank at the edge
        "Jose\u200d\u0301",  # a joiner between letter and accent
        "José\ufe0f",
    ],
)
def test_twins_are_counted_both(twin):
    assert twin != "José"
    assert lookalikes(["José", twin, "Josef"]) == 2


def test_values_that_differ_to_the_eye_are_not_counted():
    assert lookalikes(["a", "b", "A", "á", "a b", "ab"]) == 0


def test_the_same_value_twice_is_no_twin():
    assert lookalikes(["a", "a", "a"]) == 0


def test_groups_add_up():
    assert lookalikes(["a", "a ", " a", "b", "b\u200b", "c"]) == 5


def test_nothing_seen_is_like_the_empty_text():
    assert appearance("\u200b ") == ""
    assert lookalikes(["", "\u200b"]) == 2
