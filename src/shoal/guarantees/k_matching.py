"""k-matching: every original record may be any of at least k published records.

ERRATA 003. Draw an edge between an original record and each published record that it may be. The promise: every original has
at least k edges that count, and an edge counts only when it is part of a *perfect matching*, a way to give every published record
an original of its own. Edges in no perfect matching are no doubt at all: whoever knows the originals rules them out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.guarantees.parameters import problems_of


@dataclass(frozen=True)
class KMatching:
    k: int

    name: ClassVar[str] = "k-matching"
    kind: ClassVar[str] = "sets"
    sensitive: ClassVar[None] = None

    def __post_init__(self) -> None:
        mistakes = problems_of(self, k=2)
        if mistakes:
            raise ValueError("\n".join(mistakes))

    def sentence(self) -> str:
        return (
            f"Everyone may be any of at least {self.k} published records: whoever knows all the items of everyone "
            "cannot tell which of them is theirs."
        )

    def technical(self) -> str:
        return f"{self.k}-matching"
