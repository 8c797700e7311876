"""l^m-diversity: among the records that match any m or fewer published items, no sensitive value is more frequent than 1/l.

ERRATA 001-12. The empty combination counts: it is matched by all records. A missing value may stand for any value, so it counts as
the most frequent one. What keeps this promise has at least l records to every combination, so it is l^m-anonymous; a larger k is
promised by km-anonymity beside it. Generalizing can break it (records of two labels that become one), so nothing may be pruned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from shoal.errors import ParameterError
from shoal.guarantees.parameters import problems_of

if TYPE_CHECKING:
    from shoal.data.schema import Kind


@dataclass(frozen=True)
class LMDiversity:
    """Among the records with any m items of a person, no sensitive value is held by more than one in l.

    Parameters
    ----------
    l : int
        So many sensitive values, at least, stay possible; from 2 on.
    m : int
        So many items or values of a person may be known; from 1 on.
    column : str
        The sensitive column that it speaks of.

    Examples
    --------
    >>> import shoal
    >>> shoal.LMDiversity(l=2, m=2, column="diagnosis").name
    'lm-diversity'
    """

    l: int  # noqa: E741  # the name of the parameter in the literature and in every recipe
    m: int
    column: str

    name: ClassVar[str] = "lm-diversity"
    kind: ClassVar[Kind] = "sets"
    k = None
    n = None

    def __post_init__(self) -> None:
        mistakes = problems_of(self, l=2, m=1)
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
            f"Whoever knows {known} of someone cannot tell their '{self.column}': among the published records that fit, "
            f"no value is held by more than one in {self.l}."
        )

    def technical(self) -> str:
        """The promise as an auditor reads it."""
        return f"{self.l}^{self.m}-diversity of '{self.column}'"
