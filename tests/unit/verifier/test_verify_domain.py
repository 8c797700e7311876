from __future__ import annotations

import pytest

from samples.verify_releases import AGES
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.verifier.domain import Domain

COUNTRIES = Hierarchy.from_paths(
    [("FR", "Europe", "World"), ("DE", "Europe", "World"), ("JP", "Asia", "World"), ("20-29", "Asia", "World")]
)


def covered(published: str | None, originals: list[str | None], hierarchy: Hierarchy | None = None) -> list[str | None]:
    domain = Domain(originals, hierarchy)
    return [originals[i] for i in sorted(domain.covered_by(published))]


def test_labels_cover_the_leaves_below() -> None:
    originals = ["FR", "DE", "JP", None, "XX"]
    assert covered("Europe", originals, COUNTRIES) == ["FR", "DE"]
    assert covered("Asia", originals, COUNTRIES) == ["JP"]
    assert covered("FR", originals, COUNTRIES) == ["FR"]
    assert covered("World", originals, COUNTRIES) == ["FR", "DE", "JP", None]
    assert covered("XX", originals, COUNTRIES) == ["XX"]
    assert covered("Africa", originals, COUNTRIES) == []
    assert covered(None, originals, COUNTRIES) == [None]
    assert covered("Europe", ["JP", "FR"], COUNTRIES) == ["FR"]
    assert covered("Asia", ["JP", "FR"], COUNTRIES) == ["JP"]


def test_a_label_is_looked_up_before_it_is_read() -> None:
    assert covered("20-29", ["25", "20-29"], COUNTRIES) == ["20-29"]
    assert covered("20-29", ["25", "20-29"]) == ["25", "20-29"]
    star = Hierarchy.from_paths([("*", "x", "top"), ("a", "x", "top")])
    assert covered("*", ["*", "a"], star) == ["*"]


def test_the_star_covers_everything() -> None:
    originals = ["25", "99", None, ""]
    assert covered("*", originals, AGES) == originals
    assert covered("*", originals) == originals
    assert covered("***", originals) == originals


def test_a_missing_leaf() -> None:
    originals = ["25", None, "99"]
    assert covered("20-29", originals, AGES.with_missing()) == ["25"]
    assert covered(None, originals, AGES.with_missing()) == [None]
    inside = Hierarchy.from_paths([(None, "unknown", "all"), ("a", "unknown", "all"), ("b", "known", "all")])
    assert covered("unknown", [None, "a", "b"], inside) == [None, "a"]


def test_a_single_value_is_not_a_top() -> None:
    assert covered("a", ["a", None], Hierarchy.from_paths([("a",)])) == ["a"]


@pytest.mark.parametrize(
    ("published", "expected"),
    [
        ("[20, 30[", ["20", "29.9"]),
        ("]20, 30]", ["29.9", "30", "30.0"]),
        ("[20, 30]", ["20", "29.9", "30", "30.0"]),
        ("]20, 30[", ["29.9"]),
        ("20-30", ["20", "29.9", "30", "30.0"]),
        (">=30", ["30", "30.0", "100"]),
        (">30", ["100"]),
        ("<20", ["-5"]),
        ("30", ["30"]),  # a value as it stands covers its own spelling only
    ],
)
def test_numbers(published: str, expected: list[str]) -> None:
    assert covered(published, ["-5", "20", "29.9", "30", "30.0", "100", "x", None]) == expected


def test_masks() -> None:
    originals = ["13000", "13999", "1399", "139999", "14000", None, "13***"]
    assert covered("13***", originals) == ["13000", "13999", "13***"]
    assert covered("**000", originals) == ["13000", "14000"]
    assert covered("1*000", originals) == ["13000", "14000"]


def test_dates() -> None:
    originals = ["2020-05-17", "2020-06-01", "2020-05-17T09:30:00", "2021-05-17", "2020", None]
    assert covered("2020-05", originals) == ["2020-05-17", "2020-05-17T09:30:00"]
    assert covered("2020", originals) == ["2020-05-17", "2020-06-01", "2020-05-17T09:30:00", "2020"]


def test_sets() -> None:
    originals = ["FR", "DE", "JP", "25", None, "{FR, DE}"]
    assert covered("{FR, JP}", originals) == ["FR", "JP"]
    assert covered("(FR,JP)", originals) == ["FR", "JP"]
    assert covered("{Europe, 25}", originals, COUNTRIES) == ["FR", "DE", "25"]
    assert covered("{20-29, FR}", originals) == ["FR", "25"]
    assert covered("{FR, DE}", originals) == ["FR", "DE", "{FR, DE}"]
    assert covered("{*, FR}", originals) == ["FR"]  # a star in a set is a slip, not a licence
    assert covered("{{FR}, JP}", originals) == ["JP"]


def test_equal_texts_of_different_values_are_all_covered() -> None:
    assert Domain(["0", "0", "1"], None).covered_by("0") == {0, 1}
