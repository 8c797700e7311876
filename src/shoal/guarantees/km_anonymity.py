"""k^m-anonymity: any m or fewer published items that occur together in a record occur together in at least k records.

Terrovitis, Mamoulis, Kalnis: Privacy-preserving Anonymization of Set-valued Data (PVLDB 2008), read with ERRATA 000-1 and 001-1:
combinations of every size up to m count, not those of size m alone, because a record may have fewer than m items. The empty
combination is held by every record, so a release that is not empty has at least k of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.guarantees.parameters import problems_of


@dataclass(frozen=True)
class KMAnonymity:
    k: int
    m: int

    name: ClassVar[str] = "km-anonymity"
    kind: ClassVar[str] = "sets"
    sensitive: ClassVar[None] = None

    def __post_init__(self) -> None:
        mistakes = problems_of(self, k=2, m=1)
        if mistakes:
            raise ValueError("\n".join(mistakes))

    def sentence(self) -> str:
        known = "one item" if self.m == 1 else f"up to {self.m} items"
        return f"Whoever knows {known} of someone finds at least {self.k} published records that fit."

    def technical(self) -> str:
        return f"{self.k}^{self.m}-anonymity"
