"""Gather what a report says of a release, from the frequency set and the recoding alone.

Nothing here knows which method decided. Raw counts go through `shoal.report.tally`, which masks what must not be shown, and
figures worked out from the raw records through `shoal.report.digits`.
"""

from __future__ import annotations

import hashlib
import json
import platform
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal import __version__
from shoal.data.schema import Role
from shoal.errors import InternalError
from shoal.io.names import sidecar_name
from shoal.loss import LOSSES
from shoal.recoding.levels import LevelRecoding
from shoal.release.losses import loss_facts, losses_of
from shoal.release.view import View
from shoal.report import digits, tally
from shoal.report import facts as f
from shoal.report.codebook import codebook
from shoal.report.html import render_html
from shoal.report.json import render_json
from shoal.report.masking import mask
from shoal.report.why import sentences

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from shoal.engines.engine import Engine, Written
    from shoal.io.folder import Sealed
    from shoal.methods.method import Decision
    from shoal.release.plan import Hierarchies, Plan
    from shoal.report.codebook import PublishedColumn
    from shoal.verify.verdict import Verdict

_ROLE_NAMES: dict[Role, f.RoleName] = {
    Role.IDENTIFYING: "identifying",
    Role.QUASI: "quasi",
    Role.SENSITIVE: "sensitive",
    Role.PLAIN: "plain",
}
_HOW_PROVED = (
    "Each record has to share all its published values with at least k − 1 others. For every record the cheapest values that k "
    "records could share were found; the sum of what they cost is what every release loses at least."
)
_ROUNDING = 1e-9  # by which a bound in floats may pass the exact loss


@dataclass(frozen=True, eq=False)
class Described:
    """All that is said of a release beside its data. The facts lack only the hashes of files not yet written."""

    plan: Plan
    decision: Decision
    facts: f.Facts
    why: tuple[str, ...]
    published: Mapping[str, PublishedColumn]  # the values the release holds, of each quasi-identifier
    losses: Mapping[str, float]  # every loss of the release, by name

    @property
    def loss_name(self) -> str:
        return self.plan.recipe.loss.name

    def sidecars(self, name: str, data: Sealed) -> dict[str, bytes]:
        """The files that stand beside the data, by kind. `name`, `data`: of the verified draft."""
        book = json.dumps(self.codebook(), ensure_ascii=False, indent=2).encode() + b"\n"
        files = (
            f.ReleasedFile(name, data.what, data.sha256),
            f.ReleasedFile(sidecar_name(name, "codebook.json"), "codebook", hashlib.sha256(book).hexdigest()),
        )
        facts = _replace_files(self.facts, files)
        return {
            "codebook.json": book,
            "report.html": render_html(facts).encode(),
            "report.json": render_json(facts).encode(),
            "manifest.private.json": json.dumps(self.manifest(facts), ensure_ascii=False, indent=2).encode() + b"\n",
        }

    def codebook(self) -> dict[str, Any]:
        book: dict[str, Any] = codebook(
            self.plan.schema, self.published, stated=_stated(self.plan), missing=self.plan.recipe.missing
        )
        return book

    def manifest(self, facts: f.Facts) -> dict[str, Any]:
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


def describe(
    plan: Plan,
    engine: Engine,
    hierarchies: Hierarchies,
    decision: Decision,
    written: Written,
    verdict: Verdict,
    *,
    floor: float | None = None,
) -> Described:
    """floor: no recoding of these records along the hierarchies that keeps to k loses less, by the recipe's loss."""
    recipe, recoding = plan.recipe, decision.table_recoding
    k = recipe.smallest_class
    private = {name: hierarchies.sensitive.get(name) for name in plan.schema.names(Role.SENSITIVE)}
    frequency = engine.frequency_set(hierarchies.quasi, private)
    view = View.of(recoding, frequency, _stated(plan), k)
    threshold = recipe.context.threshold
    losses = losses_of(view.recoded, recoding.columns, recipe.loss, k)
    facts = f.Facts(
        k=k,
        identity=f.Identity(
            (f.ReleasedFile("data", "data", "0" * 64),),
            hashlib.sha256(recipe.text.encode()).hexdigest(),
            _versions(engine),
            datetime.now(UTC).date().isoformat(),
        ),
        verdict=f.VerdictFacts(
            verdict.passed,
            tuple(f.CheckFacts(check.name, check.passed, check.detail) for check in verdict.checks),
            verdict.warnings,
        ),
        records=f.Records(
            written.records + written.suppressed,
            written.records,
            written.suppressed,
            str(recipe.suppression.limit),
            decision.limit,
        ),
        columns=_columns(plan, view),
        promises=tuple(f.Promise(g.name, g.sentence(), g.technical(), g.sensitive or "") for g in recipe.guarantees),
        risk=tally.risk(
            _by_size(frequency.counts),
            _by_size(view.recoded.class_sizes),
            k,
            str(threshold) if threshold is not None else None,
        ),
        losses=loss_facts(losses, recipe.loss.name),
        search=f.Search(
            plan.method.title,
            LOSSES[recipe.loss.name].title,
            decision.evaluated,
            decision.lattice,
            _gap(decision),
            decision.seconds,
        ),
        distributions=tuple(view.distribution(c) for c in range(len(recoding.columns))),
        why=_why(decision, view, k, str(recipe.suppression.limit)),
        tried=_tried(decision),
        floor=_floor(decision, floor),
        private_facts=tuple(view.private_fact(name, engine) for name in private),
        policy=f.Policy(recipe.missing),
        context=f.Context(
            recipe.context.access,
            recipe.context.recipients,
            recipe.context.purpose,
            recipe.context.controller,
            recipe.context.next_review,
        ),
    )
    published = {name: view.published(c) for c, name in enumerate(recoding.columns)}
    return Described(plan, decision, facts, sentences(facts), published, losses)


