"""Every attack on published trees that needs nothing but the release: fragments as promised and beyond, and negations."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING

from shoal.attacks.attack import ATTACKS
from shoal.attacks.private import NEGATED
from shoal.attacks.trees.guesses import MOST_RECORDS, FragmentGuesses

if TYPE_CHECKING:
    from shoal.attacks.attack import Attack, Todo
    from shoal.data.trees import Forest


def attacks_on(forest: Forest, k: int, m: int, n: int, *, strict: bool = True, attacks: int = ATTACKS) -> Todo:
    """forest: the published trees; k, m, n: as promised; strict: also for values on one path."""
    if not 0 < int(forest.records.sum()) <= MOST_RECORDS:
        return ()
    on = _Prepared(forest, attacks)
    asked = [(1, 0, False, k), (m, n, False, k), (m, n, True, k if strict else None)]
    asked += [(m + 1, n + 1, False, None), (m + 2, n + 2, False, None)]
    todo = [
        (f"fragments of {values}", partial(on.fragment, values, pairs, path, promised))
        for values, pairs, path, promised in dict.fromkeys(asked)
    ]
    return (*todo, *((f"negation of {absent}", partial(on.negation, m, n, absent)) for absent in NEGATED))


def fragments_on(forest: Forest, k: int, m: int, n: int, *, attacks: int = ATTACKS) -> Todo:
    """Only by what is promised, and by one value and one pair more."""
    if not 0 < int(forest.records.sum()) <= MOST_RECORDS:
        return ()
    on = _Prepared(forest, attacks)
    return (
        ("fragments as promised", partial(on.fragment, m, n, False, k)),
        ("fragments beyond", partial(on.fragment, m + 1, n + 1, False, None)),
    )


class _Prepared:
    """Bits are made when the first attack needs them."""

    def __init__(self, forest: Forest, attacks: int) -> None:
        self._forest, self._attacks = forest, attacks

    @cached_property
    def _guesses(self) -> FragmentGuesses:
        return FragmentGuesses(self._forest)

    def fragment(self, values: int, pairs: int, path: bool, k: int | None) -> tuple[Attack, ...]:
        return (self._guesses.attack(values, pairs, k, path=path, attacks=self._attacks),)

    def negation(self, values: int, pairs: int, absent: int) -> tuple[Attack, ...]:
        return (self._guesses.attack(values, pairs, None, absent=absent, attacks=self._attacks),)
