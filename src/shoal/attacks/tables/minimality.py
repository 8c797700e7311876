"""Minimality: what it tells that a method did no more than it had to (Wong, Fu, Wang and Pei 2007).

Whoever knows everybody's quasi-identifiers, the program and the private values as a bag, but not whose is whose, tries every way to
deal them out, and keeps the worlds in which the program would have published what it did. If a person has the same value in most of
them, that is what the attacker believes. It is worked out by trying all worlds, and so for very few records only.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import permutations
from typing import TYPE_CHECKING

from shoal.attacks.attack import Attack
from shoal.attacks.meter import Meter
from shoal.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

MOST = 8  # records: 40,320 worlds at most


def minimality(
    private: Sequence[str],
    release_of: Callable[[tuple[str, ...]], Hashable],
    column: str,
    l: int | None = None,  # noqa: E741
) -> Attack:
    """private: of each record, in a fixed order; release_of: what the program publishes of such a world, None where it refuses.

    Every person in every world is attacked once, by the value that is likeliest given the release.
    """
    if not 1 <= len(private) <= MOST:
        raise InternalError(f"Worlds of 1 to {MOST} records can be tried out.")
    worlds: dict[Hashable, list[tuple[str, ...]]] = defaultdict(list)
    for world in sorted(set(permutations(private))):
        published = release_of(world)
        if published is not None:
            worlds[published].append(world)
    attacks = successes = 0
    for alike in worlds.values():
        for person in range(len(private)):
            attacks += len(alike)
            successes += Counter(world[person] for world in alike).most_common(1)[0][1]
    if not attacks:
        raise InternalError("In no world is anything published.")
    baseline = Counter(private).most_common(1)[0][1] / len(private)
    name = f"minimality: '{column}' by what else the method would have done"
    return Attack("inference", name, Meter(attacks, successes), baseline, None if l is None else 1 / l, public=False)
