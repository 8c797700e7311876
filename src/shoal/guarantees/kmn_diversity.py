"""Diversity of trees: k^(m,n)-anonymity, and the records that fit differ in a sensitive column.

The paper of `kmn_anonymity.py`, section 3.5, read with ERRATA 000-9. Among the records that hold a set I of labels and pairs Q of
it, as they are meant there, and among all records (the empty set counts),

- "distinct": there are at least l different values of the column. A missing value adds none;
- "frequency": no value is held by more than one in l. A missing value may be any, so it counts as the most frequent one.

The sets of labels on one path that the mode "strict" adds are held to the same. Sensitive values are no labels. A coarser release
keeps the distinct form, since more records never have fewer values; the other one it may break (records of two labels that become
one), so nothing may be pruned by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from shoal.errors import ParameterError
from shoal.guarantees.kmn_anonymity import Mode, unknown_word, what_is_known
from shoal.guarantees.parameters import problems_of

if TYPE_CHECKING:
    from shoal.data.schema import Kind

Form = Literal["distinct", "frequency"]


@dataclass(frozen=True)
class KMNDiversity:
    """Of trees: the same, and the sensitive values of those that fit are diverse.

    Parameters
    ----------
    k : int
        So many records, at least, look alike or fit what is known; from 2 on.
    m : int
        So many items or values of a person may be known; from 1 on.
    n : int
        Of so many pairs of known values it may be known how they belong together; from 0 on.
    l : int
        So many sensitive values, at least, stay possible; from 2 on.
    column : str
        The sensitive column that it speaks of.
    form : {"distinct", "frequency"}
        How diversity is counted.
    mode : {"strict", "pairwise"}
        What of the form of a tree may be known.

    Examples
    --------
    >>> import shoal
    >>> shoal.KMNDiversity(k=5, m=2, n=1, l=2, column="diagnosis").name
    'kmn-diversity'
    """

    k: int
    m: int
    n: int
    l: int  # noqa: E741  # the name of the parameter in the literature and in every recipe
    column: str
    form: Form = "distinct"
    mode: Mode = "strict"

    name: ClassVar[str] = "kmn-diversity"
    kind: ClassVar[Kind] = "trees"

    def __post_init__(self) -> None:
        mistakes = problems_of(self, k=2, m=1, n=0, l=2)
        mistakes += unknown_word(self, "form", get_args(Form)) + unknown_word(self, "mode", get_args(Mode))
        if mistakes:
            raise ParameterError(*mistakes)

    @property
    def sensitive(self) -> str:
        """The column that it speaks of."""
        return self.column

    def sentence(self) -> str:
        """The promise as a person reads it."""
        diversity = (
            f"which have at least {self.l} different values of '{self.column}' among them"
            if self.form == "distinct"
            else f"and no value of '{self.column}' is held by more than one in {self.l} of them"
        )
        return f"Whoever knows {what_is_known(self)} finds at least {self.k} published records that fit, {diversity}."

    def technical(self) -> str:
        """The promise as an auditor reads it."""
        return (
            f"{self.mode} {self.k}^({self.m},{self.n})-anonymity with {self.form} {self.l}-diversity of '{self.column}'"
        )
