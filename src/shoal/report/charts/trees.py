"""Pictures of trees: a record before and after, and how much of each class is shown at which level."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.charts.svg import (
    BLUR,
    CARD,
    FAINT,
    INK,
    MUTED,
    RISK_SOFT,
    RULE,
    SAFE,
    legend,
    line,
    picture,
    rect,
    text,
)
from shoal.report.words import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.report.tree_facts import ClassFacts, DrawnNode, Example

WIDTH, ROW, INDENT, BOX, NAME = 860, 34, 26, 210, 170


def before_and_after(example: Example) -> str:
    """Two trees side by side, the person on top."""
    middle = WIDTH / 2 + 10
    height = 26 + ROW * (1 + max(len(example.before), len(example.after)))
    return picture(
        WIDTH,
        height,
        "A made-up record, before and after",
        "Two trees: on the left values as a record might hold them, on the right what the release would show of it.",
        text(0, 12, "before (made up)", fill=MUTED),
        text(middle, 12, "after: what the release would show", fill=MUTED),
        *_tree(example.before, 0, FAINT),
        *_tree(example.after, middle, CARD),
    )


def levels(classes: Sequence[ClassFacts]) -> str:
    """A bar for each class: shares of its nodes by what they are shown as."""
    shown = [one for one in classes if one.levels]
    body, room = [], WIDTH - NAME - 10
    for i, one in enumerate(shown):
        x, y = float(NAME), 24 + ROW * i
        body.append(text(NAME - 8, y + 14, one.name, anchor="end", room=NAME - 12))
        whole = sum(level.share for level in one.levels) or 1.0
        for level in one.levels:
            width = room * level.share / whole
            colour, words = _level(level.level, one.height)
            body.append(
                rect(x, y, width, 20, colour, stroke=RULE, title=f"{words}: {percent(level.share)} of the nodes")
            )
            if width > 60:
                fill = CARD if colour == SAFE else INK
                body.append(text(x + width / 2, y + 14, percent(level.share), size=11, fill=fill, anchor="middle"))
            x += width
    key = legend(NAME, 12, (SAFE, "as they are"), (BLUR, "under labels"), (RISK_SOFT, "left out"))
    return picture(
        WIDTH,
        28 + ROW * len(shown),
        "What became of the nodes of each class",
        "For each class a bar: shares of its nodes that are shown as they are, under labels, or left out.",
        key,
        *body,
    )


def _level(level: int | None, height: int) -> tuple[str, str]:
    if level is None:
        return RISK_SOFT, "left out"
    if level == 0:
        return SAFE, "as they are"
    return BLUR, f"level {level} of {height}" if height else "any value of the class"


def _tree(nodes: Sequence[DrawnNode], left: float, fill: str) -> list[str]:
    """One node in a line, indented below its parent, in the order of a walk."""
    order = _walk(nodes, -1)
    place = {node: row + 1 for row, node in enumerate(order)} | {-1: 0}
    deep = {-1: 0}
    for node in order:
        deep[node] = deep[nodes[node].parent] + 1
    top = 22
    body = [rect(left, top, 70, 24, FAINT, stroke=RULE, radius=4), text(left + 8, top + 16, "person", fill=MUTED)]
    for node in order:
        x, y = left + INDENT * deep[node], top + ROW * place[node]
        above = top + ROW * place[nodes[node].parent] + 24
        body += [line(x - 14, above, x - 14, y + 12, MUTED), line(x - 14, y + 12, x, y + 12, MUTED)]
        body.append(rect(x, y, BOX, 24, fill, stroke=RULE, radius=4))
        name = nodes[node].name
        shown = nodes[node].text or f"a value of {name}"
        body.append(text(x + 8, y + 16, shown, fill=INK if nodes[node].text else MUTED, room=BOX - 16))
        body.append(text(x + BOX + 6, y + 16, name, size=10, fill=MUTED, room=max(WIDTH / 2 - x + left - BOX - 16, 30)))
    return body


def _walk(nodes: Sequence[DrawnNode], parent: int) -> list[int]:
    made = []
    for place, node in enumerate(nodes):
        if node.parent == parent:
            made += [place, *_walk(nodes, place)]
    return made
