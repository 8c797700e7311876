"""What all tests share."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

HERE = Path(__file__).resolve().parent
SHARED = HERE.parents[1] / "shared"
sys.path.insert(0, str(HERE))  # what tests share is imported as `oracles.…`, `samples.…`, `faults.…`
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background: children would be deaf to it
    signal.signal(signal.SIGINT, signal.default_int_handler)

# random cases are drawn anew in every run, but for two lanes that say the same twice: `.ci/run`, and `pytest -m quick`. These two
# draw the first so many of the cases that a test asks for; a plain `pytest` draws all of them
settings.register_profile("ci", derandomize=True, deadline=None, database=None, max_examples=25)
settings.register_profile("quick", derandomize=True, deadline=None, database=None, max_examples=5)
QUICK = ("unit", "golden", "properties", "architecture")  # the folders of the quick lane, but for
NOT_QUICK = ("slow", "spark", "faults")


@pytest.fixture
def uncollected() -> Iterator[None]:
    """No garbage is collected meanwhile: hypothesis is called then, and a Ctrl-C that arrives within its call is lost."""
    gc.disable()
    yield
    gc.enable()


def pytest_configure(config: pytest.Config) -> None:
    if _is_quick(config):
        settings.load_profile("quick")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The lanes do not even import what they leave out."""
    if _is_quick(config):
        return True if collection_path.parent == HERE and collection_path.name not in QUICK else None
    if config.option.markexpr.startswith("spark") and collection_path.suffix == ".py":
        return None if b"spark" in collection_path.read_bytes() else True
    return None


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.relative_to(HERE).parts[0] in QUICK and not any(map(item.get_closest_marker, NOT_QUICK)):
            item.add_marker("quick")
    lane = "quick" if _is_quick(config) else config.getoption("--hypothesis-profile", None)
    if lane in {"ci", "quick"}:
        for item in items:
            _shorten(item, settings.get_profile(lane).max_examples)


def _is_quick(config: pytest.Config) -> bool:
    return bool(config.option.markexpr == "quick")


def _shorten(item: pytest.Item, most: int) -> None:
    """A decorator that asks for many examples is no match for the profile of a lane."""
    test = getattr(item, "obj", None)
    asked = getattr(test, "_hypothesis_internal_use_settings", None)
    if asked is not None and asked.max_examples > most:
        test._hypothesis_internal_use_settings = settings(asked, max_examples=most)


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
            "spark.driver.maxResultSize": "16m",  # a collect of rows is noticed
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
