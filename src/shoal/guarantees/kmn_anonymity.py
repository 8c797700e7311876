"""k^(m,n)-anonymity of trees: whoever knows m values of someone and how n pairs of them belong together finds k records that fit.

Gkountouna, Terrovitis: Anonymizing Collections of Tree-Structured Data (TKDE 2015), read with ERRATA 000-1, 000-2 and 000-5. A
label is a value of a class. For every published record, every set I of up to m labels in it and every set Q of up to n pairs of I
of which one stands above the other in it, at least k records hold all of I and all of Q. Sets of every size up to m count, labels
that take part in no pair count too, and the empty set is held by every record.

`mode`: "pairwise" is what the paper promises. A value may stand in several places of a record, so pairs alone do not say that three
values stand on *one* path; "strict" promises besides that every set of up to m labels on one path of a record stands on one path in
at least k records. Two children of the same inner node, known as such, are outside of both.

What a person does *not* have is no label, unless the recipe names it (`negated`): then the absence of a published label that stands
for nothing else is a label of every record without it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from shoal.errors import ParameterError
from shoal.guarantees.parameters import problems_of

if TYPE_CHECKING:
    from shoal.data.schema import Kind

Mode = Literal["strict", "pairwise"]


@dataclass(frozen=True)
class KMNAnonymity:
    """Any m values and n relations of a person fit k published trees.

    Parameters
    ----------
    k : int
        So many records, at least, look alike or fit what is known; from 2 on.
    m : int
        So many items or values of a person may be known; from 1 on.
    n : int
        Of so many pairs of known values it may be known how they belong together; from 0 on.
    mode : {"strict", "pairwise"}
        What of the form of a tree may be known.

    Examples
    --------
    >>> import shoal
    >>> shoal.KMNAnonymity(k=5, m=2, n=1).name
    'kmn-anonymity'
    """

    k: int
    m: int
    n: int
    mode: Mode = "strict"

    name: ClassVar[str] = "kmn-anonymity"
    kind: ClassVar[Kind] = "trees"
    l = None  # noqa: E741
    sensitive = None

    def __post_init__(self) -> None:
        mistakes = problems_of(self, k=2, m=1, n=0) + unknown_word(self, "mode", get_args(Mode))
        if mistakes:
            raise ParameterError(*mistakes)

    def sentence(self) -> str:
        """The promise as a person reads it."""
        return f"Whoever knows {what_is_known(self)} finds at least {self.k} published records that fit."

    def technical(self) -> str:
        """The promise as an auditor reads it."""
        return f"{self.mode} {self.k}^({self.m},{self.n})-anonymity"


def what_is_known(guarantee: Any) -> str:
    """What somebody may know of a person, as the sentences of both promises about trees say it."""
    values = "one value" if guarantee.m == 1 else f"up to {guarantee.m} values"
    possible = guarantee.m * (guarantee.m - 1) // 2
    pairs = min(guarantee.n, possible)  # fewer values have no more pairs
    known = [f"{values} of someone"]
    if pairs == 1:
        known.append("how 1 pair of them belongs together")
    elif pairs:
        known.append(f"how {'all' if pairs == possible else f'up to {pairs}'} pairs of them belong together")
    if guarantee.mode == "strict" and guarantee.m > 1 and (guarantee.m > 2 or not pairs):
        known.append("which of them stand one below the other on one path")
    if len(known) == 1:
        return known[0]
    return f"{known[0]}, and {' and '.join(known[1:])},"


def unknown_word(guarantee: Any, name: str, words: tuple[str, ...]) -> list[str]:
    """A sentence about a parameter that is none of these words."""
    value = getattr(guarantee, name)
    if value in words:
        return []
    listed = ", ".join(f"'{word}'" for word in words)
    return [f"`{name}` of {guarantee.name} must be one of {listed}; got {value!r}."]
