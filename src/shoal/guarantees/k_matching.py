"""k-matching: every original record may be any of at least k published records.

ERRATA 003. Draw an edge between an original record and each published record that it may be. The promise: every original has
at least k edges that count, and an edge counts only when it is part of a *perfect matching*, a way to give every published record
an original of its own. Edges in no perfect matching are no doubt at all: whoever knows the originals rules them out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from shoal.errors import ParameterError
from shoal.guarantees.parameters import problems_of

if TYPE_CHECKING:
    from shoal.data.schema import Kind


@dataclass(frozen=True)
class KMatching:
    """Every published record may stand for k people.

    Parameters
    ----------
    k : int
        So many records, at least, look alike or fit what is known; from 2 on.

    Examples
    --------
    >>> import shoal
    >>> shoal.KMatching(3).name
    'k-matching'
    """

    k: int

    name: ClassVar[str] = "k-matching"
    kind: ClassVar[Kind] = "sets"
    l = None  # noqa: E741
    m = None
    n = None
    sensitive = None

    def __post_init__(self) -> None:
        mistakes = problems_of(self, k=2)
        if mistakes:
            raise ParameterError(*mistakes)

    def sentence(self) -> str:
        """The promise as a person reads it."""
        return (
            f"Everyone may be any of at least {self.k} published records: whoever knows all the items of everyone "
            "cannot tell which of them is theirs."
        )

    def technical(self) -> str:
        """The promise as an auditor reads it."""
        return f"{self.k}-matching"
