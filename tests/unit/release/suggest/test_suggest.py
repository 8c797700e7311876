"""`shoal init`: would a data steward accept the proposal?"""

from __future__ import annotations

import csv
import gzip
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from shoal.data.schema import Role
from shoal.guarantees import guarantee_from
from shoal.hierarchies.dates import Dates
from shoal.hierarchies.groups import Groups
from shoal.hierarchies.intervals import Intervals
from shoal.hierarchies.masks import Mask
from shoal.release.suggest.grids import grid
from shoal.release.suggest.recipe_text import write_recipe
from shoal.release.suggest.roles import suggest
from shoal.release.suggest.summary import ColumnSummary, Suggestion
from shoal.release.suggest.words import concepts, concepts_in, words_of

ADULT = Path(__file__).parents[5] / "shared/data/relational/adult/adult_raw_32561.csv.gz"
BUILDERS = {"intervals": Intervals, "groups": Groups, "dates": Dates, "mask": Mask}


def column(name: str, values: list[str | None], type_name: str = "string") -> ColumnSummary:
    counts = Counter(value for value in values if value is not None)
    return ColumnSummary.of_counts(name, type_name, counts, values.count(None))


def proposal(name: str, values: list[str | None]) -> Suggestion:
    return suggest([column(name, values)])[0]


def few(*values: str) -> list[str | None]:
    return [value for value in values for _ in range(40)]


def covers(hierarchy: dict[str, Any] | None, values: list[str]) -> bool:
    """The proposed hierarchy can be built, and holds the values."""
    if hierarchy is None:
        return True
    builder = next(BUILDERS[key] for key in BUILDERS if key in hierarchy)
    made = builder.parse(hierarchy).hierarchy(values)
    return all(made.code(value) is not None for value in values)


# ---- roles by name -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("name", "identifying"),
        ("First Name", "identifying"),
        ("lastName", "identifying"),
        ("Vorname", "identifying"),
        ("nom_de_famille", "identifying"),
        ("apellidos", "identifying"),
        ("E-Mail", "identifying"),
        ("Telefonnummer", "identifying"),
        ("SSN", "identifying"),
        ("codice_fiscale", "identifying"),
        ("patient_id", "identifying"),
        ("Straße", "identifying"),
        ("longitude", "identifying"),
        ("fnlwgt", "identifying"),
        ("age", "quasi"),
        ("AgeAtDiagnosis", "quasi"),
        ("Geburtsdatum", "quasi"),
        ("date_of_birth", "quasi"),
        ("sexe", "quasi"),
        ("ZIP code", "quasi"),
        ("Postleitzahl", "quasi"),
        ("race", "quasi"),
        ("native-country", "quasi"),
        ("Nationalität", "quasi"),
        ("city", "quasi"),
        ("hospital_name", "quasi"),
        ("marital-status", "quasi"),
        ("occupation", "quasi"),
        ("diagnosis", "sensitive"),
        ("Diagnose", "sensitive"),
        ("ICD10", "sensitive"),
        ("salary-class", "sensitive"),
        ("Einkommen", "sensitive"),
        ("religion", "sensitive"),
        ("politicalParty", "sensitive"),
        ("schema_version", "plain"),
        ("status", "quasi"),
        ("no_of_children", "quasi"),
        ("xyzzy", "quasi"),
    ],
)
def test_the_name_decides(name: str, role: str) -> None:
    assert proposal(name, few("red", "green", "blue", "grey")).role == role


def test_a_name_of_several_words_is_split_however_it_is_written() -> None:
    for written in ("dateOfBirth", "date_of_birth", "Date of Birth", "date-of.birth", "DATE OF BIRTH"):
        assert words_of(written) == ("date", "of", "birth")
    assert words_of("PLZ2") == ("plz",)
    assert words_of("NIRNumber") == ("nir", "number")


def test_words_are_written_as_they_are_looked_up() -> None:
    """A word with an accent or a capital would never be found."""
    for concept in concepts():
        for word in (*concept.words, *concept.stems):
            assert "".join(words_of(word)) == word, word


def test_the_first_concept_decides() -> None:
    assert [concept.role for concept in concepts_in("age at diagnosis")] == [Role.QUASI, Role.SENSITIVE]


