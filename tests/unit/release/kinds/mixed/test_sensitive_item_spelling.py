"""A sensitive item that the data spells in another way is protected by nothing."""

from __future__ import annotations

import pyarrow as pa
import pytest

from shoal.errors import DataError
from shoal.release.run import anonymize

RECIPE = {
    "columns": {
        "age": {"role": "quasi", "hierarchy": {"intervals": [10, 50], "from": 0, "to": 100}},
        "ill": {"role": "quasi", "kind": "set", "sensitive_items": ["hiv"]},
    },
    "guarantee": [{"name": "k-lm-diversity", "k": 2, "l": 2, "m": 1, "column": "ill"}],
    "method": {"name": "rum-bound", "delta": 1.0},
}


def people(*secrets):
    sets = [["flu", *([secret] if secret else [])] for secret in secrets]
    return pa.table({"age": [20 + i for i in range(len(sets))], "ill": pa.array(sets, pa.list_(pa.string()))})


@pytest.mark.parametrize("spelled", ["hiv ", "hi\u200bv"])
def test_what_looks_like_a_sensitive_item_is_refused(spelled):
    with pytest.raises(DataError) as refused:
        anonymize(people(*[spelled] * 4), RECIPE)
    assert "Column 'ill': 1 sensitive item of the recipe looks like an item" in str(refused.value)
    assert spelled not in str(refused.value) and "hiv" not in str(refused.value)


def test_one_that_is_not_there_is_told():
    made = anonymize(people("HIV", "HIV", None, None), RECIPE)
    assert any(
        "1 of the 1 sensitive items of column 'ill' is in no published record" in w for w in made.verdict.warnings
    )
    assert not anonymize(people("hiv", None, None, None), RECIPE).verdict.warnings
