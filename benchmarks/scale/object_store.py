"""A release in an object store, written by Spark through Hadoop's S3A: a run, and a run that is killed while it writes.

    python -m benchmarks.scale.object_store --jars hadoop-aws.jar,aws-sdk-bundle.jar [--rows 20000] [--server-python PYTHON] \
        [--folder FOLDER]

The store is moto, an S3 server in a process of its own on the loopback (`tests/s3_server.py`; --server-python is one that has
moto[server]). The jars are not part of Spark: docs/evidence/scale.md says where they come from. Told is whether what lies in the
store after a run is the local release, record by record, and whether `_COMMITTED` is there; and that it is not there after a run
whose processes were killed (SIGKILL) once the first part file lay in the store. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil

from benchmarks.lib.places import PROJECT
from benchmarks.rows.people import make
from benchmarks.scale.cluster import same
from benchmarks.scale.work import recipe_text

_MARKER = "_COMMITTED"
# Hadoop's own defaults have units, which an older S3A cannot read
_PLAIN_NUMBERS = {
    "threads.keepalivetime": "60",
    "connection.establish.timeout": "30000",
    "connection.timeout": "200000",
    "connection.request.timeout": "0",
    "multipart.purge.age": "86400",
}


def settings(url: str, secret: str, jars: str) -> dict[str, str]:
    s3a = {
        "endpoint": url,
        "access.key": "tester",
        "secret.key": secret,
        "path.style.access": "true",
        "connection.ssl.enabled": "false",
        "impl": "org.apache.hadoop.fs.s3a.S3AFileSystem",
        "aws.credentials.provider": "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
        **_PLAIN_NUMBERS,
    }
    spark = {"spark.driver.extraClassPath": jars.replace(",", os.pathsep), "spark.driver.memory": "1g"}
    return spark | {f"spark.hadoop.fs.s3a.{name}": value for name, value in s3a.items()}


def child(recipe: str, given: str) -> None:
    """A run, in a process of its own that can be killed."""
    from shoal.engines.spark.session import close_session, open_session
    from shoal.release.run import run

    session = open_session(master="local[2]", settings=json.loads(given))
    begun = time.perf_counter()
    try:
        release = run(Path(recipe), session=session)
        version = session.sparkContext._jvm.org.apache.hadoop.util.VersionInfo.getVersion()
    finally:
        close_session(session)
    made = {"verified": release.verdict.passed, "records_out": release.records_out, "hadoop": version}
    print(json.dumps(made | {"run_s": round(time.perf_counter() - begun, 1)}))


def measure(asked: argparse.Namespace, folder: Path) -> dict[str, Any]:
    import boto3

    from shoal.release.run import run

    sys.path.insert(0, str(PROJECT / "tests"))
    import s3_server

    data = make(asked.rows, folder)
    (folder / "local.toml").write_text(recipe_text(data, 5, 'memory = "4GB"', output="local/out.parquet"))
    run(folder / "local.toml")
    made: dict[str, Any] = {"rows": asked.rows, "jars": [Path(jar).name for jar in asked.jars.split(",")]}
    with _served_by(asked.server_python), s3_server.server() as url:
        store = boto3.client(
            "s3",
            endpoint_url=url,
            aws_access_key_id="tester",
            aws_secret_access_key=s3_server.SECRET,
            region_name="us-east-1",
        )

        def names(prefix: str) -> list[str]:
            found = store.list_objects_v2(Bucket=s3_server.BUCKET, Prefix=prefix).get("Contents", [])
            return sorted(one["Key"].removeprefix(prefix) for one in found)

        given = json.dumps(settings(url, s3_server.SECRET, asked.jars))
        for name in ("whole", "killed"):
            text = recipe_text(data, 5, 'name = "spark"', output=f"s3a://{s3_server.BUCKET}/{name}/out.parquet")
            (folder / f"{name}.toml").write_text(text)
        begun = _start(folder / "whole.toml", given)
        out, err = begun.communicate()
        if begun.returncode:
            sys.exit(err[-4000:])
        made["whole"] = json.loads(out.splitlines()[-1])
        objects = names("whole/")
        there = folder / "there/out.parquet"
        there.mkdir(parents=True)
        for key in objects:
            if key.startswith("out.parquet/") and key.endswith(".parquet"):
                store.download_file(s3_server.BUCKET, f"whole/{key}", str(there / Path(key).name))
        made["whole"] |= {
            "marker": f"out.parquet/{_MARKER}" in objects,
            "objects": [key for key in objects if "part-" not in key],
            "same_as_local": same(folder / "local", folder / "there"),
        }
        begun = _start(folder / "killed.toml", given)
        while begun.poll() is None and not any("part-" in key for key in names("killed/")):
            time.sleep(0.02)
        for process in [*psutil.Process(begun.pid).children(recursive=True), psutil.Process(begun.pid)]:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        begun.communicate()
        left = names("killed/")
        made["killed"] = {"objects_left": len(left), "marker": f"out.parquet/{_MARKER}" in left}
    return made | {"load": round(os.getloadavg()[0], 1)}


@contextlib.contextmanager
def _served_by(python: str | None):
    """The server is begun with `sys.executable`."""
    before, sys.executable = sys.executable, python or sys.executable
    try:
        yield
    finally:
        sys.executable = before


def _start(recipe: Path, given: str) -> subprocess.Popen:
    command = [sys.orig_argv[0], "-m", __spec__.name, "--child", str(recipe), given]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--jars", default="")
    options.add_argument("--rows", type=int, default=20_000)
    options.add_argument("--server-python")
    options.add_argument("--folder")
    options.add_argument("--child", nargs=2)
    chosen = options.parse_args()
    if chosen.child:
        child(*chosen.child)
    else:
        with tempfile.TemporaryDirectory(prefix="store-", dir=chosen.folder) as place:
            print(json.dumps(measure(chosen, Path(place))))
