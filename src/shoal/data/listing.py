"""What there is to choose from, as rows: methods, guarantees and losses alike, for Python and for the command line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import escape
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shoal.data.schema import Kind


@dataclass(frozen=True)
class Entry:
    """One thing that a recipe can name.

    Attributes
    ----------
    name : str
        As a recipe writes it.
    kind : str
        Of the data that it is for: "tables", "sets", "mixed" or "trees".
    title : str
        What it is, in one line.
    keys : Mapping[str, str]
        Its keys in a recipe, each with its meaning; of a guarantee its parameters, each with its default.
    formula : str
        Of a loss.
    only_read : bool
        Of a loss: it is measured, and no search can make it small.
    package : str
        Who added it, with the version; empty of what shoal brings.

    Examples
    --------
    >>> import shoal
    >>> shoal.guarantees()[0].name
    'k-anonymity'
    """

    name: str
    kind: Kind
    title: str
    keys: Mapping[str, str] = field(default_factory=dict, hash=False)
    formula: str = ""
    only_read: bool = False
    package: str = ""

    @property
    def meaning(self) -> str:
        """Title and formula."""
        title = f"{self.title}, only read" if self.only_read else self.title
        return f"{title}: {self.formula}" if self.formula else title


class Listing(tuple[Entry, ...]):
    """Entries in the order of the documentation; a tuple that prints as a table.

    Examples
    --------
    >>> import shoal
    >>> shoal.methods().of("tables").names[:2]
    ('auto', 'optimal')
    """

    __slots__ = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Of all entries."""
        return tuple(entry.name for entry in self)

    def of(self, kind: Kind) -> Listing:
        """Those for one kind of data."""
        return Listing(entry for entry in self if entry.kind == kind)

    def __repr__(self) -> str:
        width = max((len(entry.name) for entry in self), default=0)
        return "\n".join(f"{entry.name:{width}}  {entry.kind:6}  {entry.meaning}" for entry in self)

    def _repr_html_(self) -> str:
        heads = "".join(f"<th style='text-align:left'>{head}</th>" for head in ("name", "data", "what it is", "keys"))
        rows = "".join(
            "<tr>"
            + "".join(
                f"<td style='text-align:left'>{escape(cell)}</td>"
                for cell in (entry.name, entry.kind, entry.meaning, ", ".join(entry.keys))
            )
            + "</tr>"
            for entry in self
        )
        return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def call_lists(package: str, listing: Callable[[], Listing]) -> None:
    """Let a package be called: `shoal.methods()`. It has the name of what it holds, and whoever imports anything below it binds
    that name in `shoal` to the package, so that a function beside it would be hidden."""

    class Listed(ModuleType):
        def __call__(self) -> Listing:
            return listing()

    sys.modules[package].__class__ = Listed
