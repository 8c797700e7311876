"""What all tests share."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
SHARED = HERE.parents[1] / "shared"
sys.path.insert(0, str(HERE))  # oracles and harnesses are imported as `properties.…`, `faults.…`
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background: children would be deaf to it
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with benchmark data and golden cases, beside the project."""
    if not SHARED.is_dir():
        pytest.skip("the folder `shared` with benchmark data is not beside the project")
    return SHARED


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """One Spark session for all tests of this process; starting one takes longer than most of them."""
    pytest.importorskip("pyspark", reason="Spark is not installed: pip install 'shoal[spark]'")
    from shoal.engines.spark.session import close_session, open_session

    # workers find kernels of the tests by their names, as they find those of shoal
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(HERE), before]))
    session = open_session(
        "local[2]",
        settings={
            "spark.driver.memory": "1g",
            "spark.driver.maxResultSize": "64m",  # a collect of rows is noticed
            "spark.local.dir": str(tmp_path_factory.mktemp("spark")),
            "spark.sql.shuffle.partitions": 2,
            "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
        },
    )
    yield session
    close_session(session)
    if before is None:
        del os.environ["PYTHONPATH"]
    else:
        os.environ["PYTHONPATH"] = before
