"""All that is said of a release beside its data, and what is said of every release alike: tables and item sets."""

from __future__ import annotations

import hashlib
import json
import platform
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.data.registry import packages_of
from shoal.data.schema import Role
from shoal.guarantees import GUARANTEES
from shoal.io.publishing.names import sidecar_name
from shoal.loss import LOSSES
from shoal.methods.registry import METHODS
from shoal.release.guards.linkable import too_many
from shoal.release.promise import technical_name
from shoal.report import digits
from shoal.report.codebook import CodebookText
from shoal.report.codebook_csv import codebook_csv
from shoal.report.columns import RoleName
from shoal.report.facts import Context, Promise, Singled, Tried
from shoal.report.html import render_html
from shoal.report.json import render_json
from shoal.report.masking import mask
from shoal.report.outcome import CheckFacts, Identity, Records, ReleasedFile, VerdictFacts
from shoal.verifier.by_recipe import NOT_PUBLISHABLE
from shoal.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.data.registry import Registry
    from shoal.engines.engine import Engine, Written
    from shoal.io.folder import Sealed
    from shoal.methods.method import Decision
    from shoal.release.plan import Plan
    from shoal.release.recipe.recipe import Recipe
    from shoal.report.kinds import ReportFacts
    from shoal.verifier.verdict import Verdict

ROLE_NAMES: dict[Role, RoleName] = {
    Role.IDENTIFYING: "identifying",
    Role.QUASI: "quasi",
    Role.SENSITIVE: "sensitive",
    Role.PLAIN: "plain",
}


@dataclass(frozen=True, eq=False)
class Described:
    """The facts lack only the hashes of files not yet written. `facts`: the custodian's edition; `public`: everybody's."""

    plan: Plan
    decision: Decision
    facts: ReportFacts
    public: ReportFacts
    why: tuple[str, ...]
    book: Mapping[str, Any]  # what the published values mean
    losses: Mapping[str, float]  # every loss of the release, by name
    loss_name: str  # of the one that was to be small
    empty_rows: int = 0  # of the original: without any published value, and so no records
    engine: str = "local"  # that the release was made on

    def sidecars(self, name: str, data: Sealed, tables: Mapping[str, str] | None = None) -> dict[str, bytes]:
        """The files that stand beside the data, by kind. `name`, `data`: of the verified draft. `tables`: of trees, the tables
        beside it and their SHA-256."""
        text = {"text": asdict(self._text())} if name.endswith(".csv") else {}
        book = (
            json.dumps(self.codebook() | text | _notice(self.plan.recipe), ensure_ascii=False, indent=2).encode()
            + b"\n"
        )
        as_table = codebook_csv(self.book)
        files = (
            ReleasedFile(name, data.what, data.sha256),
            *(ReleasedFile(table, "table of a class", sha256) for table, sha256 in (tables or {}).items()),
            ReleasedFile(sidecar_name(name, "codebook.json"), "codebook", hashlib.sha256(book).hexdigest()),
            ReleasedFile(
                sidecar_name(name, "codebook.csv"), "codebook as a table", hashlib.sha256(as_table).hexdigest()
            ),
        )
        facts, everybodys = (
            replace(edition, identity=replace(edition.identity, files=files)) for edition in (self.facts, self.public)
        )
        public = {
            "codebook.json": book,
            "codebook.csv": as_table,
            "report.html": render_html(everybodys).encode(),
            "report.json": render_json(everybodys).encode(),
        }
        hashes = {sidecar_name(name, kind): hashlib.sha256(text).hexdigest() for kind, text in public.items()}
        manifest = json.dumps(self.manifest(facts, hashes), ensure_ascii=False, indent=2).encode() + b"\n"
        return {**public, "report.private.html": render_html(facts).encode(), "manifest.private.json": manifest}

    def _text(self) -> CodebookText:
        dialect = self.plan.recipe.dialect
        written = {name: str(form) for name, form in dialect.written.items() if name in self.plan.schema.published}
        return CodebookText(dialect.encoding, dialect.delimiter, dialect.quote, written)

    def codebook(self) -> dict[str, Any]:
        """As a copy that may be changed."""
        return dict(self.book)

    def manifest(self, facts: ReportFacts, hashes: Mapping[str, str]) -> dict[str, Any]:
        """For the custodian only: how to make the release again, what was suppressed, and all that is known of it. With the hashes
        of all public files it binds what the report says: nobody else can change the report unnoticed."""
        return {
            "format": "shoal-manifest",
            "version": 1,
            "private": "This file stays with the custodian. It names classes that were suppressed; do not publish it.",
            "files": [
                {"name": file, "sha256": sha256}
                for file, sha256 in {**{file.name: file.sha256 for file in facts.identity.files}, **hashes}.items()
            ],
            "engine": self.engine,
            "recipe": self.plan.recipe.text,
            "recoding": self.decision.recoding.to_json(),
            "evaluated": self.decision.evaluated,
            "lattice": self.decision.lattice,
            "optimal": self.decision.optimal,
            "loss": str(self.decision.loss),
            "facts": facts.to_json(),
            "empty_rows": self.empty_rows,
        }


