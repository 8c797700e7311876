"""Hold a release that was just made against its recipe and the data it came from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.engines.local.memory import shares
from shoal.methods.method import Progress
from shoal.release.plan import terms_of
from shoal.verify import verify_release

if TYPE_CHECKING:
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
    listener: Listener = lambda _: None,
) -> Verdict:
    """`release`, `assignment`: where they were written, or frames of the engine. `session`: of Spark, when it does the counting."""

    def watch(done: float | None) -> None:
        listener(Progress("verify", "checking what was written, as a stranger would", done))

    watch(None)
    recipe, source = plan.recipe, plan.source
    trees = {**hierarchies.stated, **{name: h for name, h in hierarchies.sensitive.items() if h is not None}}
    return verify_release(
        _read(release, session),
        terms_of(recipe, trees),
        original=original_of(source),
        original_missing=source.missing,
        assignment=_read(assignment, session),
        records_in=records,
        spark=session,
        memory=shares(recipe.engine.memory).verifier,
        watch=watch,
    )


def original_of(source: Source) -> Any:
    """As the verifier takes it: a path, a table, or a Spark frame."""
    if source.kind == "parquet":
        return source.path
    return source.frame if source.kind == "spark" else source.table


def _read(place: Any, session: Any) -> Any:
    """What lies at a URI is read by Spark; the verifier opens a path by itself."""
    return session.read.parquet(place) if isinstance(place, str) else place
