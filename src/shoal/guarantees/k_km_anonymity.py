"""(k, k^m)-anonymity: whoever knows all single values of someone and m of their items finds k records.

Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos: Anonymizing Data with Relational and Transaction Attributes (ECML PKDD 2013),
read with ERRATA 001-1: within each set of records with equal published values, every combination of m or fewer published items
that one of them holds is held by at least k of them. The empty combination counts, so each such set has at least k records.
Items that are declared sensitive are not counted (001-2): an attacker who knows one of those is outside the promise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from shoal.errors import ParameterError
from shoal.guarantees.parameters import problems_of

if TYPE_CHECKING:
    from shoal.data.schema import Kind


@dataclass(frozen=True)
class KKMAnonymity:
    """Of mixed tables: k records share the single values and any m items of a person.

    Parameters
    ----------
    k : int
        So many records, at least, look alike or fit what is known; from 2 on.
    m : int
        So many items or values of a person may be known; from 1 on.

    Examples
    --------
    >>> import shoal
    >>> shoal.KKMAnonymity(k=5, m=2).name
    'k-km-anonymity'
    """

    k: int
    m: int

    name: ClassVar[str] = "k-km-anonymity"
    kind: ClassVar[Kind] = "mixed"
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
        return (
            f"Whoever knows the quasi-identifying values of someone and {known} of theirs finds at least {self.k} published "
            "records that fit."
        )

    def technical(self) -> str:
        """The promise as an auditor reads it."""
        return f"({self.k}, {self.k}^{self.m})-anonymity"
