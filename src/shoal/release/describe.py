"""Gather what a report says of a release, from the frequency set and the recoding alone.

Nothing here knows which method decided. Raw counts go through `shoal.report.tally`, which masks what must not be shown.
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
from shoal.kernels.grouping import Layout, group_sum
from shoal.loss import LOSSES
from shoal.loss.glm import GLM
from shoal.loss.loss import normalized_weights
from shoal.report import facts as f
from shoal.report import tally
from shoal.report.codebook import codebook
from shoal.report.html import render_html
from shoal.report.json import render_json
from shoal.report.masking import mask
from shoal.report.rungs import rungs
from shoal.report.why import sentences

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from shoal.data.frequency import FrequencySet
    from shoal.engines.engine import Engine, Written
    from shoal.hierarchies.hierarchy import Label
    from shoal.methods.method import Decision
    from shoal.recoding.levels import LevelRecoding
    from shoal.release.plan import Hierarchies, Plan
    from shoal.verify.verdict import Verdict

_SHARES = ("glm", "ncp", "entropy")  # losses that lie between 0 and 1
_PLAIN_WORDS = {
    "glm": "Detail lost",
    "ncp": "Detail lost, by width of ranges",
    "dm": "How many people look alike",
    "entropy": "Information hidden",
    "c_avg": "Average group size, as a multiple of k",
}
_ROLE_NAMES: dict[Role, f.RoleName] = {
    Role.IDENTIFYING: "identifying",
    Role.QUASI: "quasi",
    Role.SENSITIVE: "sensitive",
    Role.PLAIN: "plain",
}
_C_AVG = "published records / published classes / k; suppressed records do not count"


@dataclass(frozen=True, eq=False)
class Described:
    """All that is said of a release beside its data. The facts lack only the hashes of files not yet written."""

    plan: Plan
    decision: Decision
    facts: f.Facts
    why: tuple[str, ...]
    published: Mapping[str, frozenset[Label]]  # the different values the release holds, of each quasi-identifier

    @property
    def loss_name(self) -> str:
        return self.plan.recipe.loss.name

    def sidecars(self, data: Path) -> dict[str, bytes]:
        """The files that stand beside the data, by kind. `data`: the verified draft, hashed as it is."""
        book = json.dumps(self.codebook(), ensure_ascii=False, indent=2).encode() + b"\n"
        files = (
            f.ReleasedFile(data.name, "data", _sha256_of(data)),
            f.ReleasedFile(
                f"{data.name.rsplit('.', 1)[0]}.codebook.json", "codebook", hashlib.sha256(book).hexdigest()
            ),
        )
        facts = _replace_files(self.facts, files)
        return {
            "codebook.json": book,
            "report.html": render_html(facts).encode(),
            "report.json": render_json(facts).encode(),
            "manifest.private.json": json.dumps(self.manifest(facts), ensure_ascii=False, indent=2).encode() + b"\n",
        }

    def codebook(self) -> dict[str, Any]:
        recoding = self.decision.recoding
        book: dict[str, Any] = codebook(
            self.plan.schema,
            dict(zip(recoding.columns, zip(recoding.hierarchies, recoding.levels, strict=True), strict=True)),
            published=self.published,
            stated=_stated(self.plan),
            missing=self.plan.recipe.missing,
        )
        return book

    def manifest(self, facts: f.Facts) -> dict[str, Any]:
        """For the custodian only: how to make the release again, and what was suppressed."""
        return {
            "format": "shoal-manifest",
            "version": 1,
            "private": "This file stays with the custodian. It names classes that were suppressed; do not publish it.",
            "files": [{"name": file.name, "sha256": file.sha256} for file in facts.identity.files],
            "recipe": self.plan.recipe.text,
            "recoding": self.decision.recoding.to_json(),
            "evaluated": self.decision.evaluated,
            "lattice": self.decision.lattice,
            "optimal": self.decision.optimal,
            "loss": str(self.decision.loss),
        }


def describe(
    plan: Plan, engine: Engine, hierarchies: Hierarchies, decision: Decision, written: Written, verdict: Verdict
) -> Described:
    recipe, recoding = plan.recipe, decision.recoding
    k = recipe.smallest_class
    private = {name: hierarchies.sensitive.get(name) for name in plan.schema.names(Role.SENSITIVE)}
    frequency = engine.frequency_set(hierarchies.quasi, private)
    view = _View.of(frequency, recoding)
    threshold = recipe.context.threshold
    losses = _losses(decision, recipe.loss.name)
    facts = f.Facts(
        k=k,
        identity=f.Identity(
            (f.ReleasedFile("data", "data", "0" * 64),),
            hashlib.sha256(recipe.text.encode()).hexdigest(),
            _versions(),
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
        columns=_columns(plan, view, k),
        promises=tuple(f.Promise(g.name, g.sentence(), g.technical(), g.sensitive or "") for g in recipe.guarantees),
        risk=tally.risk(
            _by_size(frequency.counts),
            _by_size(view.class_sizes[view.kept]),
            k,
            str(threshold) if threshold is not None else None,
        ),
        losses=losses,
        search=f.Search(
            plan.method.title,
            LOSSES[recipe.loss.name].title,
            decision.evaluated,
            decision.lattice,
            0.0 if decision.optimal else max(0.0, float(decision.loss) - decision.bound),
            decision.seconds,
        ),
        distributions=tuple(
            tally.distribution(name, zip(recoding.labels(c), *view.records_by_group(c), strict=True), k)
            for c, name in enumerate(recoding.columns)
        ),
        why=_why(decision, view, k, str(recipe.suppression.limit)),
        private_facts=tuple(view.private_fact(name, frequency) for name in private),
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
    return Described(plan, decision, facts, sentences(facts), published)


@dataclass(frozen=True, eq=False)
class _View:
    """The frequency set at the chosen levels."""

    recoding: LevelRecoding
    counts: NDArray[np.int64]  # (tuples,)
    codes: NDArray[np.int32]  # (tuples, columns) leaf codes
    groups: NDArray[np.int32]  # (tuples, columns) group numbers at the chosen levels
    class_of: NDArray[np.int32]  # (tuples,)
    class_sizes: NDArray[np.int64]  # (classes,)
    kept: NDArray[np.bool_]  # (classes,)

    @classmethod
    def of(cls, frequency: FrequencySet, recoding: LevelRecoding) -> _View:
        groups = np.empty_like(frequency.codes)
        for c, (hierarchy, level) in enumerate(zip(recoding.hierarchies, recoding.levels, strict=True)):
            groups[:, c] = hierarchy.groups[level][frequency.codes[:, c]]
        layout = Layout.for_domains([h.leaf_count for h in recoding.hierarchies])
        keys, sizes, class_of = group_sum(layout.pack(groups), frequency.counts)
        hidden = layout.pack(recoding.suppressed)
        marks = np.concatenate([np.zeros(len(keys), np.int64), np.ones(len(hidden), np.int64)])
        _, marked, group_of = group_sum(np.concatenate([keys, hidden]), marks)
        return cls(
            recoding, frequency.counts, frequency.codes, groups, class_of, sizes, marked[group_of[: len(keys)]] == 0
        )

    def records_by_group(self, column: int) -> tuple[list[int], list[int]]:
        """Records read and records published, for every group of a column at its level."""
        size = len(self.recoding.labels(column))
        read = np.bincount(self.groups[:, column], weights=self.counts, minlength=size)
        published = self.counts * self.kept[self.class_of]
        shown = np.bincount(self.groups[:, column], weights=published, minlength=size)
        return read.astype(np.int64).tolist(), shown.astype(np.int64).tolist()

    def published(self, column: int) -> frozenset[Label]:
        """The values of a column that the release holds."""
        _, shown = self.records_by_group(column)
        return frozenset(label for label, n in zip(self.recoding.labels(column), shown, strict=True) if n)

    def ladder(self, column: int, k: int, *, stated: bool) -> tuple[f.Rung, ...]:
        """The levels of a column, with a published value that at least k records share as the example."""
        hierarchy, level = self.recoding.hierarchies[column], self.recoding.levels[column]
        _, shown = self.records_by_group(column)
        frequent = sorted(zip(shown, self.recoding.labels(column), strict=True), key=lambda pair: -pair[0])
        for records, label in frequent:
            if records >= k and label is not None:
                return rungs(hierarchy, level, label, stated=stated)
        return tuple(f.Rung("", 0) for _ in hierarchy.groups)

    def private_fact(self, column: str, frequency: FrequencySet) -> f.PrivateFact:
        s = frequency.sensitive[column]
        pairs = self.class_of[s.tuples].astype(np.uint64) * np.uint64(s.value_count) + s.values.astype(np.uint64)
        distinct, _, _ = group_sum(pairs.reshape(-1, 1), s.counts)
        values = np.bincount((distinct[:, 0] // np.uint64(s.value_count)).astype(np.int64), minlength=len(self.kept))
        same = self.kept & (values == 1)
        return f.PrivateFact(column, int(self.kept.sum()), int(same.sum()), int(self.class_sizes[same].sum()))


def _columns(plan: Plan, view: _View, k: int) -> tuple[f.ColumnFacts, ...]:
    recoding = view.recoding
    position = {name: c for c, name in enumerate(recoding.columns)}
    marginals = [
        np.bincount(view.codes[:, c], weights=view.counts, minlength=h.leaf_count).astype(np.int64)
        for c, h in enumerate(recoding.hierarchies)
    ]
    cells = GLM().cell_costs(recoding.hierarchies, marginals, normalized_weights(recoding.columns, {}))
    sums = cells.level_sums(recoding.hierarchies, marginals)
    rows = int(view.counts.sum())
    made = []
    for column in plan.schema:
        reason = plan.recipe.columns[column.name].reason
        if column.role is not Role.QUASI:
            made.append(f.ColumnFacts(column.name, _ROLE_NAMES[column.role], reason))
            continue
        c = position[column.name]
        level = recoding.levels[c]
        most = cells.full[c] * rows
        made.append(
            f.ColumnFacts(
                column.name,
                "quasi",
                reason,
                level,
                view.ladder(c, k, stated=column.name in _stated(plan)),
                1 - sums[c][level] / most if most else 1.0,
            )
        )
    return tuple(made)


def _stated(plan: Plan) -> frozenset[str]:
    return frozenset(name for name, spec in plan.recipe.columns.items() if spec.states_its_values)


def _why(decision: Decision, view: _View, k: int, limit: str) -> f.Why:
    position = {name: c for c, name in enumerate(decision.recoding.columns)}
    finer = []
    for reason in decision.reasons:
        c = position[reason.column]
        labels = decision.recoding.labels(c)
        _, published = view.records_by_group(c)
        small = {labels[group]: records for group, records in enumerate(reason.failing_by_group) if records}
        finer.append(tally.finer(reason.column, small, dict(zip(labels, published, strict=True)), k))
    points = [f.TradeOff(limit, float(decision.loss), mask(decision.suppressed, k), decision.recoding.levels)]
    points += [f.TradeOff(f"{t.limit:g}", t.loss, mask(t.suppressed, k), t.levels) for t in decision.tradeoffs]
    return f.Why(tuple(finer), tuple(points))


def _losses(decision: Decision, chosen: str) -> tuple[f.LossFacts, ...]:
    made = []
    for name, value in decision.losses.items():
        formula = LOSSES[name].formula if name in LOSSES else _C_AVG
        title = LOSSES[name].title if name in LOSSES else "Average class size (C_avg)"
        made.append(
            f.LossFacts(
                title, _PLAIN_WORDS[name], value, name in _SHARES, formula, name != "c_avg", minimised=name == chosen
            )
        )
    return tuple(sorted(made, key=lambda loss: not loss.minimised))


def _by_size(sizes: NDArray[np.int64]) -> Mapping[int, int]:
    distinct, classes = np.unique(sizes, return_counts=True)
    return dict(zip(distinct.tolist(), classes.tolist(), strict=True))


def _versions() -> tuple[tuple[str, str], ...]:
    import duckdb
    import pyarrow as pa

    return (
        ("shoal", __version__),
        ("Python", platform.python_version()),
        ("DuckDB", duckdb.__version__),
        ("pyarrow", pa.__version__),
        ("NumPy", np.__version__),
    )


def _sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _replace_files(facts: f.Facts, files: tuple[f.ReleasedFile, ...]) -> f.Facts:
    from dataclasses import replace

    return replace(facts, identity=replace(facts.identity, files=files))
