"""What is proposed to be promised of a mixed table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.errors import RecipeError
from shoal.release.suggest.toml import inline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.release.kinds.wanted import Wanted

_CHOICE = """
# The promise is about both together: whoever knows all quasi values of someone and up to m of their items finds k records.
#   Items are shown as they are or as sets such as (a,b): one of them. For labels instead, name a hierarchy of the items at their
#   column, hierarchy = "items.csv", and say items = "hierarchy" under [method].
#   Items that are private facts: sensitive_items = ["…"] at their column publishes them as they are, and a [[guarantee]] named
#   k-lm-diversity with that column keeps them unsure. Leave them out of it if others could know them.
#   delta is how much the single values may lose, from 0 to 1; `shoal frontier` shows what the items then lose.
"""


def promise(private: Sequence[str]) -> list[str]:
    """(k,k^m)-anonymity, with (k,l^m)-diversity for every private fact. private: names of the sensitive columns."""
    lines = [_CHOICE.rstrip(), "", "[[guarantee]]", 'name = "k-km-anonymity"', "k = 5", "m = 2"]
    for name in private:
        promise = ["", "[[guarantee]]", 'name = "k-lm-diversity"', "k = 5", "l = 2", "m = 2"]
        lines += [*promise, f"column = {inline(name)}"]
    return [*lines, "", "[method]", 'name = "rum-bound"', "delta = 0.65"]


def promises(wanted: Wanted) -> list[dict[str, Any]]:
    """Against somebody who knows all single values and m items of a person."""
    wanted.only("k", "l", "m", about="a table with sets of items")
    if wanted.m is None:
        raise RecipeError("m: must be given: how many items of a person somebody may know.")
    found: list[dict[str, Any]] = [{"name": "k-km-anonymity", "k": wanted.k, "m": wanted.m}]
    if wanted.l is not None:
        both = {"name": "k-lm-diversity", "k": wanted.k, "l": wanted.l, "m": wanted.m}
        found += [{**both, "column": column} for column in wanted.private]
    return found
