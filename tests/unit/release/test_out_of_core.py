"""A limit of memory holds for the whole process, also when nearly every record is different and nothing can be merged."""

from __future__ import annotations

import json
import subprocess
import sys

import duckdb
import pytest

pytestmark = pytest.mark.slow

RECORDS = 3_000_000
MEMORY = 1_000_000_000  # bytes; without a limit the run takes nearly twice as much
RECIPE = """shoal = 1
[input]
path = "people.parquet"
[output]
path = "release/people.parquet"
[columns]
age = { role = "quasi", hierarchy = { intervals = [10, 50], from = 0, to = 100 } }
city = { role = "quasi" }
number = { role = "plain", accept_unique = true, reason = "drawn by lot" }
note = { role = "plain", accept_unique = true, reason = "drawn by lot" }
ill = { role = "sensitive" }
[[guarantee]]
name = "k-anonymity"
k = 5
[engine]
memory = "1GB"
"""
RUN = """
import re, sys
from pathlib import Path
from shoal.cli.errors import run_command
from shoal.cli.root import shoal
code = run_command(shoal, ["run", sys.argv[1], "--json"])
# what getrusage tells begins with the memory of the process that started this one
print(int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024)
sys.exit(code)
"""


def run(folder, records: int) -> tuple[dict, int]:
    """What the run printed, and the most memory its process had."""
    folder.mkdir()
    duckdb.execute(
        f"COPY (SELECT (hash(range) % 100)::BIGINT AS age, 'city' || hash(range, 1) % 300 AS city, hash(range, 2) AS number, "
        f"'note ' || hash(range, 4) AS note, 'ill' || hash(range, 3) % 5 AS ill FROM range({records})) "
        f"TO '{folder / 'people.parquet'}'"
    ).fetchall()
    (folder / "recipe.toml").write_text(RECIPE)
    ran = subprocess.run(
        [sys.executable, "-c", RUN, folder / "recipe.toml"], capture_output=True, text=True, check=True
    )
    told, peak = ran.stdout.rsplit("\n", 2)[:2]
    return json.loads(told), int(peak)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted in other units elsewhere")
def test_the_limit_holds_for_the_process(tmp_path):
    run(
        tmp_path / "first", RECORDS // 100
    )  # compiling kernels, once on every machine, takes room that no limit knows of
    release, peak = run(tmp_path / "again", RECORDS)
    assert release["verdict"] == "pass"
    assert release["records_in"] == RECORDS
    assert peak <= MEMORY
    assert not [path for path in (tmp_path / "again/release").iterdir() if path.name.startswith(".")]
