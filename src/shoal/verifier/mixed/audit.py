"""The verifier for mixed tables, held against what was promised about both together.

Published records are judged from the release alone: class by class, where a class is the records that are equal in all single
values. With the original it is also checked that nothing was lost or invented.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from shoal.errors import InternalError
from shoal.verifier.base import values_of, with_empty, with_empty_before
from shoal.verifier.columns import (
    check_columns,
    check_missing,
    item_warnings,
    missing_columns,
    records_without_values,
    sensitive_warnings,
    spelling_warnings,
)
from shoal.verifier.mixed import assignment as assignments
from shoal.verifier.mixed.combinations import AtLeast, AtMostOneIn, judge
from shoal.verifier.mixed.counted import count_records, released
from shoal.verifier.mixed.cover import check_cover
from shoal.verifier.mixed.labels import check_labels, check_sensitive, covers_of, sensitive_item_warnings
from shoal.verifier.mixed.reading import Merged
from shoal.verifier.order import check_order
from shoal.verifier.records import check_records
from shoal.verifier.sets.audit import Given
from shoal.verifier.sets.form import check_written
from shoal.verifier.sets.reading import hold
from shoal.verifier.tables.classes import count_classes
from shoal.verifier.unique import AsTheyAre, check_unique
from shoal.verifier.verdict import Check, Verdict

if TYPE_CHECKING:
    from shoal.verifier.base import Case
    from shoal.verifier.holdings import Holdings
    from shoal.verifier.mixed.counted import Released
    from shoal.verifier.tables.classes import Classes
    from shoal.verifier.terms import Terms
    from shoal.verifier.verdict import Witness

# by guarantee: the least that each parameter may be
_PARAMETERS = {"k-km-anonymity": {"k": 2, "m": 1}, "k-lm-diversity": {"k": 2, "l": 2, "m": 1}}


def audit_mixed(case: Case, terms: Terms) -> Verdict:
    """The verdict on a mixed table."""
    source, beside = case.open_release(terms, keep_empty=terms.left_out)
    before = case.open_original(terms)
    for guarantee in terms.guarantees:
        _refuse_odd(guarantee)
    in_order = case.in_order and not terms.any_order
    given = Given(source, before, case.records_in, case.assignment_opener(), in_order)
    return with_empty(source, beside, with_empty_before(before, _Audit(given, terms).verdict()))


def _refuse_odd(guarantee: Any) -> None:
    """Parameters that the guarantee itself should have refused are not counted with."""
    if guarantee.name not in _PARAMETERS:
        raise InternalError(f"The verifier does not know the guarantee '{guarantee.name}'. Nothing is verified.")
    for parameter, least in _PARAMETERS[guarantee.name].items():
        value = getattr(guarantee, parameter, None)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise InternalError(f"{guarantee.name} with {parameter} = {value!r} cannot be verified.")
    if guarantee.name == "k-lm-diversity" and not isinstance(getattr(guarantee, "column", None), str):
        raise InternalError(f"{guarantee.name} without a column cannot be verified.")


class _Audit:
    def __init__(self, given: Given, terms: Terms) -> None:
        self.given, self.terms, self.source = given, terms, given.source
        self.checks: list[Check] = []
        self.witnesses: list[Witness] = []
        self.warnings: list[str] = []
        self.facts: dict[str, Any] = {}

    def verdict(self) -> Verdict:
        given, terms, source = self.given, self.terms, self.source
        self.checks.append(check_columns(source, terms))
        if missing_columns(source, terms):
            because = "Not checked, because a column is missing."
            self.checks += [Check(g.technical(), False, because) for g in terms.guarantees]
            return Verdict(False, tuple(self.checks), warnings=tuple(self.warnings), records=source.records)
        protected = tuple(name for name in terms.protected if name not in terms.schema.quasi_sets)
        source.single_valued((*terms.schema.quasi_values, *protected))
        merged = Merged.of(source, terms)
        labels, tables = merged.words("release")
        before, assignment = None, None
        items: dict[str, tuple[str, ...]] = {}
        if given.original is not None:
            given.original.single_valued(terms.schema.quasi_values)
            before = Merged.of(given.original, terms, merged.lists)
            items, more = before.words("original")
            tables += more
            if given.opened is not None:
                assignment = given.opened("assignment", assignments.columns_of(terms))
                for side in assignments.SIDES:
                    tables += Merged.of(assignment, terms, merged.lists, side).words(side.rstrip(":"))[1]
        terms = self.terms = terms.over(lambda names: values_of(given.original, names), items)
        hold(merged.lists, source.sql, tables)
        others = protected if given.original is None else terms.others
        with source.sql.runner.part(0.0, 0.3):
            published = count_records(merged, "release", terms.schema.quasi_values, others)
            found = [count_classes(published.groups, name, i) for i, name in enumerate(protected or (None,))]
            release = released(published, found[0])  # the classes are the same in all, only numbered differently
        if without := records_without_values(release.classes):
            self.facts["no_quasi_value"] = without
        self._unique(merged)
        if given.in_order and source.sql.here is source.sql:  # in Spark merged rows have no places
            self.checks += check_order(source, [source.column(name) for name in terms.schema.quasi_values])
        self._warn(release.classes, [one.holdings for one in found if one.holdings is not None], labels)
        if source.records:
            self.warnings += sensitive_item_warnings(merged, labels)
        self.checks += check_labels(merged, labels, terms.hierarchies)
        self.checks += check_sensitive(merged, labels, terms.hierarchies, items)
        with source.sql.runner.part(0.3, 0.6):
            self._promises(release)
        if terms.missing == "refuse":
            self.checks.append(check_missing(release.classes))
        check, warnings = check_written(list(merged.columns.values()))
        self.checks.append(check)
        self.warnings += warnings
        original = None if given.original is None else given.original.records
        checks, figures = check_records(source.records, original, given.records_in, terms.suppression_limit)
        self.checks += checks
        self.facts |= figures
        if before is not None:
            with source.sql.runner.part(0.6, 0.95):
                raw = count_records(before, "original", terms.schema.quasi_values, others)
                covers = covers_of(merged, items, labels, terms.hierarchies, left_out=terms.left_out)
                self.checks.append(check_cover(release, raw, covers, terms, assignment))
        return Verdict(
            passed=all(check.passed for check in self.checks),
            checks=tuple(self.checks),
            witnesses=tuple(self.witnesses),
            warnings=tuple(self.warnings),
            records=source.records,
            classes=len(release.classes.sizes),
            smallest_class=int(release.classes.sizes.min(initial=source.records)),
            facts=self.facts,
        )

    def _unique(self, merged: Merged) -> None:
        """Sensitive items are published as they are, so what a record holds of them is counted like a column."""
        found, terms = AsTheyAre.of(self.source, self.terms), self.terms
        kept = {
            name: merged.lists.canonical(merged.lists.chosen(merged.columns[name].texts, items, among=True))
            for name, items in merged.sensitive.items()
            if items
        }
        found = replace(found, columns={**found.columns, **kept})
        checks, figures = check_unique(found, self.source.records, terms.schema.accepted, terms.guarantees)
        self.checks += checks
        self.facts |= figures

    def _promises(self, release: Released) -> None:
        least = self.source.records
        for guarantee in self.terms.guarantees:
            promise = guarantee.technical()
            found = [judge(release, promise, AtLeast(guarantee))]
            if guarantee.name == "k-lm-diversity":
                found.append(judge(release, promise, AtMostOneIn(guarantee)))
            broken = [one for one in found if not one.passed]
            details = dict.fromkeys(one.detail for one in broken or found)
            self.checks.append(Check(promise, not broken, " ".join(details)))
            self.witnesses += [witness for one in broken for witness in one.witnesses]
            least = min([least, *(one.least for one in found if one.least is not None)])
        sizes = release.sizes
        self.facts |= {
            "fewest_holders": least,  # of a combination that was counted, within its class
            "different_sets": sum(number for number, _ in sizes.values()),  # counted class by class
            "empty_sets": sizes.get(0, (0, 0))[1],
        }

    def _warn(self, classes: Classes, holdings: list[Holdings], labels: dict[str, tuple[str, ...]]) -> None:
        self.warnings += spelling_warnings(classes)
        for one in holdings:
            self.warnings += sensitive_warnings(one)
        for name, words in labels.items():
            self.warnings += item_warnings(name, words)
        if self.source.records == 0:
            self.warnings.append(
                "The release has no records. It keeps every promise about its records, and says nothing."
            )
