"""Decide a table with item sets without publishing it: what the benchmarks of these methods share."""

from __future__ import annotations

import os
import resource
import time
from dataclasses import dataclass
from typing import Any

from benchmarks.rows.mixed import Mixed
from shoal.data.schema import Column, Role, Schema
from shoal.engines.local import LocalEngine
from shoal.guarantees.k_km_anonymity import KKMAnonymity
from shoal.io.source import from_frame
from shoal.methods.method import Decision
from shoal.methods.mixed.problem import MixedProblem
from shoal.methods.registry import METHODS


@dataclass(frozen=True, eq=False)
class Decided:
    decision: Decision
    seconds: float
    cpu: float  # with the workers
    peak_mb: float  # resident, of the largest process


def problem_of(mixed: Mixed, k: int, m: int, loss: str) -> MixedProblem:
    sets = {mixed.sets: ()}
    return MixedProblem(mixed.hierarchies, {}, (KKMAnonymity(k, m),), {}, sets=sets, item_loss=loss)


def engine_of(mixed: Mixed) -> LocalEngine:
    schema = Schema(
        tuple(Column(name, Role.QUASI, "set" if name == mixed.sets else "scalar") for name in mixed.hierarchies)
    )
    engine = LocalEngine()
    engine.load(from_frame(mixed.table, [mixed.sets]), schema)
    return engine


def decided(mixed: Mixed, method: str, k: int, m: int, *, loss: str = "item-ncp", **options: Any) -> Decided:
    """Seconds are of deciding: the records are in the engine already."""
    engine = engine_of(mixed)
    try:
        wall, cpu = time.perf_counter(), _cpu()
        decision = METHODS[method].decide(engine, problem_of(mixed, k, m, loss), lambda _: None, **options)
        return Decided(decision, time.perf_counter() - wall, _cpu() - cpu, _peak())
    finally:
        engine.close()


def load() -> float:
    return round(os.getloadavg()[0], 1)


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _peak() -> float:
    return max(resource.getrusage(w).ru_maxrss for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024
