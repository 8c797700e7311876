"""What a witness shows: the records that fit a fragment, and the fragment as a small text tree.

The records are found again by paths: another way than the one by which they were counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.verifier.trees.facts import Facts, Paths
    from shoal.verifier.trees.judging import Fragment
    from shoal.verifier.trees.nodes import Trees

ROOT = "(someone)"


def matching(facts: Facts, fragment: Fragment) -> NDArray[np.int64]:
    """The numbers of the records, ascending."""
    asked: list[tuple[int, ...]] = [(label,) for label in fragment.labels]
    asked += [fragment.labels] if fragment.on_one_path else fragment.related
    ending = [_ending(facts.paths, labels) for labels in asked]
    fits = np.ones(len(facts.offsets) - 1, np.bool_)
    for begun, stop in facts.stretches():
        part = facts.part(begun, stop)
        of = np.repeat(np.arange(stop - begun), np.diff(part.offsets))
        for ends in ending:
            held = np.zeros(stop - begun, np.bool_)
            held[of[ends[part.held[:]]]] = True
            fits[begun:stop] &= held
    return np.flatnonzero(fits[facts.tree])


def _ending(paths: Paths, labels: tuple[int, ...]) -> NDArray[np.bool_]:
    """(paths,): whether the last of these labels ends it and the others stand above, in this order or any other."""
    *others, last = labels
    ends: NDArray[np.bool_] = paths.label == last
    for label in others:
        above, met = paths.parent.copy(), np.zeros(len(paths), np.bool_)
        while (above >= 0).any():
            met |= (above >= 0) & (paths.label[above] == label)
            above = np.where(above >= 0, paths.parent[above], -1)
        ends &= met
    return ends


def drawn(trees: Trees, fragment: Fragment) -> tuple[str, ...]:
    """The lines of the drawing: what is known to stand below something else hangs there, whatever may be between.

    A value that is known to stand below two that are not known to stand on one path hangs below both.
    """
    related = set(fragment.related)
    names = trees.shape.names

    def children(of: int | None) -> list[int]:
        if of is None:
            return [label for label in fragment.labels if not any(lower == label for _, lower in related)]
        below = [lower for upper, lower in sorted(related) if upper == of]
        return [one for one in below if not any((other, one) in related for other in below)]

    def lines(of: int | None, before: str) -> list[str]:
        made = []
        below = children(of)
        for i, label in enumerate(below):
            last = i == len(below) - 1
            kind, text = trees.labels[label]
            made.append(f"{before}{'└─' if last else '├─'} {names[kind]} = {text}")
            made += lines(label, f"{before}{'   ' if last else '│  '}")
        return made

    return (ROOT, *lines(None, "")) if fragment.labels else (ROOT,)
