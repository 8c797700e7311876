"""A fifth kind of data, added as somebody would: sequences, a toy that looks at the order of visits as one value.

Each `change` stands for a line in a file that is there already; what is new lies in the classes above, which would be a slice in
each layer. The release is made, verified and described along the one path, and no other file knows of it.
"""

from __future__ import annotations

import copy
import typing
from collections.abc import MutableMapping
from dataclasses import dataclass, fields, replace
from typing import ClassVar

import pyarrow as pa
import pytest

import shoal
from shoal.data import schema as data_schema
from shoal.engines.local import registry as local_registry
from shoal.guarantees.k_anonymity import KAnonymity
from shoal.methods import registry as method_registry
from shoal.methods.tables.optimal import Optimal
from shoal.release.kinds import registry as kind_registry
from shoal.release.kinds.tables.dialect import TableDialect
from shoal.release.kinds.tables.kind import Tables
from shoal.release.recipe import dialects
from shoal.report import kinds as report_kinds
from shoal.report.tables.facts import Facts
from shoal.verifier import kinds as verifier_kinds
from shoal.verifier import schema as verifier_schema
from shoal.verifier.recipe import guarantees as verifier_guarantees
from shoal.verifier.tables.audit import audit_tables

MOST_FILES = 12
KIND = "sequences"
COLUMN = "visits"  # by its name: a real kind would have a word in the recipe


@dataclass(frozen=True)
class SequenceAnonymity(KAnonymity):
    """Every sequence is shown by at least k records."""

    name: ClassVar[str] = "sequence-anonymity"
    kind: ClassVar[str] = KIND

    def technical(self) -> str:
        """As an auditor says it."""
        return f"{self.k}-anonymity of sequences"


class WholeSequences(Optimal):
    """Blurs sequences as if each were one value."""

    name = "whole-sequences"
    kind = KIND


@dataclass(frozen=True)
class SequenceFacts(Facts):
    """What a table's report says."""

    kind: ClassVar[str] = KIND

    @classmethod
    def of(cls, facts: Facts) -> SequenceFacts:
        """The same facts."""
        return cls(**{field.name: getattr(facts, field.name) for field in fields(facts)})


class Sequences(Tables):
    """On the way from a recipe to a release."""

    def describe(self, task, product, floor):
        """As a table, under its own kind."""
        described = super().describe(task, product, floor)
        return replace(described, facts=SequenceFacts.of(described.facts), public=SequenceFacts.of(described.public))


class SequenceDialect(TableDialect):
    """What a recipe may say."""

    title = "sequences"

    def default_method(self, guarantees):
        """The only one."""
        return "whole-sequences"


def audit_sequences(case, terms):
    """A stranger counts whole sequences: k-anonymity, under the name that was promised."""
    counted = copy.copy(terms)
    plain = tuple(
        verifier_guarantees.Guarantee("k-anonymity", dict(promise.parameters)) for promise in terms.guarantees
    )
    object.__setattr__(counted, "guarantees", plain)
    object.__setattr__(counted, "over", lambda values: counted)
    return audit_tables(case, counted)


def with_sequences(kind_of: property) -> property:
    return property(lambda schema: KIND if COLUMN in schema.quasi else kind_of.__get__(schema))


@pytest.fixture
def files(monkeypatch):
    """Adds the kind; gives the files that a line had to be added to."""
    changed = set()

    def change(module, *path, value):
        """One line in a file: an entry of a registry, or a name."""
        changed.add(module.__name__)
        *inner, last = path
        target = module
        for name in inner:
            target = getattr(target, name)
        if isinstance(target, MutableMapping):
            monkeypatch.setitem(target, last, value)
        else:
            monkeypatch.setattr(target, last, value)

    guarantees = __import__("shoal.guarantees", fromlist=["GUARANTEES"])
    change(data_schema, "Kind", value=typing.Literal["tables", "sets", "mixed", "trees", "sequences"])
    change(data_schema, "Schema", "kind", value=with_sequences(data_schema.Schema.kind))
    change(guarantees, "GUARANTEES", SequenceAnonymity.name, value=SequenceAnonymity)
    change(guarantees, "_WHY", KIND, value="a quasi column holds sequences")
    change(guarantees, "_ABOUT", KIND, value="sequences")
    change(method_registry, "METHODS", WholeSequences.name, value=WholeSequences())
    change(local_registry, "LOAD", KIND, value=local_registry.LOAD["tables"])
    change(kind_registry, "KINDS", KIND, value=Sequences())
    change(dialects, "DIALECTS", KIND, value=SequenceDialect())
    change(report_kinds, "KINDS", KIND, value=replace(report_kinds.KINDS["tables"], facts=SequenceFacts))
    change(verifier_schema, "Schema", "kind", value=with_sequences(verifier_schema.Schema.kind))
    change(verifier_schema, "KIND_WORDS", KIND, value="sequences")
    form = verifier_guarantees.Form(KIND, "{k}-anonymity of sequences", {"k": 2})
    change(verifier_guarantees, "FORMS", SequenceAnonymity.name, value=form)
    change(verifier_kinds, "KINDS", KIND, value=verifier_kinds.Kind(audit_sequences))
    return changed


PEOPLE = pa.table({"age": [30, 30, 41, 41, 41], COLUMN: ["ward>home"] * 2 + ["home>ward", "home>ward", "home"]})
RECIPE = {
    "columns": {"age": {"role": "quasi"}, COLUMN: {"role": "quasi"}},
    "guarantee": [{"name": "sequence-anonymity", "k": 2}],
    "suppression": {"limit": 0.4},
}


def test_a_fifth_kind_is_released_verified_and_described(files):
    release = shoal.anonymize(PEOPLE, RECIPE)
    assert release.verdict.passed
    assert release.verdict.kind == KIND
    counts = pa.TableGroupBy(release.data, ["age", COLUMN]).aggregate([([], "count_all")])
    assert min(counts["count_all"].to_pylist()) >= 2
    assert shoal.verify(release.data, RECIPE).passed
    assert not shoal.verify(PEOPLE, RECIPE).passed
    assert release._repr_html_()


def test_few_files_know_the_kinds(files):
    """With losses of its own, and on Spark, there are two more: the registries of these."""
    assert len(files) + 2 <= MOST_FILES, sorted(files)


def test_without_it_the_kind_is_unknown():
    with pytest.raises(shoal.RecipeError, match="sequence-anonymity"):
        shoal.anonymize(PEOPLE, RECIPE)
