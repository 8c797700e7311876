"""How a column is blurred, said in Python: small values that stand where a recipe has `hierarchy`.

>>> intervals(5, 10, 20, start=0, stop=120)
Blur({'intervals': [5, 10, 20], 'from': 0, 'to': 120})
>>> dates("month", "year").spec
{'dates': ['month', 'year']}
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Literal

from shoal.errors import RecipeError
from shoal.hierarchies.build import problems

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Blur:
    """A blur rule, checked when it is made and never changed.

    Examples
    --------
    >>> import shoal
    >>> shoal.Blur({"mask": "right"}) == shoal.mask("right")
    True
    """

    __slots__ = ("_spec",)

    def __init__(self, spec: Mapping[str, Any] | str) -> None:
        """As in a recipe: the table of `hierarchy`, or the path of a hierarchy file."""
        faults = problems(spec)
        if faults:
            raise RecipeError(*faults)
        self._spec = spec if isinstance(spec, str) else deepcopy(dict(spec))

    @property
    def spec(self) -> dict[str, Any] | str:
        """As a recipe says it."""
        return deepcopy(self._spec)

    def __repr__(self) -> str:
        return f"Blur({self._spec!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Blur) and self._spec == other._spec

    def __hash__(self) -> int:
        return hash(repr(self._spec))


def intervals(*widths: float, start: float, stop: float) -> Blur:
    """Numbers to ranges, step by step wider.

    The grid is yours to say: one taken from the data would tell its smallest and largest value.

    Parameters
    ----------
    *widths : float
        Each a multiple of the one before.
    start, stop : float
        The ends of the grid.

    Examples
    --------
    >>> import shoal
    >>> shoal.intervals(5, 10, 20, start=0, stop=120)
    Blur({'intervals': [5, 10, 20], 'from': 0, 'to': 120})
    """
    return Blur({"intervals": list(widths), "from": start, "to": stop})


def borders(*places: float, start: float, stop: float) -> Blur:
    """Numbers to ranges between borders of your own.

    Parameters
    ----------
    *places : float
        Where ranges meet, ascending.
    start, stop : float
        The ends of the first and the last range.

    Examples
    --------
    >>> import shoal
    >>> shoal.borders(18, 30, 65, start=0, stop=120)
    Blur({'borders': [18, 30, 65], 'from': 0, 'to': 120})
    """
    return Blur({"borders": list(places), "from": start, "to": stop})


def dates(*levels: str) -> Blur:
    """Dates, from fine to coarse.

    Parameters
    ----------
    *levels : str
        Of "month", "quarter", "year", "decade".

    Examples
    --------
    >>> import shoal
    >>> shoal.dates("month", "year")
    Blur({'dates': ['month', 'year']})
    """
    return Blur({"dates": list(levels)})


def mask(side: Literal["right", "left"] = "right") -> Blur:
    """Codes sign by sign, from one side: 01067 → 0106* → 010** …

    Parameters
    ----------
    side : {"right", "left"}
        Where signs are hidden first.

    Examples
    --------
    >>> import shoal
    >>> shoal.mask("right")
    Blur({'mask': 'right'})
    """
    return Blur({"mask": side})


def groups(named: Mapping[str, Sequence[str]]) -> Blur:
    """Values to groups by name.

    Parameters
    ----------
    named : mapping
        Group → its values.

    Examples
    --------
    >>> import shoal
    >>> shoal.groups({"higher": ["college", "master"]})
    Blur({'groups': {'higher': ['college', 'master']}})
    """
    return Blur({"groups": {name: list(values) for name, values in named.items()}})


def hierarchy_file(path: str) -> Blur:
    """The hierarchy of a file: of ARX, anjana, Amnesia.

    Parameters
    ----------
    path : str
        Relative to the current folder.

    Examples
    --------
    >>> import shoal
    >>> shoal.hierarchy_file("demo/schooling.csv")
    Blur('demo/schooling.csv')
    """
    return Blur(str(path))
