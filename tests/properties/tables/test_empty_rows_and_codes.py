"""Random tables with empty rows and codes: maker and verifier agree with a plain oracle on who is a record, and what is a value."""

from collections import defaultdict

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import Infeasible
from shoal.release.check import check_release

CODES = ("Refused", "99")
AGES = (30, 40, 99, None)
SEXES = ("F", "M", None)
ILLS = ("flu", "hiv", "Refused", "99", "", None)

rows_ = st.lists(
    st.tuples(st.sampled_from(AGES), st.sampled_from(SEXES), st.sampled_from(ILLS)), min_size=1, max_size=14
)
tails = st.integers(0, 6)


def recipe_of(k: int, l: int, limit: float = 0.0) -> dict:
    return {
        "columns": {
            "age": {"role": "quasi", "missing": ["99.0"]},
            "sex": {"role": "quasi"},
            # two people with two illnesses are each alone with theirs; what is counted here is another matter
            "ill": {"role": "sensitive", "missing": list(CODES), "accept_unique": True, "reason": "made up"},
        },
        "guarantee": [{"name": "k-anonymity", "k": k}, {"name": "l-diversity", "l": l, "column": "ill"}],
        "method": {"name": "optimal"},
        "suppression": {"limit": limit},
    }


def table_of(rows: list[tuple]) -> pa.Table:
    ages, sexes, ills = zip(*rows, strict=True)
    return pa.table(
        {"age": pa.array(ages, pa.int16()), "sex": pa.array(sexes, pa.string()), "ill": pa.array(ills, pa.string())}
    )


def keeps(rows: list[tuple], k: int, l: int) -> bool:
    """From the definition; a missing value adds none."""
    classes = defaultdict(list)
    for *quasi, ill in rows:
        classes[tuple(quasi)].append(ill)
    values = [{ill for ill in held if ill is not None} for held in classes.values()]
    return all(len(held) >= k for held in classes.values()) and all(len(held) >= l for held in values)


def read(rows: list[tuple], *, age_code: int | None) -> list[tuple]:
    """The records, with what is missing as None."""
    made = [(None if age == age_code else age, sex, None if ill in (*CODES, "") else ill) for age, sex, ill in rows]
    return [row for row in made if row != (None, None, None)]


@given(rows_, tails, st.integers(2, 4), st.integers(2, 3))
@settings(max_examples=60, deadline=None)
def test_the_verifier_counts_as_the_definition_says(rows, tail, k, l):
    """Of a release; in a quasi column of one, a code is a value that a stranger sees."""
    rows = rows + [(None, None, None)] * tail
    people = read(rows, age_code=None)
    verdict = check_release(table_of(rows), recipe_of(k, l))
    assert verdict.passed == keeps(people, k, l)
    assert verdict.records == len(people)
    assert verdict.facts.get("empty_rows", 0) == len(rows) - len(people)


@given(rows_, tails, st.integers(2, 3))
@settings(max_examples=15, deadline=None)
def test_the_maker_counts_as_the_definition_says(rows, tail, k):
    # an empty text beside missing values is for the verifier alone to judge: see the first test
    rows = [(age, sex, ill or None) for age, sex, ill in rows] + [(None, None, None)] * tail
    people = read(rows, age_code=99)
    if not people:
        return
    try:
        release = shoal.anonymize(table_of(rows), recipe_of(k, 2, 0.4))
    except Infeasible:
        assert not keeps(people, k, 2)
        return
    assert (release.records_in, release.empty_rows) == (len(people), len(rows) - len(people))
    published = list(zip(*(release.data[name].to_pylist() for name in ("age", "sex", "ill")), strict=True))
    assert keeps(published, k, 2)
    assert not {"Refused", "99", 99} & {value for row in published for value in row}
    verdict = check_release(release.data, recipe_of(k, 2, 0.4), original=table_of(rows))
    assert verdict.passed
