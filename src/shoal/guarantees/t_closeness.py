"""t-closeness: in every class the sensitive values are distributed almost as in the whole published table.

Li, Li, Venkatasubramanian: t-Closeness (ICDE 2007). With p the distribution of the class and q that of the table, a
class is t-close when the earth mover's distance EMD(p, q) is at most t. The distance between two values is

- `equal`: 1 for any two values. EMD = ½ Σ |p_i − q_i|.
- `ordered`: |i − j| / (m − 1) for the i-th and j-th of the m values that occur in the table.
  EMD = Σ_j |Σ_(i≤j) (p_i − q_i)| / (m − 1), and 0 when m = 1.
- `hierarchical`: height(lowest common ancestor) / H. With extra(leaf) = p − q and extra(N) the sum over the children of
  N, EMD = Σ_N height(N)/H · min(pos_extra(N), neg_extra(N)) over the inner nodes N, where pos_extra and neg_extra add
  up the positive and the negative extras of the children of N.

The paper writes the last one for hierarchies whose leaves lie at one depth. For uneven depths height(N) is the number
of edges on the longest way down to a leaf, and H is the height of the root. `earth_mover.py` computes all three.

A missing value is one more value. In the hierarchy it is a leaf directly below the root. In an order it has no place: it is put
at either end, and the larger of the two distances counts.

`failing` compares each class with all the classes it is given. They must be the classes that will be published: once
some are suppressed, q changes and the rest must be compared again.

What pruning may rely on: EMD(·, q) is convex for any distance between values, and a merged class is a weighted mean of
its parts, so it is no farther from q than the farther of them. Suppression changes q, and then nothing is certain.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

import numpy as np

from shoal.errors import ParameterError, RecipeError
from shoal.guarantees.earth_mover import EarthMover, EqualMover, HierarchicalMover, OrderedMover

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.data.schema import Kind
    from shoal.guarantees.guarantee import ClassCounts

Distance = Literal["equal", "ordered", "hierarchical"]

# Floats decide a distance (between 0 and 1) that is farther than this from t; closer ones are decided in whole numbers.
_CLOSE = 1e-9


@dataclass(frozen=True)
class TCloseness:
    """The sensitive values of every class are spread nearly as in the whole table.

    Parameters
    ----------
    t : float
        How far the values of a class may be from those of the whole table; at least 0 and below 1.
    column : str
        The sensitive column that it speaks of.
    distance : {"equal", "ordered", "hierarchical"}
        Between two values.

    Examples
    --------
    >>> import shoal
    >>> shoal.TCloseness(0.2, column="diagnosis").name
    't-closeness'
    """

    t: float
    column: str
    distance: Distance = "equal"

    name: ClassVar[str] = "t-closeness"
    kind: ClassVar[Kind] = "tables"
    k = None
    l = None  # noqa: E741
    m = None
    n = None
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = False

    def __post_init__(self) -> None:
        mistakes = []
        number = isinstance(self.t, int | float) and not isinstance(self.t, bool)
        if not number or not 0 <= self.t < 1:  # a distance is never above 1, so t = 1 would promise nothing
            mistakes.append(f"`t` of t-closeness must be a number of at least 0 and below 1; got {self.t!r}.")
        if not isinstance(self.column, str) or not self.column:
            mistakes.append(f"`column` of t-closeness must be the name of a column; got {self.column!r}.")
        if self.distance not in get_args(Distance):
            words = ", ".join(f"'{word}'" for word in get_args(Distance))
            mistakes.append(f"`distance` of t-closeness must be one of {words}; got {self.distance!r}.")
        if mistakes:
            raise ParameterError(*mistakes)

    @property
    def sensitive(self) -> str:
        """The column that it speaks of."""
        return self.column

    def sentence(self) -> str:
        """The promise as a person reads it."""
        return (
            f"Among the people who look the same, '{self.column}' is spread as in the whole table, "
            f"up to a difference of {self.t} (0 is none, 1 is the greatest possible): "
            "finding someone's group tells no more than that about their value."
        )

    def technical(self) -> str:
        """The promise as an auditor reads it."""
        return f"{self.t}-closeness of '{self.column}' ({self.distance} distance)"

    def failing(self, classes: ClassCounts) -> NDArray[np.bool_]:
        """A class without any counted record fails: nothing can be said of it."""
        histogram = classes.histogram(self.column)
        number = len(classes.sizes)
        bound = Fraction(str(self.t))
        if self.distance == "hierarchical" and histogram.hierarchy is None:
            raise RecipeError(
                f"t-closeness of '{self.column}' with distance = 'hierarchical' needs a hierarchy of that column; "
                "give the column one, or use distance = 'equal' or 'ordered'."
            )
        movers: list[EarthMover] = [_MOVERS[self.distance](histogram, number)]
        if self.distance == "ordered" and histogram.missing is not None:
            movers.append(OrderedMover(histogram, number, missing_first=True))
        failing = np.zeros(number, np.bool_)
        for mover in movers:
            distance = mover.distances()
            farther: NDArray[np.bool_] = distance > float(bound)
            for one in np.flatnonzero(np.abs(distance - float(bound)) <= _CLOSE).tolist():
                farther[one] = mover.exactly(one) > bound
            failing |= farther | (mover.sizes == 0)
        return failing


_MOVERS: dict[str, type[EarthMover]] = {"equal": EqualMover, "ordered": OrderedMover, "hierarchical": HierarchicalMover}
