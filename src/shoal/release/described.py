"""All that is said of a release beside its data, and what is said of every release alike: tables and item sets."""

from __future__ import annotations

import hashlib
import json
import platform
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal import __version__
from shoal.data.schema import Role
from shoal.io.names import sidecar_name
from shoal.report import digits
from shoal.report import facts as f
from shoal.report.html import render_html
from shoal.report.json import render_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.engines.engine import Engine, Written
    from shoal.io.folder import Sealed
    from shoal.methods.method import Decision
    from shoal.release.plan import Plan
    from shoal.release.recipe import Recipe
    from shoal.report.set_facts import SetFacts
    from shoal.report.tree_facts import TreeFacts
    from shoal.verify.verdict import Verdict

ROLE_NAMES: dict[Role, f.RoleName] = {
    Role.IDENTIFYING: "identifying",
    Role.QUASI: "quasi",
    Role.SENSITIVE: "sensitive",
    Role.PLAIN: "plain",
}


@dataclass(frozen=True, eq=False)
class Described:
    """The facts lack only the hashes of files not yet written."""

    plan: Plan
    decision: Decision
    facts: f.Facts | SetFacts | TreeFacts
    why: tuple[str, ...]
    book: Mapping[str, Any]  # what the published values mean
    losses: Mapping[str, float]  # every loss of the release, by name
    loss_name: str  # of the one that was to be small

    def sidecars(self, name: str, data: Sealed, tables: Mapping[str, str] | None = None) -> dict[str, bytes]:
        """The files that stand beside the data, by kind. `name`, `data`: of the verified draft. `tables`: of trees, the tables
        beside it and their SHA-256."""
        book = json.dumps(self.codebook(), ensure_ascii=False, indent=2).encode() + b"\n"
        files = (
            f.ReleasedFile(name, data.what, data.sha256),
            *(f.ReleasedFile(table, "table of a class", sha256) for table, sha256 in (tables or {}).items()),
            f.ReleasedFile(sidecar_name(name, "codebook.json"), "codebook", hashlib.sha256(book).hexdigest()),
        )
        facts = replace(self.facts, identity=replace(self.facts.identity, files=files))
        return {
            "codebook.json": book,
            "report.html": render_html(facts).encode(),
            "report.json": render_json(facts).encode(),
            "manifest.private.json": json.dumps(self.manifest(facts), ensure_ascii=False, indent=2).encode() + b"\n",
        }

    def codebook(self) -> dict[str, Any]:
        return dict(self.book)

    def manifest(self, facts: f.Facts | SetFacts | TreeFacts) -> dict[str, Any]:
        """For the custodian only: how to make the release again, and what was suppressed."""
        return {
            "format": "shoal-manifest",
            "version": 1,
            "private": "This file stays with the custodian. It names classes that were suppressed; do not publish it.",
            "files": [{"name": file.name, "sha256": file.sha256} for file in facts.identity.files],
            "engine": "spark" if "Spark" in dict(facts.identity.versions) else "local",
            "recipe": self.plan.recipe.text,
            "recoding": self.decision.recoding.to_json(),
            "evaluated": self.decision.evaluated,
            "lattice": self.decision.lattice,
            "optimal": self.decision.optimal,
            "loss": str(self.decision.loss),
        }


def stated_columns(plan: Plan) -> frozenset[str]:
    """Those whose raw values the recipe or a file states."""
    return frozenset(name for name, spec in plan.recipe.columns.items() if spec.states_its_values)


def identity_of(recipe: Recipe, engine: Engine) -> f.Identity:
    """Of files that are not yet written."""
    return f.Identity(
        (f.ReleasedFile("data", "data", "0" * 64),),
        hashlib.sha256(recipe.text.encode()).hexdigest(),
        _versions(engine),
        datetime.now(UTC).date().isoformat(),
    )


def verdict_of(verdict: Verdict) -> f.VerdictFacts:
    return f.VerdictFacts(
        verdict.passed,
        tuple(f.CheckFacts(check.name, check.passed, check.detail) for check in verdict.checks),
        verdict.warnings,
    )


def records_of(recipe: Recipe, written: Written, limit: int) -> f.Records:
    return f.Records(
        written.records + written.suppressed,
        written.records,
        written.suppressed,
        str(recipe.suppression.limit),
        limit,
    )


def tried_of(decision: Decision) -> tuple[f.Tried, ...]:
    """Kept is the first of those that lost least."""
    losses = [attempt.loss for attempt in decision.tried if attempt.loss is not None]
    kept = next((i for i, attempt in enumerate(decision.tried) if losses and attempt.loss == min(losses)), None)
    return tuple(
        f.Tried(t.method, None if t.loss is None else digits.lost(t.loss), t.seconds, t.note, kept=i == kept)
        for i, t in enumerate(decision.tried)
    )


def promises_of(recipe: Recipe) -> tuple[f.Promise, ...]:
    return tuple(f.Promise(g.name, g.sentence(), g.technical(), g.sensitive or "") for g in recipe.guarantees)


def context_of(recipe: Recipe) -> f.Context:
    said = recipe.context
    return f.Context(said.access, said.recipients, said.purpose, said.controller, said.next_review)


def _versions(engine: Engine) -> tuple[tuple[str, str], ...]:
    import duckdb
    import pyarrow as pa

    session = getattr(engine, "session", None)  # of Spark, on the engine that has one
    return (
        ("shoal", __version__),
        ("Python", platform.python_version()),
        *([("Spark", str(session.version))] if session is not None else []),
        ("DuckDB", duckdb.__version__),
        ("pyarrow", pa.__version__),
        ("NumPy", np.__version__),
    )
