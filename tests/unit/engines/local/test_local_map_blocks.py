"""map_blocks of the local engine: processes when there is much to do, progress, and nothing left behind when it is stopped."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from samples.kernels import BlockOf, Numbered, Sleeps
from shoal.data.schema import Column, Role, Schema
from shoal.engines.local import LocalEngine
from shoal.engines.local import map_blocks as map_blocks_
from shoal.io.source import from_frame

KERNEL = Numbered("v")


class StopError(Exception):
    pass


def engine_with(rows: int, **options) -> LocalEngine:
    engine = LocalEngine(**options)
    values = np.random.default_rng(1).permutation(rows)
    engine.load(from_frame(pa.table({"v": values})), Schema((Column("v", Role.QUASI),)))
    return engine


@pytest.mark.slow
def test_many_records_go_to_processes_and_come_back_the_same(monkeypatch):
    started = []
    real = map_blocks_.Workers

    def watched(number, kernel):
        started.append(number)
        return real(number, kernel)

    monkeypatch.setattr(map_blocks_, "Workers", watched)
    made = []
    for threads in (1, 2):
        engine = engine_with(60_000, threads=threads)
        made.append(engine.map_blocks(["v"], BlockOf("v", 5), KERNEL, KERNEL.schema))
        engine.close()
    assert started == [2] and made[0] == made[1] and made[0].num_rows == 60_000


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_a_listener_that_raises_stops_it_and_leaves_nothing(threads):
    told = []

    def listen(event) -> None:
        told.append(event)
        if event.stage == "blocks" and event.done is not None and stop:
            raise StopError

    stop = True
    engine = engine_with(70_000, threads=threads, listener=listen)
    with pytest.raises(StopError):
        engine.map_blocks(["v"], BlockOf("v", 9), Sleeps(0.05), pa.schema([("v", pa.int64()), ("records", pa.int64())]))
    stop = False
    made = engine.map_blocks(["v"], BlockOf("v", 9), KERNEL, KERNEL.schema)  # the engine works as before
    assert made.num_rows == 70_000
    assert "working on 9 blocks" in told[-1].message
    engine.close()


@pytest.mark.parametrize(("memory", "workers"), [(None, 4), ("8GB", 4), ("3GB", 2), ("500MB", 1)])
def test_there_is_memory_for_every_worker(memory, workers):
    engine = LocalEngine(memory, 4)
    assert engine.workers == workers
    engine.close()
