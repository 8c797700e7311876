"""The same patients as raw FHIR bundles and as JSON lines: read through the mapping that ships, they are the same trees."""

from __future__ import annotations

import gzip
import json

import pytest

from shoal.io.reading import TreeReading
from shoal.io.trees.opening import open_nested

pytestmark = pytest.mark.slow

PERSON = ("gender", "birthDate", "race", "ethnicity", "maritalStatus", "city", "state", "postalCode")
STATUS = {"Never Married": "S"}
LISTS = {
    "condition": "conditions",
    "procedure": "procedures",
    "medication": "medications",
    "immunization": "immunizations",
}


def tree_of(person, encounters):
    """Every path, as far as both hold the fields: of the person, and of each encounter its day, class, type and what it led to."""
    paths = {(name, person[name]) for name in PERSON if person[name] is not None}
    for one in encounters:
        head = (one["start"], one["class"], one["type"])
        paths.add(head)
        paths |= {(*head, kind, code) for kind in LISTS for code in one[kind]}
    return frozenset(paths)


def from_bundles(path):
    opened = open_nested(path, TreeReading(mapping="fhir-r4"))
    for batch in opened.batches.read():
        for person in batch.to_pylist():
            encounters = [
                {
                    **{name: one[name] for name in ("class", "type")},
                    "start": one["start"] and one["start"][:10],
                    **{kind: [made["code"] for made in one[kind] if made["code"] is not None] for kind in LISTS},
                }
                for one in person["encounter"]
            ]
            yield tree_of(person, encounters)


def from_lines(path):
    with gzip.open(path, "rt") as lines:
        for line in lines:
            person = json.loads(line)
            # the lines have the text of the status, the mapping takes its code
            person["maritalStatus"] = STATUS.get(person["maritalStatus"], person["maritalStatus"])
            encounters = [{**one, **{kind: one[name] for kind, name in LISTS.items()}} for one in person["encounters"]]
            yield tree_of(person, encounters)


def test_bundles_are_the_same_trees_as_lines(shared):
    bundles, lines = (
        shared / f"data/tree/{name}.jsonl.gz" for name in ("synthea_fhir_r4_bundles_20", "synthea_patients")
    )
    if not (bundles.exists() and lines.exists()):
        pytest.skip("the patients of Synthea are not in `shared`")
    found, known = list(from_bundles(bundles)), set(from_lines(lines))
    assert len(found) == len(set(found)) == 20
    missing = [tree for tree in found if tree not in known]
    assert not missing, f"{len(missing)} of 20 bundles are no patient of the lines"
