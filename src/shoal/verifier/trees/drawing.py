"""A fragment as a small text tree: what is known to stand below something else hangs there, whatever may be between."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shoal.verifier.trees.judging import Fragment
    from shoal.verifier.trees.nodes import Trees

ROOT = "(someone)"


def drawn(trees: Trees, fragment: Fragment) -> tuple[str, ...]:
    """The lines of the drawing. A value that is known to stand below two that are not known to stand on one path hangs below
    both."""
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
