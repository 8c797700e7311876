"""Every engine loads every kind of data and applies every recoding; what an engine is called is declared."""

from __future__ import annotations

import inspect
import pkgutil
from importlib import import_module
from typing import get_args

import pytest

import shoal.recoding
from shoal.data.schema import Kind
from shoal.engines.engine import EngineName
from shoal.engines.local import LocalEngine

ENGINES = [pytest.param("local"), pytest.param("spark", marks=pytest.mark.spark)]


def recodings() -> set[type]:
    """Classes of the package `recoding` that say of a release what it shows: those a manifest can tell."""
    modules = [import_module(one.name) for one in pkgutil.walk_packages(shoal.recoding.__path__, "shoal.recoding.")]
    return {
        value
        for module in modules
        for name, value in vars(module).items()
        if inspect.isclass(value) and name.endswith("Recoding") and hasattr(value, "to_json")
    }


def registry_of(engine):
    if engine == "spark":
        pytest.importorskip("pyspark", reason="Spark is not installed: pip install 'shoal[spark]'")
    return import_module(f"shoal.engines.{engine}.registry")


@pytest.mark.parametrize("engine", ENGINES)
def test_every_recoding_has_a_way_to_be_applied(engine):
    assert len(recodings()) >= 7
    assert set(registry_of(engine).APPLY) == recodings()


@pytest.mark.parametrize("engine", ENGINES)
def test_every_kind_has_a_way_to_be_loaded(engine):
    assert set(registry_of(engine).LOAD) == set(get_args(Kind))


def test_the_local_engine_says_what_it_is():
    engine = LocalEngine()
    try:
        assert engine.name == "local"
        assert engine.name in get_args(EngineName)
        assert engine.versions == {}
    finally:
        engine.close()


@pytest.mark.spark
def test_spark_says_what_it_is(spark):
    from shoal.engines.spark import SparkEngine

    engine = SparkEngine(spark)
    try:
        assert engine.name == "spark"
        assert engine.versions == {"Spark": spark.version}
    finally:
        engine.close()
