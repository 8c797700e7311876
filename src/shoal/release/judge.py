"""Hold a release that was just made against its recipe and the data it came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.release.plan import terms_of
from shoal.verify import verify_release

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from shoal.release.plan import Hierarchies, Plan
    from shoal.verify.verdict import Verdict


def judge(
    plan: Plan, hierarchies: Hierarchies, release: Path | pa.Table, assignment: Path | pa.Table | None, records: int
) -> Verdict:
    recipe, source = plan.recipe, plan.source
    trees = {**hierarchies.quasi, **{name: h for name, h in hierarchies.sensitive.items() if h is not None}}
    return verify_release(
        release,
        terms_of(recipe, trees),
        original=source.path if source.kind == "parquet" else source.table,
        original_missing=tuple(recipe.input.missing) if recipe.input else (),
        assignment=assignment,
        records_in=records,
    )
