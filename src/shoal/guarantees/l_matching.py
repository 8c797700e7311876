"""l-matching: the published records that may be someone's hold at least l different sensitive values.

ERRATA 003-4. The edges are those of k-matching (`k_matching.py`): pairs of an original and a published record that lie in a perfect
matching. The values that count are those that stand in the published records, for they move with the assignment. A missing value
may be any of the others, so it adds none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.guarantees.parameters import problems_of


@dataclass(frozen=True)
class LMatching:
    l: int  # noqa: E741  # the name of the parameter in the literature and in every recipe
    column: str

    name: ClassVar[str] = "l-matching"
    kind: ClassVar[str] = "sets"

    def __post_init__(self) -> None:
        mistakes = problems_of(self, l=2)
        if mistakes:
            raise ValueError("\n".join(mistakes))

    @property
    def sensitive(self) -> str:
        return self.column

    def sentence(self) -> str:
        # no more than that: which records share a block depends on the values, and who knows the code may conclude from it
        return f"The published records that may be someone's have at least {self.l} different values of '{self.column}' among them."

    def technical(self) -> str:
        return f"matching {self.l}-diversity of '{self.column}'"
