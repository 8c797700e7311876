"""A warning that a report has to recognise has a code, and is a sentence like all others."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import asdict

from shoal.report.outcome import CheckFacts, VerdictFacts
from shoal.verifier.trees.labels import moved_warnings
from shoal.verifier.verdict import KEPT_APART, Caution, Verdict


def test_a_caution_is_its_sentence():
    caution = Caution(KEPT_APART, "Mind the gap.")
    assert (caution, caution.code, f"{caution}", json.dumps([caution])) == (
        "Mind the gap.",
        KEPT_APART,
        "Mind the gap.",
        '["Mind the gap."]',
    )
    for twin in (copy.copy(caution), copy.deepcopy(caution), pickle.loads(pickle.dumps(caution))):
        assert (twin, twin.code) == (caution, KEPT_APART)


def test_a_verdict_tells_the_codes_in_the_order_of_its_warnings():
    moved = tuple(moved_warnings({"apart": [["a", "b"]]}))
    verdict = Verdict(True, (), warnings=("first", *moved))
    assert verdict.codes == ("", KEPT_APART)
    assert asdict(verdict)["warnings"] == ("first", *moved)
    assert "codes" not in verdict.to_json()


def test_a_warning_is_left_out_by_its_code_and_not_by_its_words():
    facts = VerdictFacts(True, (CheckFacts("k", True, ""),), ("one", "two", "three"), ("", KEPT_APART))
    assert facts.warnings_but(KEPT_APART) == ("one", "three")
    assert facts.warnings_but(None) == facts.warnings_but("") == ("one", "two", "three")
    assert VerdictFacts(True, facts.checks, ("Labels are kept apart",)).warnings_but(KEPT_APART) == (
        "Labels are kept apart",
    )
