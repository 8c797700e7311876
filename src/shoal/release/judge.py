"""Hold a release that was just made against its recipe and the data it came from."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from shoal.engines.local.memory import shares
from shoal.io.trees.originals import originals, write_originals
from shoal.methods.method import Progress
from shoal.release.plan import terms_of, tree_schema
from shoal.verify import verify_release

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from shoal.data.schema import Schema
    from shoal.io.source import Source
    from shoal.methods.method import Listener
    from shoal.release.plan import Hierarchies, Plan
    from shoal.verify.verdict import Verdict


def judge(
    plan: Plan,
    hierarchies: Hierarchies,
    release: Any,
    assignment: Any,
    records: int,
    *,
    session: Any = None,
    rules: Mapping[str, Any] | None = None,
    scratch: Path | None = None,
    listener: Listener = lambda _: None,
) -> Verdict:
    """`release`, `assignment`: where they were written, or frames of the engine. `session`: of Spark, when it does the counting.

    `rules`: of trees, what the release says it did. `scratch`: a private folder for what the verifier reads and nobody keeps.
    """

    def watch(done: float | None) -> None:
        listener(Progress("verify", "checking what was written, as a stranger would", done))

    watch(None)
    recipe, source = plan.recipe, plan.source
    quasi = hierarchies.quasi if plan.schema.kind == "trees" else hierarchies.stated
    trees = {**quasi, **{name: h for name, h in hierarchies.sensitive.items() if h is not None}}
    with original_for(source, tree_schema(recipe), scratch) as (original, missing):
        return verify_release(
            _read(release, session),
            terms_of(recipe, trees),
            original=original,
            original_missing=missing,
            assignment=_read(assignment, session),
            records_in=records,
            spark=session,
            memory=shares(recipe.engine.memory).verifier,
            watch=watch,
            rules=rules,
        )


@contextmanager
def original_for(
    source: Source, schema: Schema | None, scratch: Path | None = None
) -> Iterator[tuple[Any, tuple[str, ...]]]:
    """The original as the verifier takes it, and the texts that still mean missing there. `schema`: of trees.

    Trees are read from the source once more and brought into the published form: in the scratch folder, or else in memory.
    """
    if schema is None:
        yield original_of(source), source.missing
        return
    if source.kind == "spark":  # it stays there, and the verifier fetches it
        from shoal.engines.spark.jobs import Jobs
        from shoal.engines.spark.trees import originals_in

        yield originals_in(Jobs(source.frame.sparkSession), source.frame, schema, source.missing), ()
        return
    if scratch is None:
        yield originals(source, schema).read_all(), ()
        return
    path = scratch / "original.parquet"
    try:
        write_originals(source, schema, path)
        yield path, ()
    finally:
        path.unlink(missing_ok=True)


def original_of(source: Source) -> Any:
    """As the verifier takes it: a path, a table, or a Spark frame."""
    if source.kind == "parquet":
        return source.path
    return source.frame if source.kind == "spark" else source.table


def _read(place: Any, session: Any) -> Any:
    """What lies at a URI is read by Spark; the verifier opens a path by itself."""
    return session.read.parquet(place) if isinstance(place, str) else place
