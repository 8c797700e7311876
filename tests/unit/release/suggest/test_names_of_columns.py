"""What names of columns say, in the abbreviations of surveys and in four languages; and words that only look like them."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

import pytest

from shoal.release.suggest.roles import suggest
from shoal.release.suggest.summary import ColumnSummary, Suggestion

NUMBERS = tuple(str(1 + i % 7) for i in range(700))  # seven codes
MANY = tuple(str(100 + 13 * (i % 80)) for i in range(800))  # eighty of three and four digits
MEASURED = tuple(f"{45 + i % 60}.{i % 10}" for i in range(900))
AROUND_ONE = tuple(f"{0.2 + (i % 97) / 40:.6f}" for i in range(900))
POPULATION = tuple(str(200 + 37 * (i % 300)) for i in range(900))
YEARS = tuple(str(1931 + i % 70) for i in range(700))
NAMES = {
    key: names.split()
    for key, names in tomllib.loads(Path(__file__).with_name("names_of_columns.toml").read_text("utf-8")).items()
}


def proposal(name: str, values: tuple[str, ...]) -> Suggestion:
    return suggest([ColumnSummary.of_counts(name, "text", Counter(values))])[0]


def form(found: Suggestion) -> str:
    return next(iter(found.hierarchy)) if found.hierarchy else "-"


@pytest.mark.parametrize("name", NAMES["private"])
def test_what_is_private_is_known_by_its_name(name: str) -> None:
    assert proposal(name, NUMBERS).role == "sensitive"


@pytest.mark.parametrize("name", NAMES["codes"])
def test_numbers_that_are_codes_get_no_intervals(name: str) -> None:
    for values in (NUMBERS, MANY):
        found = proposal(name, values)
        assert (found.role, form(found)) == ("quasi", "-"), found.what


@pytest.mark.parametrize("name", NAMES["prefixes"])
def test_codes_whose_first_digits_say_most_are_masked(name: str) -> None:
    found = proposal(name, MANY)
    assert (found.role, form(found)) == ("quasi", "mask"), found.what
    assert [advice.text for advice in found.advice if "different lengths" in advice.text]


@pytest.mark.parametrize("name", NAMES["years"])
def test_years_go_to_five_ten_and_twenty(name: str) -> None:
    found = proposal(name, YEARS)
    assert found.role == "quasi"
    assert found.hierarchy == {"intervals": [5, 10, 20], "from": 1900, "to": 2020}


@pytest.mark.parametrize("name", NAMES["survey_weights"])
@pytest.mark.parametrize("values", [AROUND_ONE, POPULATION], ids=["around one", "population"])
def test_survey_weights_are_removed(name: str, values: tuple[str, ...]) -> None:
    found = proposal(name, values)
    assert found.role == "identifying" and "survey weight" in found.what


@pytest.mark.parametrize("name", ["weight", "gewicht", "Gewicht", "poids", "peso", "wt", "wgt"])
def test_a_weight_is_of_a_person_or_of_a_survey_by_its_numbers(name: str) -> None:
    assert proposal(name, AROUND_ONE).role == "identifying"
    assert proposal(name, POPULATION).role == "identifying"
    body = proposal(name, MEASURED)
    assert (body.role, form(body)) == ("quasi", "intervals")


@pytest.mark.parametrize("name", ["birth_weight_g", "weight_kg", "Körpergewicht", "poids_naissance", "peso_corporal"])
def test_what_people_weigh_is_no_survey_weight_however_large(name: str) -> None:
    assert proposal(name, POPULATION).role == "quasi"


@pytest.mark.parametrize(
    "name", ["hhsize", "HHGröße", "haushaltsgroesse", "nb_enfants", "anzKinder", "num_hijos", "taille_menage"]
)
def test_how_many_there_are_is_top_coded(name: str) -> None:
    assert proposal(name, NUMBERS).hierarchy == {"intervals": [2, 4], "from": 1, "to": 5}


def test_months_go_to_quarters() -> None:
    months = tuple(str(1 + i % 12) for i in range(600))
    for name in ("gebmon", "birth_month", "DOBMM", "mois_naissance", "month", "Monat"):
        assert proposal(name, months).hierarchy == {"intervals": [3, 6], "from": 1, "to": 13}, name


@pytest.mark.parametrize("name", NAMES["false_friends"])
def test_words_inside_other_words_make_nothing_private_and_remove_nothing(name: str) -> None:
    allowed = {"voted_best": "sensitive"}  # a whole word, after all
    assert proposal(name, NUMBERS).role == allowed.get(name, "quasi"), proposal(name, NUMBERS).what


def test_a_date_is_no_number_of_a_person() -> None:
    dates = tuple(f"2020-{1 + i % 12:02}-{1 + i % 28:02}" for i in range(400))
    assert (proposal("dod_ssn", dates).role, form(proposal("dod_ssn", dates))) == ("quasi", "dates")


def test_codes_of_diagnoses_are_known_by_their_form() -> None:
    codes = tuple(f"{'EIJK'[i % 4]}{10 + i % 7}.{i % 3}" for i in range(400))
    assert proposal("F7", codes).role == "sensitive"
    rooms = tuple(f"{'ABC'[i % 3]}{10 + i % 7}" for i in range(400))
    assert proposal("F7", rooms).role == "quasi"
    assert proposal("room", codes).role == "sensitive"  # nothing is known of the name


def test_lost_zeros_are_pointed_out() -> None:
    assert any("zeros" in advice.text for advice in proposal("zip", ("1001", "10115", "80331") * 50).advice)
    assert not proposal("zip", ("01001", "10115", "80331") * 50).advice