def _columns(plan: Plan, view: View) -> tuple[f.ColumnFacts, ...]:
    position = {name: c for c, name in enumerate(view.columns)}
    made = []
    for column in plan.schema:
        facts = column.name, _ROLE_NAMES[column.role], plan.recipe.columns[column.name].reason
        if column.role is Role.QUASI:
            c = position[column.name]
            kept = digits.down(view.kept(c))
            made.append(f.ColumnFacts(*facts, view.levels[c], view.ladder(c), kept, view.mix(c)))
        else:
            made.append(f.ColumnFacts(*facts))
    return tuple(made)


def _stated(plan: Plan) -> frozenset[str]:
    return frozenset(name for name, spec in plan.recipe.columns.items() if spec.states_its_values)


def _why(decision: Decision, view: View, k: int, limit: str) -> f.Why:
    """What a step finer of one column costs, and what more suppression buys; both speak of levels of whole columns."""
    recoding = decision.recoding
    if not isinstance(recoding, LevelRecoding):
        return f.Why()
    position = {name: c for c, name in enumerate(recoding.columns)}
    finer = []
    for reason in decision.reasons:
        c = position[reason.column]
        labels = recoding.labels(c)
        small = {labels[group]: records for group, records in enumerate(reason.failing_by_group) if records}
        published = dict(zip(labels, view.recoded.records(c).tolist(), strict=True))
        finer.append(tally.finer(reason.column, small, published, k))
    points = [f.TradeOff(limit, digits.lost(float(decision.loss)), mask(decision.suppressed, k), recoding.levels)]
    points += [
        f.TradeOff(f"{t.limit:g}", digits.lost(t.loss), mask(t.suppressed, k), t.levels) for t in decision.tradeoffs
    ]
    return f.Why(tuple(finer), tuple(points))


def _gap(decision: Decision) -> float | None:
    if not decision.lattice:
        return None
    return 0.0 if decision.optimal else digits.gap(float(decision.loss), decision.bound)


def _tried(decision: Decision) -> tuple[f.Tried, ...]:
    """Kept is the first of those that lost least."""
    losses = [attempt.loss for attempt in decision.tried if attempt.loss is not None]
    kept = next((i for i, attempt in enumerate(decision.tried) if losses and attempt.loss == min(losses)), None)
    return tuple(
        f.Tried(t.method, None if t.loss is None else digits.lost(t.loss), t.seconds, t.note, kept=i == kept)
        for i, t in enumerate(decision.tried)
    )


def _floor(decision: Decision, floor: float | None) -> f.Floor | None:
    """A floor of 0 says nothing of a release that loses something."""
    loss = float(decision.loss)
    if floor is None or (floor <= 0 < loss):
        return None
    if floor > loss * (1 + _ROUNDING):
        raise InternalError("A release was found that loses less than was proved possible; nothing was published.")
    return f.Floor(digits.down(floor), digits.above(loss, floor), _HOW_PROVED)


def _by_size(sizes: NDArray[np.int64]) -> Mapping[int, int]:
    distinct, classes = np.unique(sizes, return_counts=True)
    return dict(zip(distinct.tolist(), classes.tolist(), strict=True))


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


def _replace_files(facts: f.Facts, files: tuple[f.ReleasedFile, ...]) -> f.Facts:
    from dataclasses import replace

    return replace(facts, identity=replace(facts.identity, files=files))
