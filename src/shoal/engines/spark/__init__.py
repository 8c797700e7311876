"""Apache Spark: for data that does not fit one machine, or that lives on a cluster already.

Spark is an extra (`pip install 'shoal[spark]'`): what needs it is loaded when it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.engines.spark.session import close_session, open_session

if TYPE_CHECKING:
    from shoal.engines.spark.engine import SparkEngine

__all__ = ["SparkEngine", "close_session", "open_session"]


def __getattr__(name: str) -> Any:
    if name == "SparkEngine":
        from shoal.engines.spark.engine import SparkEngine

        return SparkEngine
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
