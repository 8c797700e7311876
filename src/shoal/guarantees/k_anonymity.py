"""k-anonymity: every published combination of quasi-identifiers is shared by at least k records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from shoal.guarantees.guarantee import ClassCounts


@dataclass(frozen=True)
class KAnonymity:
    k: int

    name: ClassVar[str] = "k-anonymity"
    kind: ClassVar[str] = "table"
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = True
    sensitive: ClassVar[None] = None

    def __post_init__(self) -> None:
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 2:
            raise ValueError(f"`k` of KAnonymity must be an integer of at least 2; got {self.k!r}.")

    def sentence(self) -> str:
        return f"Everyone looks like at least {self.k - 1} others: each published combination is shared by {self.k} people or more."

    def technical(self) -> str:
        return f"{self.k}-anonymity"

    def failing(self, classes: ClassCounts) -> NDArray[np.bool_]:
        return classes.sizes < self.k
