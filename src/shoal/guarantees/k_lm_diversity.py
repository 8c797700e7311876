"""(k, l^m)-diversity: (k, k^m)-anonymity, and what is sensitive stays unsure to one in l.

The paper of `k_km_anonymity.py`, section 5, read with ERRATA 001-12: among the records with equal published values that hold any m
or fewer published items, no sensitive value is more frequent than 1/l. The empty combination counts. `column` is a sensitive
column, whose missing values may be any and count as the most frequent one, or a column of sets with sensitive items: then each of
these is held by one in l at most (a combination of them is never more frequent than its items; a record may hold none).
Generalizing can break it (records of two labels that become one), so nothing may be pruned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.guarantees.parameters import problems_of


@dataclass(frozen=True)
class KLMDiversity:
    k: int
    l: int  # noqa: E741  # the name of the parameter in the literature and in every recipe
    m: int
    column: str

    name: ClassVar[str] = "k-lm-diversity"
    kind: ClassVar[str] = "mixed"

    def __post_init__(self) -> None:
        mistakes = problems_of(self, k=2, l=2, m=1)
        if mistakes:
            raise ValueError("\n".join(mistakes))

    @property
    def sensitive(self) -> str:
        return self.column

    def sentence(self) -> str:
        known = "at most one item" if self.m == 1 else f"at most {self.m} items"
        return (
            f"Whoever knows the quasi-identifying values of someone and {known} of theirs finds at least {self.k} published "
            f"records that fit, and cannot tell what is sensitive in '{self.column}': nothing of it is held by more than one in "
            f"{self.l} of them."
        )

    def technical(self) -> str:
        return f"({self.k}, {self.l}^{self.m})-diversity of '{self.column}'"
