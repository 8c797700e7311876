"""k^m-anonymity: any m or fewer published items that occur together in a record occur together in at least k records.

Terrovitis, Mamoulis, Kalnis: Privacy-preserving Anonymization of Set-valued Data (PVLDB 2008), read with ERRATA 000-1 and 001-1:
combinations of every size up to m count, not those of size m alone, because a record may have fewer than m items. The empty
combination is held by every record, so a release that is not empty has at least k of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from shoal.errors import ParameterError
from shoal.guarantees.parameters import problems_of

if TYPE_CHECKING:
    from shoal.data.schema import Kind


@dataclass(frozen=True)
class KMAnonymity:
    """Any m items of a person are held by k published records.

    Parameters
    ----------
    k : int
        So many records, at least, look alike or fit what is known; from 2 on.
    m : int
        So many items or values of a person may be known; from 1 on.

    Examples
    --------
    >>> import shoal
    >>> shoal.KMAnonymity(k=5, m=2).name
    'km-anonymity'
    """

    k: int
    m: int

    name: ClassVar[str] = "km-anonymity"
    kind: ClassVar[Kind] = "sets"
    l = None  # noqa: E741
    n = None
    sensitive = None

    def __post_init__(self) -> None:
        mistakes = problems_of(self, k=2, m=1)
        if mistakes:
            raise ParameterError(*mistakes)

    def sentence(self) -> str:
        """The promise as a person reads it."""
        known = "one item" if self.m == 1 else f"up to {self.m} items"
        return f"Whoever knows {known} of someone finds at least {self.k} published records that fit."

    def technical(self) -> str:
        """The promise as an auditor reads it."""
        return f"{self.k}^{self.m}-anonymity"
