"""DuckDB in this process: for everything that fits one machine."""

from shoal.engines.local.engine import LocalEngine

__all__ = ["LocalEngine"]