# ---- roles by values -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values",
    [
        ["a.smith@example.org", "b@example.com", "c.d@example.net"],
        ["+44 20 7946 0000", "(555) 010-4477", "089/1234567"],
        ["123-45-6789", "987-65-4321"],
        ["DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432"],
        ["4111 1111 1111 1111", "5500005555555559"],
        ["123e4567-e89b-12d3-a456-426614174000"],
        ["https://example.org/someone", "www.example.org/else"],
        ["192.168.0.1", "10.0.0.7"],
    ],
)
def test_values_that_name_a_person_are_seen_whatever_the_column_is_called(values: list[str]) -> None:
    assert proposal("col7", few(*values)).role == Role.IDENTIFYING


@pytest.mark.parametrize(
    "values",
    [
        ["1984-03-05", "2001-12-24", "1999-01-31"],
        ["05.03.1984", "24.12.2001"],
        ["1234567", "7654321"],
        ["0.1234567", "0.7654321"],
        ["10-19", "20-29"],
        ["13051", "80331"],
    ],
)
def test_dates_numbers_and_ranges_are_no_telephone_numbers(values: list[str]) -> None:
    assert proposal("col7", few(*values)).role == Role.QUASI


def test_a_value_of_ones_own_names_a_person() -> None:
    assert proposal("col7", [f"word{i}" for i in range(200)]).role == Role.IDENTIFYING
    assert proposal("col7", [str(10_000 + 7 * i) for i in range(200)]).role == Role.IDENTIFYING
    assert proposal("id", [str(i) for i in range(10)]).role == Role.IDENTIFYING
    measured = proposal("col7", [f"{i / 7:.4f}" for i in range(200)])
    assert measured.role == Role.QUASI
    assert measured.hierarchy is not None


def test_free_text_is_removed() -> None:
    notes = ["seen today with his wife and their two children", "came back after a week with the same complaint"]
    assert proposal("diagnosis_text", few(*notes)).role == Role.IDENTIFYING


def test_an_id_that_records_share_is_not_removed_unless_it_is_a_persons() -> None:
    assert proposal("ward_id", few("1", "2", "3")).role == Role.QUASI
    assert proposal("customer_id", few("1", "2", "3")).role == Role.IDENTIFYING


def test_plain_is_only_what_is_clear() -> None:
    assert proposal("wave", few("2021")).role == Role.PLAIN
    assert proposal("wave", [*few("2021"), None]).role == Role.QUASI
    assert proposal("batch", [str(i % 50) for i in range(500)]).role == Role.QUASI
    assert proposal("name", few("Ann")).role == Role.IDENTIFYING


def test_a_private_fact_that_is_only_stated_or_not_is_blurred() -> None:
    assert proposal("hiv", [*few("yes"), *[None] * 40]).role == Role.QUASI


def test_a_private_number_that_tells_people_apart_is_said_to() -> None:
    assert "take quasi" in proposal("salary", [str(20_000 + 13 * i) for i in range(500)]).reason
    assert "take quasi" not in proposal("salary", few("low", "high")).reason


def test_a_date_of_something_private_is_blurred() -> None:
    found = proposal("diagnosis_date", few("2020-01-03", "2020-05-07", "2021-02-28"))
    assert (found.role, found.hierarchy) == (Role.QUASI, {"dates": ["month", "quarter", "year"]})


# ---- hierarchies ---------------------------------------------------------------------------------------------------


def test_ages_have_the_grid_everyone_expects() -> None:
    ages = [str(17 + i % 74) for i in range(500)]
    found = proposal("age", ages)
    assert found.hierarchy == {"intervals": [5, 10, 20], "from": 0, "to": 100}
    assert covers(found.hierarchy, ages)
    assert proposal("age", [str(50 + i % 60) for i in range(500)]).hierarchy["to"] == 160  # type: ignore[index]


