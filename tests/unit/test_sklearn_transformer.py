"""The transformer for scikit-learn: what `fit` decided `transform` shows; what was not there is refused."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.estimator_checks import check_estimator

import shoal
from shoal.sklearn import Anonymizer
from shoal.testing import check_anonymous

DRAW = random.Random(1)
PEOPLE = pd.DataFrame(
    {
        "age": [DRAW.randrange(20, 80) for _ in range(150)],
        "town": [DRAW.choice(["Ulm", "Kiel", "Bonn"]) for _ in range(150)],
        "illness": [DRAW.choice(["flu", "none"]) for _ in range(150)],
    }
)
QUASI = {"age": shoal.intervals(5, 10, 20, start=0, stop=120), "town": None}
TEXTS = "labels are texts, and the check subtracts what is transformed"
SUBTRACT = [
    "check_estimators_pickle",
    "check_fit_idempotent",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_pipeline_consistency",
    "check_transformer_data_not_an_array",
    "check_transformer_general",
]


@pytest.fixture(scope="module")
def fitted() -> Anonymizer:
    return Anonymizer(k=5, quasi=QUASI, sensitive="illness", l=2).fit(PEOPLE)


def test_what_was_fitted_keeps_the_promise(fitted) -> None:
    shown = pd.DataFrame(fitted.transform(PEOPLE), columns=fitted.get_feature_names_out())
    check_anonymous(shown, quasi=["age", "town"], sensitive="illness", k=5, l=2)
    assert list(shown["illness"]) == list(PEOPLE["illness"])  # in the order of the rows
    assert fitted.release_.verdict.passed and fitted.levels_["age"] > 0


def test_the_same_values_show_the_same_in_any_other_rows(fitted) -> None:
    shown = fitted.transform(PEOPLE)
    again = pickle.loads(pickle.dumps(fitted)).transform(PEOPLE.iloc[[7, 3]])
    assert np.array_equal(again, shown[[7, 3]])


@pytest.mark.parametrize(("age", "town"), [(130, "Ulm"), (30, "Wien")])
def test_a_value_that_was_not_there_is_refused_and_not_quoted(fitted, age, town) -> None:
    with pytest.raises(ValueError, match="1 rows hold a value that no fitted record held") as refused:
        fitted.transform(pd.DataFrame({"age": [age], "town": [town], "illness": ["flu"]}))
    assert "Wien" not in str(refused.value) and "130" not in str(refused.value)


def test_a_combination_that_nobody_had_is_refused() -> None:
    lopsided = pd.DataFrame({"age": [30] * 10 + [70] * 10, "town": ["Ulm"] * 10 + ["Kiel"] * 10})
    fitted = Anonymizer(k=5, quasi=QUASI).fit(lopsided)
    with pytest.raises(ValueError, match="1 of 1 rows show a combination that no fitted record shows"):
        fitted.transform(pd.DataFrame({"age": [30], "town": ["Kiel"]}))


def test_what_is_not_named_is_refused() -> None:
    with pytest.raises(ValueError, match="illness"):
        Anonymizer(quasi=QUASI).fit(PEOPLE)


@pytest.mark.parametrize("method", ["auto", "mondrian", "none"])
def test_a_method_without_levels_is_refused(method) -> None:
    with pytest.raises(ValueError, match="`method` must be one of"):
        Anonymizer(method=method).fit(PEOPLE)


def test_in_a_pipeline_and_as_a_frame() -> None:
    step = clone(Anonymizer(k=5, quasi=QUASI))
    pipe = make_pipeline(step, OneHotEncoder())
    assert pipe.fit_transform(PEOPLE[["age", "town"]]).shape[0] == 150
    frame = Anonymizer(k=5, quasi=QUASI).set_output(transform="pandas").fit_transform(PEOPLE[["age", "town"]])
    assert list(frame.columns) == ["age", "town"]


@pytest.mark.slow
def test_the_checks_of_scikit_learn() -> None:
    results = check_estimator(Anonymizer(k=2), expected_failed_checks=dict.fromkeys(SUBTRACT, TEXTS), on_skip=None)
    failing = {one["check_name"] for one in results if one["status"] == "xfail"}
    assert failing == set(SUBTRACT)  # what is excused does fail, and for that reason alone
    assert sum(one["status"] == "passed" for one in results) >= 30
