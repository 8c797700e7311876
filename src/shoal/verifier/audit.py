"""The verifier: reads a published file as a stranger would and holds it against what was promised.

It shares no code with the methods, engines and recodings that make releases, and it counts for itself. Doubt is never a
pass: what cannot be read raises an error, what cannot be decided fails its check.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from shoal.errors import DataError, InternalError, RecipeError, comes_of_a_stop
from shoal.verifier.base import Case
from shoal.verifier.files.parquet_form import metadata_marks
from shoal.verifier.files.remote import brought, is_remote
from shoal.verifier.files.sidecars import check_sidecars
from shoal.verifier.kinds import KINDS
from shoal.verifier.recipe.places import Frame, Input
from shoal.verifier.running import Runner
from shoal.verifier.source import parquet_of
from shoal.verifier.sql.duckdb import DuckDBSql, connection
from shoal.verifier.sql.spark import SparkSql, is_frame, session_of
from shoal.verifier.text import readable, text_form
from shoal.verifier.verdict import Check

if TYPE_CHECKING:
    from collections.abc import Callable

    import duckdb

    from shoal.verifier.sql.sql import Sql
    from shoal.verifier.terms import Terms
    from shoal.verifier.verdict import Verdict


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
    beside: bool = False,
    spark: Any = None,
    memory: str | None = None,
    scratch: Path | None = None,
    watch: Callable[[float | None], None] | None = None,
) -> Verdict:
    """Judge a release; see `Terms` for what it is held against.

    `release`, `original` and `assignment` are paths (of a file, or of a flat folder of Parquet files), URIs, Arrow tables or frames
    of Spark. `original` may also be what a recipe says of its input, or a data frame of the user's own (`recipe/places.py`). With
    `spark`, a session, everything is counted in Spark's SQL; otherwise in DuckDB, unless one of them is a frame.

    With `original` it is also checked that nothing was lost or invented; `original_missing` are the texts that stand for a
    missing value there. `assignment` says which records show what (see `assignment.py`); it saves the search for a matching, and
    is not believed but checked. `records_in` stands for the number of original records when only that is known. `delimiter` is
    that of the release, if it is a CSV file; without it the one by which the published columns are found is taken.

    Trees are read from nested Parquet or JSON lines, the original in the form of the release with the values as they were; `rules`
    is what the release tells of what was done to them (`trees/rules.py`), and is not believed either.

    `beside`: also hold what stands beside the release, report and codebook, against it (`sidecars.py`).

    `memory` is what DuckDB may take ("4GB"); the rest goes to a private folder on disk. `scratch`: such a folder, where originals
    of trees lie while they are read. `watch` is called now and then with the share that is done, or None; when it raises, the work
    is stopped and the exception comes out here.
    """
    import duckdb

    places = (data.data if isinstance(data, Frame) else data for data in (release, original, assignment))
    session = session_of(spark, [data for data in places if is_frame(data)])
    try:
        with connection(memory) as con, TemporaryDirectory(prefix="shoal-verify-", dir=scratch) as folder:
            if session is None:  # Spark reads addresses by itself
                release, original, assignment = _brought(Path(folder), release, original, assignment, beside)
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
                scratch=scratch,
                memory=memory,
                beside=beside,
                session=session,
                watch=watch,
            )
    except duckdb.OutOfMemoryException:
        raise DataError(
            f"What is to be counted does not fit in {memory or 'memory'}. Allow more ([engine] memory); nothing is verified."
        ) from None
    except (
        duckdb.IOException,
        duckdb.InvalidInputException,
        duckdb.ConversionException,
        duckdb.OutOfRangeException,
        duckdb.SerializationException,
        duckdb.NotImplementedException,
    ) as error:
        # DuckDB quotes values in its messages; only its name for the fault may leave this place
        raise DataError(f"The data could not be read to the end ({type(error).__name__}).") from None
    except duckdb.Error as error:
        if type(error) is duckdb.Error:  # what a damaged Parquet file holds has no narrower name
            raise DataError("The data could not be read to the end; it is damaged.") from None
        raise InternalError(f"The verifier could not count ({type(error).__name__}). Nothing is verified.") from None
    except RuntimeError as error:
        if comes_of_a_stop(error):
            raise KeyboardInterrupt from None
        raise


def _brought(folder: Path, release: Any, original: Any, assignment: Any, beside: bool) -> tuple[Any, Any, Any]:
    """What lies in a store or on the web, here."""
    if is_remote(release):
        release = brought(release, folder / "release", beside=beside)
    if isinstance(original, Input) and is_remote(original.path):
        original = replace(original, path=brought(str(original.path), folder / "original"))
    elif is_remote(original):
        original = brought(original, folder / "original")
    if is_remote(assignment):
        assignment = brought(assignment, folder / "assignment")
    return release, original, assignment


def audit(
    con: duckdb.DuckDBPyConnection,
    release: Any,
    terms: Terms,
    *,
    beside: bool = False,
    session: Any = None,
    watch: Callable[[float | None], None] | None = None,
    **more: Any,
) -> Verdict:
    """`verify_release` within a connection that has nothing else in it."""
    runner = Runner(watch)
    sql: Sql = DuckDBSql(con, runner) if session is None else SparkSql(con, session, runner)
    try:
        if more.get("assignment") is not None and more.get("original") is None:
            raise RecipeError(
                "An assignment says which original records are shown; give the original (--original) as well."
            )
        kind = KINDS[terms.schema.kind]
        verdict = replace(kind.audit(Case(sql, release, **more), terms), kind=terms.schema.kind)
        if beside and isinstance(release, Path):
            check = check_sidecars(release, terms, verdict.records, _published(con, terms))
            verdict = _with(verdict, check)
    finally:
        sql.close()
    if not kind.footers or not isinstance(release, Path):
        return verdict
    files = parquet_of(release)
    marks = metadata_marks(files.paths, arrow=True) if files else ()
    return _with(verdict, Check("one form", not marks, " ".join(marks) or "Nothing but values tells records apart."))


def _with(verdict: Verdict, check: Check) -> Verdict:
    """After the first, that of the columns: what is held against the original stays last."""
    return replace(
        verdict, passed=verdict.passed and check.passed, checks=(*verdict.checks[:1], check, *verdict.checks[1:])
    )


def _published(con: duckdb.DuckDBPyConnection, terms: Terms) -> dict[str, frozenset[str | None]]:
    """By quasi column of single values: the texts the release shows, where its classes were counted."""
    found = con.execute("SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = 'classes_0'").fetchall()
    kinds = dict(found)
    return {
        name: frozenset(
            text_form(value, kinds[f"q{i}"])
            for (value,) in con.execute(
                f"SELECT DISTINCT {readable(f'q{i}', kinds[f'q{i}'])} FROM classes_0"
            ).fetchall()
        )
        for i, name in enumerate(terms.schema.quasi_values)
        if f"q{i}" in kinds
    }
