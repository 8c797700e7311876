"""The local side of `scale/growth.py`: `shoal run` within a memory limit, and DuckDB's statements within the same.

Each runs in a process of its own. What is measured of `shoal run` is the whole process, with imports; of the other side the
three statements alone.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.lib import child, usage
from benchmarks.scale.work import Bare, level_maps, recipe_text


def pairs(data: Path, k: int, memory: str, repeat: int, identified: bool) -> Iterator[tuple[dict, dict]]:
    """What shoal needed, and what the bare statements with the levels it found needed; one after the other, and again."""
    folder = data.parent
    (folder / "recipe.toml").write_text(recipe_text(data, k, f'memory = "{memory}"', identified=identified))
    for _ in range(repeat):
        ours = _spawn("run", str(folder))
        yield ours, _spawn("bare", str(data), json.dumps(ours["levels"]), memory, str(int(identified)))


def run(folder: Path) -> dict:
    from shoal.engines.engine import Progress
    from shoal.release.run import run as run_recipe

    stages: dict[str, float] = {}
    cpu: dict[str, float] = {"import": time.process_time()}
    peaks: dict[str, float] = {}
    last = [("load", time.perf_counter(), time.process_time())]

    def listen(event) -> None:
        name, since, used = last[0]
        last[0] = (event.stage, time.perf_counter(), time.process_time())
        stages[name] = stages.get(name, 0.0) + last[0][1] - since
        cpu[name] = cpu.get(name, 0.0) + last[0][2] - used
        peaks[name] = max(peaks.get(name, 0.0), _peak_mb())

    release = run_recipe(folder / "recipe.toml", replace=True, listener=listen)
    listen(Progress("end"))
    return {
        "peak_mb": max(peaks.values()),
        "stages_s": stages,
        "stages_cpu_s": cpu,
        "stages_peak_mb": peaks,
        "levels": release.levels,
        "loss": release.loss,
        "records_out": release.records_out,
        "classes": release.verdict.classes,
        "verified": release.verdict.passed,
    }


def bare(data: Path, levels: dict[str, int], memory: str, identified: bool) -> dict:
    import duckdb
    import pyarrow as pa

    written = data.with_name("bare.parquet")
    with duckdb.connect(config={"memory_limit": memory, "temp_directory": str(data.with_name("spill"))}) as con:
        origin = f"read_parquet('{data}')"
        work = Bare(origin, identified=identified)
        kinds = {field.name: field.type for field in con.sql(f"SELECT * FROM {origin} LIMIT 0").to_arrow_table().schema}
        for i, (name, values) in enumerate(level_maps(data.parent, levels).items()):
            raw = pa.array(values.raw).cast(kinds[name])
            con.register(f"map_{i}", pa.table({"raw": raw, "shown": pa.array(values.shown)}))
        used, times = time.process_time(), [time.perf_counter()]
        con.sql(work.count()).to_arrow_table()
        times.append(time.perf_counter())
        mapping = time.process_time()
        con.execute(f"COPY ({work.map()}) TO '{written}' (FORMAT parquet, COMPRESSION zstd)").fetchall()
        times.append(time.perf_counter())
        mapping = time.process_time() - mapping
        con.sql(work.verify(f"read_parquet('{written}')")).to_arrow_table()
        times.append(time.perf_counter())
        used = time.process_time() - used
        ordered = {}
        if identified:
            begun, before = time.perf_counter(), time.process_time()
            statement = work.map_in_random_order()
            con.execute(f"COPY ({statement}) TO '{written}' (FORMAT parquet, COMPRESSION zstd)").fetchall()
            seconds, cpu = time.perf_counter() - begun, time.process_time() - before
            ordered = {"map_in_random_order_s": seconds, "map_in_random_order_cpu_s": cpu}
    written.unlink()
    return {
        **ordered,
        "bare_s": times[-1] - times[0],
        "bare_cpu_s": used,
        "bare_map_cpu_s": mapping,
        "bare_stages_s": dict(
            zip(("count", "map_and_write", "verify"), map(float.__sub__, times[1:], times), strict=False)
        ),
    }


def _spawn(side: str, *args: str) -> dict:
    ran = child.run([sys.executable, "-m", __spec__.name, side, *args])
    if ran.code != 0:
        sys.exit(ran.err)
    made = json.loads(ran.out)
    if side == "run":
        return {"run_s": ran.wall_s, "run_cpu_s": ran.cpu_s, **made}
    return {**made, "bare_peak_mb": ran.peak_mb}


def _peak_mb() -> float:
    """The most memory that was resident since this was asked last; the largest of all answers is the peak of the process."""
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    Path("/proc/self/clear_refs").write_text("5")
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    usage.given(__doc__, 2, 5)
    if sys.argv[1] == "run":
        print(json.dumps(run(Path(sys.argv[2]))))
    else:
        print(json.dumps(bare(Path(sys.argv[2]), json.loads(sys.argv[3]), sys.argv[4], sys.argv[5] == "1")))
