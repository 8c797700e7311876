"""The verifier for tables: rows of single values, held against what was promised about their classes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import InternalError
from shoal.verifier.base import values_of, with_empty
from shoal.verifier.columns import (
    check_columns,
    check_missing,
    missing_columns,
    records_without_values,
    sensitive_warnings,
    spelling_warnings,
)
from shoal.verifier.finding import counted, judge
from shoal.verifier.order import check_order
from shoal.verifier.recipe.guarantees import FORMS
from shoal.verifier.records import check_suppression
from shoal.verifier.tables import added, k_anonymity, l_diversity, t_closeness
from shoal.verifier.tables.assignment import columns_of
from shoal.verifier.tables.classes import count_classes
from shoal.verifier.tables.cover import check_cover
from shoal.verifier.tables.groups import count_groups
from shoal.verifier.terms import sensitive_column
from shoal.verifier.unique import AsTheyAre, check_unique
from shoal.verifier.verdict import ADDED, Caution, Check, Verdict

if TYPE_CHECKING:
    from shoal.verifier.base import Case
    from shoal.verifier.finding import Finding
    from shoal.verifier.source import Source
    from shoal.verifier.tables.classes import Classes
    from shoal.verifier.terms import Terms


def audit_tables(case: Case, terms: Terms) -> Verdict:
    """The verdict on a table, with the original where there is one."""
    before = case.open_original(terms)
    terms = terms.over(lambda names: values_of(before, names))
    source, beside = case.open_release(terms)
    return with_empty(source, beside, _verdict(case, terms, source, before))


def _verdict(case: Case, terms: Terms, source: Source, before: Source | None) -> Verdict:
    sql, records_in = case.sql, case.records_in
    checks = [check_columns(source, terms)]
    if missing_columns(source, terms):
        checks += [Check(g.technical(), False, "Not checked, because a column is missing.") for g in terms.guarantees]
        return Verdict(False, tuple(checks), records=source.records)
    source.single_valued((*terms.schema.quasi, *terms.protected))
    # one pass over the release; what is compared with the original is counted in it as well
    with sql.runner.part(0.0, 0.9 if before is None else 0.45):
        others = terms.protected if before is None else terms.others
        groups = count_groups(source, "release", terms.schema.quasi, others)
    counts: dict[str | None, Classes] = {
        name: count_classes(groups, name, i) for i, name in enumerate(terms.protected or (None,))
    }
    classes = next(iter(counts.values()))  # the classes are the same in all, only numbered differently
    protected = [one.holdings for one in counts.values() if one.holdings is not None]
    warnings = [*spelling_warnings(classes)]
    warnings += [warning for holdings in protected for warning in sensitive_warnings(holdings)]
    warnings += [Caution(ADDED, added.caution(g)) for g in terms.guarantees if g.name not in FORMS]
    if source.records == 0:
        warnings.append("The release has no records. It keeps every promise about its records, and says nothing.")
    findings = [_find(g, terms, counts.get(sensitive_column(g), classes)) for g in terms.guarantees]
    exempted = terms.exempt_suppressed and any(finding.suppressed_break_it for finding in findings)
    if exempted:
        findings = [finding.without_suppressed() for finding in findings]
    judged = judge(findings)
    checks += [check for check, _ in judged]
    witnesses = [witness for _, ones in judged for witness in ones]
    starred = 0 if classes.suppressed is None else int(classes.sizes[classes.suppressed])
    alone, unique = check_unique(
        AsTheyAre.of(source, terms, groups), source.records, terms.schema.accepted, terms.guarantees
    )
    checks += alone
    if isinstance(case.release, Path) and not terms.any_order:
        checks += check_order(source, [source.column(name) for name in terms.schema.quasi])
    facts: dict[str, Any] = {"suppressed_rows": starred, **unique}
    if without := records_without_values(classes):
        facts["no_quasi_value"] = without
    if exempted:
        warnings.append(
            f"{counted(starred, 'row')} with `*` in every quasi column broke a promise and were exempt from it, as the terms "
            "allow. Their other columns are published."
        )
    if terms.missing == "refuse":
        checks.append(check_missing(classes))
    if before is not None:
        if before.empty:
            facts["empty_rows_in"] = before.empty
        if records_in is not None and records_in != before.records:
            detail = f"{records_in} records are said to have gone in, but the original has {before.records}."
            checks.append(Check("records", False, detail, compared=True))
        records_in = before.records
    if records_in is not None:
        check, suppressed = check_suppression(
            source.records, starred if exempted else 0, records_in, terms.suppression_limit
        )
        checks.append(check)
        facts |= {"records_in": records_in, "suppressed": suppressed}
    if before is not None:
        opener = case.assignment_opener()
        assignment = None if opener is None else opener("assignment", columns_of(terms.schema.quasi, terms.others))
        check, lost = check_cover(groups, classes, before, terms, assignment)
        checks.append(check)
        witnesses += lost
    return Verdict(
        passed=all(check.passed for check in checks),
        checks=tuple(checks),
        witnesses=tuple(witnesses),
        warnings=tuple(warnings),
        records=source.records,
        classes=len(classes.sizes),
        smallest_class=int(classes.sizes.min(initial=source.records)),
        facts=facts,
    )


def _find(guarantee: Any, terms: Terms, classes: Classes) -> Finding:
    if guarantee.name == "k-anonymity":
        return k_anonymity.find(guarantee, classes)
    holdings = classes.holdings
    if holdings is not None and holdings.column == sensitive_column(guarantee):
        if guarantee.name == "l-diversity":
            return l_diversity.find(guarantee, classes, holdings)
        if guarantee.name == "t-closeness":
            return t_closeness.find(guarantee, classes, holdings, terms.hierarchies.get(holdings.column))
    if guarantee.name not in FORMS:
        return added.find(guarantee, classes, holdings if sensitive_column(guarantee) is not None else None)
    raise InternalError(f"The verifier does not know the guarantee '{guarantee.name}'. Nothing is verified.")
