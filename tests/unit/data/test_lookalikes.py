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
        "José\x7f",
        "Jos\x07é",
        "José\x1f",
        "José\u3164",  # Hangul filler
        "Jo\u034fsé",  # combining grapheme joiner
        "José\u2800",  # empty Braille cell
        "José\U000e0100",  # one of the supplementary variation selectors
        "José\u180b",
        "José\u17b4",
        "Ｊosé",  # full width
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


@pytest.mark.parametrize("twin", ["flu  A", "flu\u00a0A", "flu\tA", "flu\u2800A", "\ufb02u A", "flu \u3000 A "])
def test_blanks_inside_are_one(twin):
    assert appearance(twin) == "flu A"


@pytest.mark.parametrize("twin", ["9.0", "+9", "9.", "9e0", "90e-1", "\u0669", "\uff19", "0.9E+1"])
def test_a_number_is_one_however_it_is_written(twin):
    assert lookalikes(["9", twin, "8"]) == 2


@pytest.mark.parametrize("other", ["09", "-9", "9,0", "9 0", "0x9", "IX"])
def test_codes_and_other_numbers_are_their_own(other):
    assert lookalikes(["9", other]) == 0


def test_minus_has_several_signs():
    assert lookalikes(["-9", "\u22129", "\u20139"]) == 3


def test_long_powers_are_no_work():
    assert appearance("1e999999999") == "1e999999999"
    assert appearance("9" * 100_000) == "9" * 100_000


def test_scripts_differ():
    """A table of letters that are drawn alike in several scripts is not part of the rule."""
    assert lookalikes(["cat", "c\u0430t"]) == 0
