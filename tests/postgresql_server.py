"""A PostgreSQL server that runs for some tests only, with a data folder of its own."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from contextlib import contextmanager
from glob import glob
from pathlib import Path

import pytest

PASSWORD = "kanarienvogel-7f3a"
PROGRAMS = os.pathsep.join([os.environ.get("PATH", ""), *sorted(glob("/usr/lib/postgresql/*/bin"), reverse=True)])


def program(name):
    """Debian keeps them out of the PATH."""
    return shutil.which(name, path=PROGRAMS)


needed = pytest.mark.skipif(
    program("initdb") is None or program("pg_ctl") is None, reason="needs the programs of PostgreSQL"
)


def _run(*command):
    # the server does not run as root
    who = {"user": "postgres"} if os.geteuid() == 0 else {}
    return subprocess.run(command, check=True, capture_output=True, timeout=60, cwd="/", **who)


@contextmanager
def server(*, loopback=False):
    """Its URL, without the password. On a socket in a private folder, or on a free port of the loopback."""
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    (folder / "secret").write_text(PASSWORD)
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
        shutil.chown(folder / "secret", "postgres")
    data = str(folder / "data")
    secret = f"--pwfile={folder / 'secret'}"
    _run(program("initdb"), "-D", data, "-U", "shoal", "--auth=scram-sha-256", secret, "-N", "-E", "UTF8")
    place, told = f"-c listen_addresses='' -k {folder}", f"postgresql://shoal@/postgres?host={folder}"
    if loopback:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        place = f"-c listen_addresses=127.0.0.1 -p {port} -k {folder}"
        told = f"postgresql://shoal@127.0.0.1:{port}/postgres"
    _run(program("pg_ctl"), "-D", data, "-w", "-l", str(folder / "log"), "-o", place, "start")
    try:
        yield told
    finally:
        _run(program("pg_ctl"), "-D", data, "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)
