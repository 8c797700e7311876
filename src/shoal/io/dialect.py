"""How a CSV file is written: in which encoding, with which marks, and columns of numbers and dates in which form."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.io.written import Form


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """Of a file that is written here. Releases go out in the dialect of the original unless the recipe says otherwise."""

    encoding: str = "utf-8"
    delimiter: str = ","
    quote: str = '"'
    written: Mapping[str, Form] = field(default_factory=lambda: MappingProxyType({}))  # by column
