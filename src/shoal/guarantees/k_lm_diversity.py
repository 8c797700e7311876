"""(k, l^m)-diversity: (k, k^m)-anonymity, and what is sensitive stays unsure to one in l.

The paper of `k_km_anonymity.py`, section 5, read with ERRATA 001-12: among the records with equal published values that hold any m
or fewer published items, no sensitive value is more frequent than 1/l. The empty combination counts. `column` is a sensitive
column, whose missing values may be any and count as the most frequent one, or a column of sets with sensitive items: then each of
these is held by one in l at most (a combination of them is never more frequent than its items; a record may hold none).
Generalizing can break it (records of two labels that become one), so nothing may be pruned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from shoal.errors import ParameterError
from shoal.guarantees.parameters import problems_of

if TYPE_CHECKING:
    from shoal.data.schema import Kind


@dataclass(frozen=True)
class KLMDiversity:
    """Of mixed tables: the same, and what is sensitive stays undecided among them.

    Parameters
    ----------
    k : int
        So many records, at least, look alike or fit what is known; from 2 on.
    l : int
        So many sensitive values, at least, stay possible; from 2 on.
    m : int
        So many items or values of a person may be known; from 1 on.
    column : str
        The sensitive column that it speaks of.

    Examples
    --------
    >>> import shoal
    >>> shoal.KLMDiversity(k=5, l=2, m=1, column="diagnosis").name
    'k-lm-diversity'
    """

    k: int
    l: int  # noqa: E741  # the name of the parameter in the literature and in every recipe
    m: int
    column: str

    name: ClassVar[str] = "k-lm-diversity"
    kind: ClassVar[Kind] = "mixed"
    n = None

    def __post_init__(self) -> None:
        mistakes = problems_of(self, k=2, l=2, m=1)
        if mistakes:
            raise ParameterError(*mistakes)

    @property
    def sensitive(self) -> str:
        """The column that it speaks of."""
        return self.column

    def sentence(self) -> str:
        """The promise as a person reads it."""
        known = "at most one item" if self.m == 1 else f"at most {self.m} items"
        return (
            f"Whoever knows the quasi-identifying values of someone and {known} of theirs finds at least {self.k} published "
            f"records that fit, and cannot tell what is sensitive in '{self.column}': nothing of it is held by more than one in "
            f"{self.l} of them."
        )

    def technical(self) -> str:
        """The promise as an auditor reads it."""
        return f"({self.k}, {self.l}^{self.m})-diversity of '{self.column}'"
