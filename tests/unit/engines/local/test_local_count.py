"""count on the local engine: several threads, one sum; what a thread raises and what a listener raises comes back."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

import pyarrow as pa
import pytest

from shoal.data.schema import Column, Role, Schema
from shoal.engines.local import LocalEngine
from shoal.errors import DataError
from shoal.io.source import Source

ROWS = 400_000  # four batches
TABLE = pa.table({"n": pa.array(range(ROWS), pa.int64())})


@dataclass(frozen=True)
class Remainders:
    by: int
    pause: float = 0.0
    fails_at: int | None = None

    @property
    def keys(self):
        return pa.schema([("rest", pa.int64())])

    def partials(self, batches):
        for batch in batches:
            time.sleep(self.pause)
            values = batch.column("n").to_numpy()
            if self.fails_at is not None and (values == self.fails_at).any():
                raise DataError("Column 'n': not fit for this.")
            yield pa.record_batch({"rest": values % self.by, "records": pa.repeat(1, len(values))})


def loaded(**options):
    engine = LocalEngine(**options)
    engine.load(Source("arrow", ("n",), table=TABLE), Schema((Column("n", Role.PLAIN),)))
    return engine


def threads():
    return [t.name for t in threading.enumerate() if t.name.startswith("shoal-count")]


@pytest.mark.parametrize("many", [1, 2, 5])
def test_every_record_counts_once(many):
    engine = loaded(threads=many)
    for _ in range(2):
        made = engine.count(Remainders(7), ["n"])
        assert made["rest"].to_pylist() == list(range(7))
        assert made["records"].to_pylist() == [len(range(rest, ROWS, 7)) for rest in range(7)]
    assert engine.count(Remainders(ROWS), ["n"], at_least=2).num_rows == 0
    engine.close()
    assert not threads()


@pytest.mark.parametrize("at", [0, ROWS - 1])
def test_what_a_thread_raises_ends_the_others(at):
    engine = loaded(threads=3)
    with pytest.raises(DataError, match="not fit"):
        engine.count(Remainders(ROWS, fails_at=at), ["n"])
    assert not threads()
    assert engine.count(Remainders(2), ["n"])["records"].to_pylist() == [ROWS // 2, ROWS // 2]
    engine.close()


def test_a_listener_hears_how_far_it_is_and_can_stop_it():
    heard = []

    def listen(progress):
        heard.append(progress)
        if progress.stage == "count" and progress.done is not None and progress.done > 0.2:
            raise TimeoutError

    engine = loaded(threads=2, listener=listen)
    with pytest.raises(TimeoutError):
        engine.count(Remainders(ROWS, pause=0.6), ["n"])
    assert not threads()
    assert any(p.stage == "count" and p.message.startswith("counting") for p in heard)
    engine.close()
