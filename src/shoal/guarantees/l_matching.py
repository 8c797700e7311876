"""l-matching: the published records that may be someone's hold at least l different sensitive values.

ERRATA 003-4. The edges are those of k-matching (`k_matching.py`): pairs of an original and a published record that lie in a perfect
matching. The values that count are those that stand in the published records, for they move with the assignment. A missing value
may be any of the others, so it adds none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from shoal.errors import ParameterError
from shoal.guarantees.parameters import problems_of

if TYPE_CHECKING:
    from shoal.data.schema import Kind


@dataclass(frozen=True)
class LMatching:
    """Every published record may stand for people of whom no more than one in l has the same value.

    Parameters
    ----------
    l : int
        So many sensitive values, at least, stay possible; from 2 on.
    column : str
        The sensitive column that it speaks of.

    Examples
    --------
    >>> import shoal
    >>> shoal.LMatching(2, column="diagnosis").name
    'l-matching'
    """

    l: int  # noqa: E741  # the name of the parameter in the literature and in every recipe
    column: str

    name: ClassVar[str] = "l-matching"
    kind: ClassVar[Kind] = "sets"
    k = None
    m = None
    n = None

    def __post_init__(self) -> None:
        mistakes = problems_of(self, l=2)
        if mistakes:
            raise ParameterError(*mistakes)

    @property
    def sensitive(self) -> str:
        """The column that it speaks of."""
        return self.column

    def sentence(self) -> str:
        # no more than that: which records share a block depends on the values, and whoever knows the code may conclude from it
        """The promise as a person reads it."""
        return f"The published records that may be someone's have at least {self.l} different values of '{self.column}' among them."

    def technical(self) -> str:
        """The promise as an auditor reads it."""
        return f"matching {self.l}-diversity of '{self.column}'"
