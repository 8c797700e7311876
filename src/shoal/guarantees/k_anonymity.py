"""k-anonymity: every published combination of quasi-identifiers is shared by at least k records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from shoal.errors import ParameterError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from shoal.data.schema import Kind
    from shoal.guarantees.guarantee import ClassCounts


@dataclass(frozen=True)
class KAnonymity:
    """Every class has k records.

    Parameters
    ----------
    k : int
        So many records, at least, look alike or fit what is known; from 2 on.

    Examples
    --------
    >>> import shoal
    >>> shoal.KAnonymity(5).technical()
    '5-anonymity'
    """

    k: int

    name: ClassVar[str] = "k-anonymity"
    kind: ClassVar[Kind] = "tables"
    l = None  # noqa: E741
    m = None
    n = None
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = True
    sensitive = None

    def __post_init__(self) -> None:
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 2:
            raise ParameterError(f"`k` of k-anonymity must be an integer of at least 2; got {self.k!r}.")

    def sentence(self) -> str:
        """The promise as a person reads it."""
        return f"Everyone looks like at least {self.k - 1} others: each published combination is shared by {self.k} people or more."

    def technical(self) -> str:
        """The promise as an auditor reads it."""
        return f"{self.k}-anonymity"

    def failing(self, classes: ClassCounts) -> NDArray[np.bool_]:
        """(classes,): True where a class breaks the promise."""
        return classes.sizes < self.k
