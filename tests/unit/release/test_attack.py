"""Attacks on a release that lies there, and in the report of one that is made."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal

RECIPE = {
    "columns": {
        "age": {"role": "quasi", "hierarchy": {"intervals": [10, 50], "from": 0, "to": 100}},
        "illness": {"role": "sensitive"},
    },
    "guarantee": [{"name": "k-anonymity", "k": 3}, {"name": "l-diversity", "l": 2, "column": "illness"}],
}
PEOPLE = pa.table({"age": [str(20 + n % 40) for n in range(80)], "illness": ["flu", "cold", "gout", "cough"] * 20})


def by_name(attacked):
    return {one.name.partition(":")[0]: one for one in attacked.attacks}


def test_a_release_of_ours_keeps_what_it_promises():
    release = shoal.anonymize(PEOPLE, RECIPE)
    attacked = shoal.attack(release.data, RECIPE, original=PEOPLE)
    assert attacked.broken == ()
    assert {"prosecutor", "marketer", "homogeneity", "negation", "downcoding"} <= set(by_name(attacked))
    assert not by_name(attacked)["downcoding"].public


def test_the_original_itself_is_found_out_by_every_attack_that_a_promise_speaks_of():
    attacked = shoal.attack(PEOPLE.slice(0, 40), RECIPE, original=PEOPLE.slice(0, 40), population=40)
    broken = {one.name.partition(":")[0] for one in attacked.broken}
    assert broken == {"prosecutor", "marketer", "journalist", "homogeneity"}
    assert by_name(attacked)["downcoding"].meter.rate == 1
    assert attacked.to_json()["verdict"] == "fail"


def test_without_time_nothing_is_attacked_and_it_is_said():
    attacked = shoal.attack(PEOPLE, RECIPE, budget=0)
    assert attacked.attacks == ()
    assert shoal.attack(PEOPLE, RECIPE, budget="2m").attacks
    assert "prosecutor" in attacked.left_out
    assert any("want of time" in line.text for line in attacked.lines())


def test_nothing_of_a_cell_is_told():
    attacked = shoal.attack(PEOPLE, RECIPE, original=PEOPLE)
    words = json.dumps(attacked.to_json()) + "".join(line.text for line in attacked.lines())
    assert not any(value in words for value in ("flu", "cough", "gout", "cold"))


SETS = {
    "columns": {
        "items": {
            "role": "quasi",
            "kind": "set",
            "hierarchy": {"groups": {"all": ["a", "b", *(f"i{n}" for n in range(20))]}},
        }
    },
    "guarantee": [{"name": "km-anonymity", "k": 3, "m": 2}],
}
MIXED = {
    "columns": {"age": {"role": "quasi"}, "items": {"role": "quasi", "kind": "set"}},
    "guarantee": [{"name": "k-km-anonymity", "k": 3, "m": 1}],
}


@pytest.mark.parametrize(
    ("recipe", "leak", "fine", "budget"),
    [
        (
            SETS,
            pa.table({"items": [[f"i{n}"] for n in range(20)]}),
            pa.table({"items": [["a", "b"], ["a"]] * 10}),
            1e-3,  # known items come first; negations, which take long, are left out
        ),
        (
            MIXED,
            pa.table({"age": ["30"] * 20, "items": [[f"i{n}"] for n in range(20)]}),
            pa.table({"age": ["30"] * 20, "items": [["a", "b"], ["a"]] * 10}),
            60,
        ),
    ],
    ids=["sets", "mixed"],
)
def test_an_item_that_one_person_has_is_found(recipe, leak, fine, budget):
    names = {one["name"] for one in recipe["guarantee"]} - {entry.name for entry in shoal.guarantees()}
    assert not names
    assert any(one.name.startswith("known items") for one in shoal.attack(leak, recipe, budget=budget).broken)
    assert shoal.attack(fine, recipe, budget=budget).broken == ()


def test_the_report_has_the_rates_and_the_public_one_those_of_the_release_alone(tmp_path):
    release = shoal.anonymize(PEOPLE, RECIPE)
    facts, public = release.described.facts, release.described.public
    assert {attack.question for attack in public.attacks} == {"singling out", "linkability", "inference"}
    assert any(attack.name.startswith("downcoding") for attack in facts.attacks)
    assert not any(attack.name.startswith("downcoding") for attack in public.attacks)
    assert all(attack.kept for attack in facts.attacks)
    none = shoal.anonymize(PEOPLE, RECIPE | {"attacks": {"budget": 0}})
    assert none.described.facts.attacks == ()


def test_a_public_report_refuses_what_was_measured_against_the_original():
    from dataclasses import replace

    facts = shoal.anonymize(PEOPLE, RECIPE).described
    with pytest.raises(ValueError, match="attacks"):
        replace(facts.public, attacks=facts.facts.attacks)


def test_a_release_that_shows_base_sets_is_attacked_in_a_parquet_file_as_in_a_frame(tmp_path):
    recipe = {
        "columns": {"items": {"role": "quasi", "kind": "set"}},
        "guarantee": [{"name": "k-matching", "k": 3}],
    }
    baskets = pa.table({"items": [["a", "b"], ["a", "c"], ["b", "c"], ["a", "b", "c"]] * 5})
    release = shoal.anonymize(baskets, recipe)
    pq.write_table(release.data, tmp_path / "baskets.parquet")
    assert "items:differ" in release.data.column_names
    inside, written = (shoal.attack(place, recipe) for place in (release.data, tmp_path / "baskets.parquet"))
    assert [one.name for one in written.attacks] == [one.name for one in inside.attacks]
    assert not written.broken
    names = [one.name for one in written.attacks if one.name.startswith("known identities")]
    assert len(names) == 4
    assert names == [one.name for one in release.described.public.attacks if one.name.startswith("known identities")]
    # a planted leak: one record is shown as no other is
    leaking = pa.table(
        {
            "items": [["a"], *[["b"]] * 19],
            "items:differ": pa.array([[]] * 20, pa.list_(pa.string())),
            "items:at_most": [0] * 20,
        }
    )
    assert any(one.name.startswith("known identities") for one in shoal.attack(leaking, recipe).broken)
