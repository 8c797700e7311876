"""The verifier for single values beside sets of items, held against what was promised about both together.

Published records are judged from the release alone: class by class, where a class is the records that are equal in all single
values. With the original it is also checked that nothing was lost or invented.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.errors import InternalError
from shoal.verify.classes import count_classes
from shoal.verify.columns import (
    check_columns,
    check_missing,
    column_warnings,
    missing_columns,
    sensitive_warnings,
    spelling_warnings,
)
from shoal.verify.itemsets.reading import hold, item_warnings
from shoal.verify.itemsets.written import check_written
from shoal.verify.mixed import told
from shoal.verify.mixed.combinations import AtLeast, AtMostOneIn, judge
from shoal.verify.mixed.counted import count_records, released
from shoal.verify.mixed.cover import check_cover
from shoal.verify.mixed.labels import check_labels, check_sensitive, covers_of, sensitive_item_warnings
from shoal.verify.mixed.reading import Merged
from shoal.verify.records import check_records
from shoal.verify.verdict import Check, Verdict

if TYPE_CHECKING:
    from shoal.verify.classes import Classes, Holdings
    from shoal.verify.itemsets.audit import Given
    from shoal.verify.mixed.counted import Released
    from shoal.verify.terms import Terms
    from shoal.verify.verdict import Witness

# by guarantee: the least that each parameter may be
_PARAMETERS = {"k-km-anonymity": {"k": 2, "m": 1}, "k-lm-diversity": {"k": 2, "l": 2, "m": 1}}


def audit_mixed(given: Given, terms: Terms) -> Verdict:
    for guarantee in terms.guarantees:
        _refuse_odd(guarantee)
    return _Audit(given, terms).verdict()


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
            self.warnings += column_warnings(source, terms)
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
                assignment = given.opened("assignment", told.columns_of(terms))
                for side in told.SIDES:
                    tables += Merged.of(assignment, terms, merged.lists, side).words(side.rstrip(":"))[1]
        hold(merged.lists, source.sql, tables)
        others = protected if given.original is None else terms.others
        with source.sql.runner.part(0.0, 0.3):
            published = count_records(merged, "release", terms.schema.quasi_values, others)
            found = [count_classes(published.groups, name, i) for i, name in enumerate(protected or (None,))]
            release = released(published, found[0])  # the classes are the same in all, only numbered differently
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
        self.warnings += [*column_warnings(self.source, self.terms, None, holdings), *spelling_warnings(classes)]
        for one in holdings:
            self.warnings += sensitive_warnings(one)
        for name, words in labels.items():
            self.warnings += item_warnings(name, words)
        if self.source.records == 0:
            self.warnings.append(
                "The release has no records. It keeps every promise about its records, and says nothing."
            )