def _notice(recipe: Recipe) -> dict[str, str]:
    """In the codebook, for whoever has nothing but the data and it."""
    return {} if recipe.seed is None else {"notice": NOT_PUBLISHABLE}


def stated_columns(plan: Plan) -> frozenset[str]:
    """Those whose raw values the recipe or a file states."""
    return frozenset(name for name, spec in plan.recipe.columns.items() if spec.states_its_values)


def identity_of(recipe: Recipe, engine: Engine) -> Identity:
    """Of files that are not yet written."""
    return Identity(
        (ReleasedFile("data", "data", "0" * 64),),
        hashlib.sha256(recipe.text.encode()).hexdigest(),
        (*_versions(engine), *((package.name, package.version) for package in packages_of(*_named(recipe)))),
        datetime.now(UTC).date().isoformat(),
    )


def _named(recipe: Recipe) -> tuple[tuple[Registry[Any], str], ...]:
    """What other packages may have added, of what the recipe names."""
    return (
        (METHODS, recipe.method_name),
        (LOSSES, recipe.loss_name),
        *((GUARANTEES, guarantee.name) for guarantee in recipe.guarantees),
    )


def verdict_of(verdict: Verdict) -> VerdictFacts:
    """As the report tells it."""
    return VerdictFacts(
        verdict.passed,
        tuple(CheckFacts(check.name, check.passed, check.detail, check.compared) for check in verdict.checks),
        verdict.warnings,
        verdict.codes,
    )


def records_of(recipe: Recipe, written: Written, limit: int, engine: Engine, verdict: Verdict) -> Records:
    """Rows that are no records may still have been people: one more or less of them must not be seen."""
    k = recipe.smallest_class
    return Records(
        written.records + written.suppressed,
        written.records,
        written.suppressed,
        str(recipe.suppression.limit),
        limit,
        empty_rows=engine.empty_rows // k * k,
        no_quasi_value=mask(verdict.facts.get("no_quasi_value", 0), k),
    )


def tried_of(decision: Decision) -> tuple[Tried, ...]:
    """Kept is the first of those that lost least."""
    losses = [attempt.loss for attempt in decision.tried if attempt.loss is not None]
    kept = next((i for i, attempt in enumerate(decision.tried) if losses and attempt.loss == min(losses)), None)
    return tuple(
        Tried(t.method, None if t.loss is None else digits.lost(t.loss), t.seconds, t.note, kept=i == kept)
        for i, t in enumerate(decision.tried)
    )


def promises_of(recipe: Recipe) -> tuple[Promise, ...]:
    """As the report tells them."""
    made = zip(recipe.guarantee, recipe.guarantees, strict=True)
    return tuple(Promise(g.name, g.sentence(), technical_name(spec, g), g.sensitive or "") for spec, g in made)


def singled_of(recipe: Recipe, verdict: Verdict) -> tuple[Singled, ...]:
    """As the verifier counted it in what is published."""
    accepted, singled = recipe.schema_.accepted, []
    for one in verdict.facts.get("unique", ()):
        reasons = [recipe.columns[name].reason.strip() for name in one["columns"] if name in accepted]
        many = too_many(one["records"], verdict.records)
        records = mask(one["records"], recipe.smallest_class)
        singled.append(Singled(tuple(one["columns"]), records, "; ".join(reasons) if many else ""))
    return tuple(singled)


def context_of(recipe: Recipe) -> Context:
    """Who receives it, as the recipe says."""
    context = recipe.context
    return Context(context.access, context.recipients, context.purpose, context.controller, context.next_review)


def _versions(engine: Engine) -> tuple[tuple[str, str], ...]:
    import duckdb
    import pyarrow as pa

    return (
        ("shoal", __version__),
        ("Python", platform.python_version()),
        *engine.versions.items(),
        ("DuckDB", duckdb.__version__),
        ("pyarrow", pa.__version__),
        ("NumPy", np.__version__),
    )