@pytest.mark.parametrize(
    ("low", "high", "whole"),
    [
        *((1, 99, True), (20, 60, True), (1950, 2005, True), (0, 4356, True), (-13, 40, True), (3, 1484705, True)),
        *((0.0, 1.0, False), (0.001, 0.0123, False), (-2.5, 2.5, False), (36.1, 41.9, False), (0, 0.3, False)),
        (7, 7, True),
    ],
)
def test_no_end_of_a_grid_is_a_persons_value(low: float, high: float, whole: bool) -> None:
    spec = grid(low, high, whole=whole)
    widths = spec["intervals"]
    assert spec["from"] < low or spec["from"] == low == 0
    assert spec["to"] > high
    assert covers(spec, [str(low), str(high)])  # built, so the widths nest
    assert len({str(width).strip("0.")[:2] for width in widths} - {"1", "2", "5", "25"}) == 0, widths


def test_a_few_large_amounts_do_not_make_the_intervals_useless() -> None:
    amounts = [str(1000 + 10 * (i % 200)) for i in range(1000)] + ["9000000"] * 3
    found = proposal("rent", amounts)
    assert found.hierarchy is not None
    assert found.hierarchy["intervals"][0] <= 250
    assert found.hierarchy["to"] > 9_000_000
    assert covers(found.hierarchy, amounts)


def test_mostly_nothing_keeps_nothing_apart() -> None:
    gains = ["0"] * 900 + [str(114 + 997 * i) for i in range(100)]
    found = proposal("capital-gain", gains)
    assert found.hierarchy == {"intervals": [10000, 20000, 100000], "from": 1, "to": 100001}
    made = Intervals.parse(found.hierarchy).hierarchy(gains)
    assert [made.label(made.code("0") or 0, level) for level in (1, 2, 3, 4)] == ["<1", "<1", "<1", "*"]


def test_codes_are_not_put_in_intervals() -> None:
    assert proposal("marital", few("1", "2", "3", "4")).hierarchy is None
    assert proposal("state", [str(i % 50) for i in range(500)]).hierarchy is None
    assert proposal("group", few("1", "2", "3")).hierarchy is None


def test_postcodes_are_masked_and_dates_blurred() -> None:
    assert proposal("zip", few("13051", "13068", "14850")).hierarchy == {"mask": "right"}
    assert proposal("dob", few("1984-03-05", "1990-01-01")).hierarchy == {"dates": ["month", "year", "decade"]}
    other = proposal("dob", few("05.03.1984", "01.01.1990"))
    assert other.hierarchy is None
    assert "written as 1984-03-05" in other.reason


def test_countries_go_to_continents_and_strange_spellings_to_other() -> None:
    spelled = ["United-States", "Mexico", "Germany", "VIETNAM", "Holand-Netherlands", "Côte d'Ivoire"]
    found = proposal("native-country", few(*spelled, "?"))
    assert found.hierarchy == {
        "groups": {
            "Africa": ["Côte d'Ivoire"],
            "Asia": ["VIETNAM"],
            "Europe": ["Germany"],
            "North America": ["Mexico", "United-States"],
            "Other": ["Holand-Netherlands"],
        }
    }
    assert "1 of the values fit none" in found.reason
    assert found.missing == ("?",)
    assert covers(found.hierarchy, spelled)


def test_namibia_is_a_country() -> None:
    found = proposal("country", few("NA", "DE", "NO", "US"))
    assert found.missing == ()
    assert found.hierarchy == {"groups": {"Africa": ["NA"], "Europe": ["DE", "NO"], "North America": ["US"]}}
    assert proposal("ward", few("NA", "A1", "B2")).missing == ("NA",)


def test_a_group_never_has_the_name_of_a_value() -> None:
    found = proposal("marital", few("Married", "Divorced", "Single", "Other"))
    assert found.hierarchy is not None
    assert set(found.hierarchy["groups"]) == {
        "Married (group)",
        "Not married any more",
        "Never married",
        "Other (group)",
    }
    assert covers(found.hierarchy, ["Married", "Divorced", "Single", "Other"])


def test_groups_need_all_values() -> None:
    """A hierarchy that does not cover the data would be refused by the run."""
    summary = column("country", few("Germany", "France", "Peru", "Chile"))
    partly = ColumnSummary(**{**vars(summary), "distinct": 90})
    assert suggest([partly])[0].hierarchy is None
    assert proposal("country", few("Gondor", "Rohan", "Mordor", "Peru")).hierarchy is None


