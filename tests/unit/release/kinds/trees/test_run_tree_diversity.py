"""Releases of trees whose sensitive values are diverse, from nested records to the verifier."""

from __future__ import annotations

import pyarrow as pa
import pytest

from samples.tree_release import recipe, records
from shoal.errors import Infeasible, RecipeError
from shoal.release.run import anonymize


def asked(form, method="gcs", **more):
    made = recipe()
    made["guarantee"] = [
        {"name": "kmn-diversity", "k": 2, "m": 2, "n": 1, "l": 2, "column": "ill", "form": form, **more}
    ]
    made["method"] = {"name": method, **({"budget": "2s"} if method == "acs" else {})}
    return made


def people(ills):
    return pa.Table.from_pylist([{**one, "ill": ills[i % len(ills)]} for i, one in enumerate(records())])


@pytest.mark.parametrize("method", ["gcs", "ocs", "acs"])
@pytest.mark.parametrize("form", ["distinct", "frequency"])
def test_the_verifier_passes_it(form, method):
    # "*" and a missing value are hidden; illnesses go with what is published otherwise, so something has to be blurred
    release = anonymize(people(["a", "b", "c", "a", "d", None, "b", "e", "*", "c"]), asked(form, method))
    assert release.verdict.passed
    assert any("2-diversity of 'ill'" in check.name for check in release.verdict.checks)
    assert {node["value"] for row in release.data.to_pylist() for name in ("sex", "place") for node in row[name]}


def test_diversity_blurs_more_than_anonymity_alone():
    table = people("ab")  # as the illnesses of the visits do
    plain = recipe(k=2)
    plain["method"] = {"name": "gcs"}
    assert anonymize(table, asked("frequency")).loss > anonymize(table, plain).loss


@pytest.mark.parametrize("form", ["distinct", "frequency"])
def test_data_that_is_not_diverse_is_refused(form):
    with pytest.raises(Infeasible, match="Promise a smaller l"):
        anonymize(people("aaab" if form == "frequency" else "a"), asked(form))


def test_classes_that_show_one_tree_are_not_diverse():
    with pytest.raises(RecipeError, match="for diversity choose gcs"):
        anonymize(people("ab"), asked("distinct", "tree-cluster"))
