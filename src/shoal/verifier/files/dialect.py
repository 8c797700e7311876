"""How a published CSV file is written, as the recipe says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True)
class Dialect:
    """`delimiter`: the one to look for first. `written`: by column, the form of its numbers or dates (`written.py`)."""

    encoding: str = "utf-8"
    delimiter: str | None = None
    quote: str = '"'
    written: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
