"""l^m-diversity: among the records that match any m or fewer published items, no sensitive value is more frequent than 1/l.

ERRATA 001-12. The empty combination counts: it is matched by all records. A missing value may stand for any value, so it counts as
the most frequent one. What keeps this promise has at least l records to every combination, so it is l^m-anonymous; a larger k is
promised by km-anonymity beside it. Generalizing can break it (records of two labels that become one), so nothing may be pruned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.guarantees.parameters import problems_of


@dataclass(frozen=True)
class LMDiversity:
    l: int  # noqa: E741  # the name of the parameter in the literature and in every recipe
    m: int
    column: str

    name: ClassVar[str] = "lm-diversity"
    kind: ClassVar[str] = "sets"

    def __post_init__(self) -> None:
        mistakes = problems_of(self, l=2, m=1)
        if mistakes:
            raise ValueError("\n".join(mistakes))

    @property
    def sensitive(self) -> str:
        return self.column

    def sentence(self) -> str:
        known = "at most one item" if self.m == 1 else f"at most {self.m} items"
        return (
            f"Whoever knows {known} of someone cannot tell their '{self.column}': among the published records that fit, "
            f"no value is held by more than one in {self.l}."
        )

    def technical(self) -> str:
        return f"{self.l}^{self.m}-diversity of '{self.column}'"
