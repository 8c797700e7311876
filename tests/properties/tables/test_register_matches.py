"""A register held against a table, against plain loops over people and records, from the definitions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.attacks.tables.register import match, register_risk


@st.composite
def worlds(draw):
    """Published records with the sets of raw values that each shows, and people with raw values."""
    columns = draw(st.integers(1, 3))
    raw = [draw(st.integers(1, 4)) for _ in range(columns)]
    labels = [draw(st.lists(st.frozensets(st.integers(0, raw[c] - 1)), min_size=1, max_size=4)) for c in range(columns)]
    record = st.tuples(*(st.integers(0, len(labels[c]) - 1) for c in range(columns)))
    person = st.tuples(*(st.integers(0, raw[c] - 1) for c in range(columns)))
    return (
        labels,
        draw(st.lists(record, min_size=1, max_size=12)),
        draw(st.lists(person, min_size=1, max_size=20)),
        draw(st.integers(2, 4)),
    )


def held_against(labels, records, people):
    """The kernel's input from plain lists: distinct tuples with their counts."""
    codes, sizes = np.unique(np.array(records, np.int32), axis=0, return_counts=True)
    held, persons = np.unique(np.array(people, np.int32), axis=0, return_counts=True)
    covered = [[np.array(sorted(values), np.int64) for values in column] for column in labels]
    return match(codes, sizes.astype(np.int64), covered, held, persons.astype(np.int64))


@settings(max_examples=500, deadline=None)
@given(worlds())
def test_every_figure_is_that_of_its_definition(world):
    labels, records, people, k = world
    found = register_risk(held_against(labels, records, people), ["a"] * len(labels), k)

    def matches(record):
        return [p for p in people if all(p[c] in labels[c][record[c]] for c in range(len(labels)))]

    crowds = {record: len(matches(record)) for record in records}
    sizes = {record: records.count(record) for record in records}
    assert found.people == len(people)
    assert found.classes == len(crowds)
    assert found.k_map == min(crowds.values())
    assert found.records_below_k == sum(crowds[record] < k for record in records)
    assert found.records_unmatched == sum(not crowds[record] for record in records)
    assert found.sample_uniques == sum(sizes[record] == 1 for record in records)
    assert found.population_uniques == sum(sizes[record] == crowds[record] == 1 for record in records)
    chances = [Fraction(1, max(crowds[r], sizes[r])) if crowds[r] else Fraction(0) for r in records]
    assert found.highest == pytest.approx(float(max(chances)))
    assert found.average == pytest.approx(float(sum(chances) / len(records)))
    assert found.records_at_risk == sum(chance > Fraction(1, k) for chance in chances)
    presence = []
    for person in people:
        shares = [
            Fraction(sizes[record], crowds[record])
            for record in crowds
            if all(person[c] in labels[c][record[c]] for c in range(len(labels)))
        ]
        presence.append(min(Fraction(1), sum(shares, Fraction(0))))
    assert found.lowest_presence == pytest.approx(float(min(presence)))
    assert found.highest_presence == pytest.approx(float(max(presence)))
    assert found.absent_people == sum(not one for one in presence)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=12), st.data())
def test_of_a_sample_nobody_is_told_with_more_than_the_share_that_was_drawn(people, data):
    """Where the release is drawn from the register and shows values as they are, presence is the share of each class."""
    drawn = data.draw(st.lists(st.booleans(), min_size=len(people), max_size=len(people)).filter(any))
    records = [(value,) for value, taken in zip(people, drawn, strict=True) if taken]
    labels = [[frozenset([value]) for value in range(4)]]
    found = register_risk(held_against(labels, records, [(value,) for value in people]), ["a"], 2)
    shares = [Fraction(sum(r == (value,) for r in records), people.count(value)) for value in set(people)]
    assert found.records_unmatched == 0
    assert found.lowest_presence == pytest.approx(float(min(shares)))
    assert found.highest_presence == pytest.approx(float(max(shares)))
    assert found.k_map == min(people.count(value) for (value,) in records)
