"""A rehearsal of a release, and what is shown of it: figures, pictures, two columns crossed, what is hidden and why."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal.data.schema import Role
from shoal.io.parquet import read_batches
from shoal.methods.method import Progress
from shoal.release.plan import open_input
from shoal.release.recipe.recipe import Recipe
from shoal.release.rehearsal.crossing import COLUMNS, crossed
from shoal.release.run import rehearse
from shoal.report.kinds import KINDS
from shoal.report.signing.headline import spoken

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.io.source import Source
    from shoal.methods.method import Listener


def compare_with_original(recipe: Path, listener: Listener = lambda _: None) -> dict[str, Any]:
    """As JSON holds it. It shows counts of the original: it is private."""
    release = rehearse(recipe, listener=listener)
    facts = release.described.facts
    listener(Progress("report", "putting before and after side by side"))
    stated = Recipe.load(recipe)
    names = list(stated.schema_.names(Role.QUASI, Role.SENSITIVE))
    book = {entry["name"]: entry for entry in release.described.codebook().get("columns", ())}
    shown = release.data
    tables = crossed(_original(stated, names), shown, names, book) if isinstance(shown, pa.Table) else ()
    return {
        "spoken": spoken(facts),
        "pictures": [asdict(picture) for picture in KINDS[facts.kind].pictures(facts)],
        "crossed": [asdict(one) for one in tables],
        "not_crossed": max(len(names) - COLUMNS, 0),
        "warnings": [
            warning for warning in release.warnings if warning not in {one.sentence for one in release.notices}
        ],
        "suppressed": release.suppressed,
        "records_in": release.records_in,
        "seconds": round(release.seconds, 1),
    }


def _original(recipe: Recipe, names: list[str]) -> pa.Table | None:
    """The columns as they were read; None where they lie in a cluster, or are trees."""
    source = open_input(recipe)
    try:
        return _columns(source, [name for name in names if name in source.columns])
    finally:
        source.close()


def _columns(source: Source, names: list[str]) -> pa.Table | None:
    if source.table is not None:
        return source.table.select([name for name in names if name in source.table.column_names])
    if source.frame is not None or source.nested is not None:
        return None
    batches = [batch for file in source.files for batch in read_batches(file, tuple(names))]
    return pa.Table.from_batches(batches) if batches else None