def test_markers_of_missing_values_are_found_and_do_not_spoil_a_number() -> None:
    ages: list[str | None] = [*[str(20 + i % 50) for i in range(300)], "?", "N/A", None]
    found = proposal("age", ages)
    assert set(found.missing) == {"?", "N/A"}
    assert found.hierarchy == {"intervals": [5, 10, 20], "from": 0, "to": 100}
    assert proposal("allergies", few("none", "no", "nuts")).missing == ()


def test_columns_that_say_the_same_are_pointed_out() -> None:
    schools = ["HS-grad"] * 50 + ["Bachelors"] * 30 + ["Masters"] * 11
    years = ["9"] * 50 + ["13"] * 30 + ["14"] * 11
    first, second = suggest([column("education", schools), column("education-num", years)])
    assert "say the same" not in first.reason
    assert "seems to say the same as 'education'" in second.reason


# ---- the recipe ----------------------------------------------------------------------------------------------------


def test_the_recipe_reads_back_whatever_the_columns_are_called() -> None:
    names = ["a b", "a.b", 'quo"te', "line\nbreak", "Größe", "", "1", "#", "'", "\u2028", "=", "[x]"]
    columns = [column(name, few("x", "y", "z")) for name in names]
    columns.append(column("tail]\n[evil]\nrole", [*["HS-grad"] * 5, *["Masters"] * 3, "PhD"]))
    columns.append(column("twin", [*["a"] * 5, *["b"] * 3, "c"]))
    read = tomllib.loads(write_recipe(suggest(columns), "in.csv", Path("release/out.parquet")))
    assert set(read) == {"shoal", "input", "output", "columns", "guarantee", "suppression", "loss"}
    assert list(read["columns"]) == [*names, "tail]\n[evil]\nrole", "twin"]
    assert all(entry["suggested"] is True for entry in read["columns"].values())
    assert read["output"]["path"] == "release/out.parquet"


def test_every_private_fact_has_its_promise_and_the_promises_can_be_made() -> None:
    columns = [column("age", few("20", "30")), column("disease", few("a", "b")), column("income", few("low", "high"))]
    read = tomllib.loads(write_recipe(suggest(columns), "in.csv", "out.csv"))
    assert read["guarantee"] == [
        {"name": "k-anonymity", "k": 5},
        {"name": "l-diversity", "l": 2, "column": "disease"},
        {"name": "l-diversity", "l": 2, "column": "income"},
    ]
    for promise in read["guarantee"]:
        guarantee_from(**promise)
    assert read["suppression"] == {"limit": 0.01}
    assert read["loss"] == {"name": "glm"}
    assert "missing" not in read["input"]


def test_a_person_is_told_what_to_do() -> None:
    columns = [column(f"c{i}", few("x", "y")) for i in range(11)]
    text = write_recipe(suggest(columns), "in.csv", "out.csv")
    assert "delete `suggested = true`" in text
    assert "refuses this file until none is left" in text
    assert "11 columns are quasi" in text
    lines = [line for line in text.splitlines() if line.startswith("c")]
    assert all("  # " in line for line in lines)


@pytest.mark.skipif(not ADULT.exists(), reason="the benchmark data is not beside the project")
def test_adult_is_proposed_as_a_steward_would() -> None:
    with gzip.open(ADULT, "rt", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    table = {name: [row[i] for row in rows] for i, name in enumerate(header)}
    found = suggest([column(name, list(values)) for name, values in table.items()])
    roles = {one.name: one.role for one in found}
    assert [name for name, role in roles.items() if role is Role.IDENTIFYING] == ["fnlwgt"]
    assert [name for name, role in roles.items() if role is Role.SENSITIVE] == ["salary-class"]
    assert sum(role is Role.QUASI for role in roles.values()) == 13
    read = tomllib.loads(write_recipe(found, "adult.csv", "release/adult.parquet"))
    assert read["input"]["missing"] == ["?"]
    for name, entry in read["columns"].items():
        assert covers(entry.get("hierarchy"), sorted(set(table[name]) - {"?"})), name
    assert set(read["columns"]["native-country"]["hierarchy"]["groups"]) == {
        "Asia",
        "Europe",
        "North America",
        "South America",
        "Other",
    }
    assert read["columns"]["hours-per-week"]["hierarchy"] == {"intervals": [5, 10, 20], "from": 0, "to": 100}
    assert "the same as 'education'" in next(one.reason for one in found if one.name == "education-num")
