"""TPC-H in a PostgreSQL server on the loopback: from `shoal init` to a verified release, as a person would."""

from __future__ import annotations

import subprocess
import sys

import pyarrow.parquet as pq
import pytest

import postgresql_server
from postgresql_server import PASSWORD
from tpch_server import GENERATOR, tpch

pytest.importorskip("psycopg")
pytestmark = [
    postgresql_server.needed,
    pytest.mark.skipif(not GENERATOR.exists(), reason="needs tpchgen-cli"),
]


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    with tpch(tmp_path_factory.mktemp("tpch"), 0.01) as place:
        yield place


def test_from_init_to_a_verified_release(url, tmp_path, monkeypatch):
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    recipe = tmp_path / "recipe.toml"

    def done(*words):
        command = [sys.executable, "-c", "from shoal.cli import main; main()", *words]
        result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert PASSWORD not in result.stdout + result.stderr
        return result

    asked = done("init", url, "--output", str(recipe))
    assert asked.returncode == 2
    assert "customer, nation, orders, region" in asked.stderr
    assert done("init", url, "--record", "customer", "--output", str(recipe)).returncode == 0
    assert PASSWORD not in recipe.read_text()
    assert done("run", str(recipe)).returncode == 2  # nobody has confirmed it
    # a person goes through it: the clerk is nobody's business, and the region follows from the nation
    confirmed = recipe.read_text().replace("suggested = true, ", "").replace(", suggested = true", "")
    for name in ("o_clerk", "r_name", "o_shippriority"):
        confirmed = "\n".join(
            line.replace('role = "quasi"', 'role = "identifying"')
            .replace('kind = "node", ', "")
            .replace(', parent = "o_orderstatus"', "")
            if line.startswith(name)
            else line
            for line in confirmed.split("\n")
        )
    recipe.write_text(confirmed)
    ran = done("run", str(recipe))
    assert ran.returncode == 0, ran.stderr
    release = tmp_path / "release" / "postgres.parquet"
    assert done("verify", str(release), "--recipe", str(recipe)).returncode == 0
    table = pq.read_table(release)
    assert table.num_rows == 1500
    assert {"n_name", "o_orderstatus", "o_totalprice"} <= set(table.column_names)
    assert not {"c_name", "c_custkey", "o_clerk"} & set(table.column_names)
