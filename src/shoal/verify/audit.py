"""The verifier: reads a published file as a stranger would and holds it against what was promised.

It shares no code with the methods, engines and recodings that make releases, and it counts for itself. Doubt is never a
pass: what cannot be read raises an error, what cannot be decided fails its check.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import DataError, InternalError, RecipeError
from shoal.verify import k_anonymity, l_diversity, t_closeness
from shoal.verify.assignment import columns_of
from shoal.verify.classes import Classes, count_classes
from shoal.verify.columns import (
    check_columns,
    check_missing,
    column_warnings,
    missing_columns,
    sensitive_warnings,
    spelling_warnings,
)
from shoal.verify.cover import check_cover
from shoal.verify.duckdb_sql import DuckDBSql, connection
from shoal.verify.finding import Finding, counted, judge
from shoal.verify.groups import count_groups
from shoal.verify.itemsets.audit import Given, audit_sets
from shoal.verify.mixed.audit import audit_mixed
from shoal.verify.parquet_form import metadata_marks
from shoal.verify.records import check_suppression
from shoal.verify.running import Runner
from shoal.verify.source import open_source, parquet_of
from shoal.verify.spark_source import open_spark_source
from shoal.verify.spark_sql import SparkSql, is_frame, session_of
from shoal.verify.terms import sensitive_column
from shoal.verify.trees.audit import GivenTrees, audit_trees
from shoal.verify.verdict import Check, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    import duckdb

    from shoal.guarantees.guarantee import Guarantee
    from shoal.verify.source import Source
    from shoal.verify.sql import Sql
    from shoal.verify.terms import Terms


def verify_release(
    release: Any,
    terms: Terms,
    *,
    original: Any = None,
    original_missing: tuple[str, ...] = (),
    assignment: Any = None,
    delimiter: str | None = None,
    records_in: int | None = None,
    rules: Any = None,
    spark: Any = None,
    memory: str | None = None,
    watch: Callable[[float | None], None] | None = None,
) -> Verdict:
    """Judge a release; see `Terms` for what it is held against.

    `release`, `original` and `assignment` are paths (of a file, or of a flat folder of Parquet files), Arrow tables or frames of
    Spark. With `spark`, a session, everything is counted in Spark's SQL; otherwise in DuckDB, unless one of them is a frame.

    With `original` it is also checked that nothing was lost or invented; `original_missing` are the texts that stand for a
    missing value there. `assignment` says which records show what (see `assignment.py`); it saves the search for a matching, and
    is not believed but checked. `records_in` stands for the number of original records when only that is known. `delimiter` is
    that of the release, if it is a CSV file; without it the one by which the published columns are found is taken.

    Trees are read from nested Parquet or JSON lines, the original in the form of the release with the values as they were; `rules`
    is what the release tells of what was done to them (`trees/rules.py`), and is not believed either.

    `memory` is what DuckDB may take ("4GB"); the rest goes to a private folder on disk. `watch` is called now and then with the
    share that is done, or None; when it raises, the work is stopped and the exception comes out here.
    """
    import duckdb

    session = session_of(spark, [data for data in (release, original, assignment) if is_frame(data)])
    try:
        with connection(memory) as con:
            return audit(
                con,
                release,
                terms,
                original=original,
                original_missing=original_missing,
                assignment=assignment,
                delimiter=delimiter,
                records_in=records_in,
                rules=rules,
                session=session,
                watch=watch,
            )
    except duckdb.OutOfMemoryException:
        raise DataError(
            f"What is to be counted does not fit in {memory or 'memory'}. Allow more ([engine] memory); nothing is verified."
        ) from None
    except (duckdb.IOException, duckdb.InvalidInputException, duckdb.ConversionException) as error:
        # DuckDB quotes values in its messages; only its name for the fault may leave this place
        raise DataError(f"The data could not be read to the end ({type(error).__name__}).") from None
    except duckdb.Error as error:
        raise InternalError(f"The verifier could not count ({type(error).__name__}). Nothing is verified.") from None


def audit(
    con: duckdb.DuckDBPyConnection,
    release: Any,
    terms: Terms,
    *,
    session: Any = None,
    watch: Callable[[float | None], None] | None = None,
    **more: Any,
) -> Verdict:
    """`verify_release` within a connection that has nothing else in it."""
    runner = Runner(watch)
    sql: Sql = DuckDBSql(con, runner) if session is None else SparkSql(con, session, runner)
    try:
        verdict = _audit(sql, release, terms, **more)
    finally:
        sql.close()
    if terms.schema.kind == "trees" or not isinstance(release, Path):
        return verdict
    # of trees it breaks their one form; other tools' tables have it for good reasons, so here it is only said
    files = parquet_of(release)
    return replace(verdict, warnings=(*verdict.warnings, *(metadata_marks(files.paths, arrow=True) if files else ())))


def _audit(
    sql: Sql,
    release: Any,
    terms: Terms,
    *,
    original: Any = None,
    original_missing: tuple[str, ...] = (),
    assignment: Any = None,
    delimiter: str | None = None,
    records_in: int | None = None,
    rules: Any = None,
) -> Verdict:
    if assignment is not None and original is None:
        raise RecipeError(
            "An assignment says which original records are shown; give the original (--original) as well."
        )
    if terms.schema.kind == "trees":
        # trees are counted here, wherever they lie
        release, original, assignment = (_brought(sql, data) for data in (release, original, assignment))
        opened = _later(sql.here, assignment)
        return audit_trees(GivenTrees(sql.here, release, original, original_missing, records_in, rules, opened), terms)
    source = _open(
        sql,
        "release",
        release,
        wanted=terms.schema.published,
        delimiter=delimiter,
        spreadsheet_safe=terms.spreadsheet_safe,
        sets=terms.schema.kind == "sets",
    )
    if terms.schema.kind != "table":
        return _audit_sets(sql, source, terms, original, original_missing, assignment, records_in)
    checks = [check_columns(source, terms)]
    if missing_columns(source, terms):
        checks += [Check(g.technical(), False, "Not checked, because a column is missing.") for g in terms.guarantees]
        return Verdict(False, tuple(checks), warnings=tuple(column_warnings(source, terms)), records=source.records)
    source.single_valued((*terms.schema.quasi, *terms.protected))
    # one pass over the release; what is compared with the original is counted in it as well
    with sql.runner.part(0.0, 0.9 if original is None else 0.45):
        others = terms.protected if original is None else terms.others
        groups = count_groups(source, "release", terms.schema.quasi, others)
    counts: dict[str | None, Classes] = {
        name: count_classes(groups, name, i) for i, name in enumerate(terms.protected or (None,))
    }
    classes = next(iter(counts.values()))  # the classes are the same in all, only numbered differently
    protected = [one.holdings for one in counts.values() if one.holdings is not None]
    warnings = [*column_warnings(source, terms, groups, protected), *spelling_warnings(classes)]
    warnings += [warning for holdings in protected for warning in sensitive_warnings(holdings)]
    if source.records == 0:
        warnings.append("The release has no records. It keeps every promise about its records, and says nothing.")
    findings = [_find(g, terms, counts.get(sensitive_column(g), classes)) for g in terms.guarantees]
    exempted = terms.exempt_suppressed and any(finding.suppressed_break_it for finding in findings)
    if exempted:
        findings = [finding.without_suppressed() for finding in findings]
    judged = judge(findings)
    checks += [check for check, _ in judged]
    witnesses = [witness for _, found in judged for witness in found]
    starred = 0 if classes.suppressed is None else int(classes.sizes[classes.suppressed])
    facts: dict[str, Any] = {"suppressed_rows": starred}
    if exempted:
        warnings.append(
            f"{counted(starred, 'row')} with `*` in every quasi column broke a promise and were exempt from it, as the terms "
            "allow. Their other columns are published."
        )
    if terms.missing == "refuse":
        checks.append(check_missing(classes))
    if original is not None:
        before = _open(sql, "original", original, wanted=terms.schema.published, missing=original_missing)
        if records_in is not None and records_in != before.records:
            detail = f"{records_in} records are said to have gone in, but the original has {before.records}."
            checks.append(Check("records", False, detail))
        records_in = before.records
    if records_in is not None:
        check, suppressed = check_suppression(
            source.records, starred if exempted else 0, records_in, terms.suppression_limit
        )
        checks.append(check)
        facts |= {"records_in": records_in, "suppressed": suppressed}
    if original is not None:
        told = None
        if assignment is not None:
            told = _open(sql, "assignment", assignment, wanted=columns_of(terms.schema.quasi, terms.others))
        check, lost = check_cover(groups, classes, before, terms, told)
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


def _audit_sets(
    sql: Sql,
    source: Source,
    terms: Terms,
    original: Any,
    original_missing: tuple[str, ...],
    assignment: Any,
    records_in: int | None,
) -> Verdict:
    before = None
    if original is not None:
        wanted = terms.schema.published
        alone = terms.schema.kind == "sets"
        before = _open(sql, "original", original, wanted=wanted, missing=original_missing, sets=alone)
    given = Given(source, before, records_in, _later(sql, assignment))
    return audit_mixed(given, terms) if terms.schema.kind == "mixed" else audit_sets(given, terms)


def _later(sql: Sql, assignment: Any) -> Callable[[str, tuple[str, ...]], Source] | None:
    """Opens the assignment, if there is one, when its columns are known."""
    if assignment is None:
        return None
    return lambda view, wanted: _open(sql, view, assignment, wanted=wanted)


def _brought(sql: Sql, data: Any) -> Any:
    """A frame of Spark as an Arrow table; everything else as it is."""
    return sql.run(data.toArrow) if isinstance(sql, SparkSql) and is_frame(data) else data


def _open(sql: Sql, view: str, data: Any, **more: Any) -> Source:
    if isinstance(sql, SparkSql):
        return open_spark_source(sql, view, data, **more)
    return open_source(sql, view, data, **more)


def _find(guarantee: Guarantee, terms: Terms, classes: Classes) -> Finding:
    if guarantee.name == "k-anonymity":
        return k_anonymity.find(guarantee, classes)
    holdings = classes.holdings
    if holdings is not None and holdings.column == sensitive_column(guarantee):
        if guarantee.name == "l-diversity":
            return l_diversity.find(guarantee, classes, holdings)
        if guarantee.name == "t-closeness":
            return t_closeness.find(guarantee, classes, holdings, terms.hierarchies.get(holdings.column))
    raise InternalError(f"The verifier does not know the guarantee '{guarantee.name}'. Nothing is verified.")
