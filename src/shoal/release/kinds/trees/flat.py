"""Beside a release of trees: a table for each class of nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.io.folder import part_files, sha256_of
from shoal.io.publishing.names import TABLES, sidecar_name
from shoal.io.publishing.publish import Draft
from shoal.io.trees.flat import write_tables
from shoal.io.trees.flat_check import check_tables

if TYPE_CHECKING:
    from shoal.io.publishing.drafts import AnyDraft
    from shoal.release.plan import Plan


def write_flat(draft: AnyDraft, plan: Plan, records: int) -> dict[str, str]:
    """Where the recipe asks for it. The tables are as public as the verified release, and must agree with it. Their names and
    SHA-256."""
    if not isinstance(draft, Draft) or plan.recipe.output is None or not plan.recipe.output.tables:
        return {}
    name = sidecar_name(draft.name, TABLES)
    release, folder = draft.path(draft.name), draft.path(name)
    write_tables(release, plan.schema.shape, folder)
    check_tables(release, plan.schema.shape, folder)
    draft.seal(name, records)
    return {f"{name}/{file.name}": sha256_of(file) for file in part_files(folder)}
