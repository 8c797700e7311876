"""Pictures of trees: a record before and after, and how much of each class is shown at which level."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.charts import columns
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

    from shoal.report.facts import SizeBin
    from shoal.report.trees.facts import ClassFacts, DrawnNode, Example

WIDTH, ROW, INDENT, BOX, NAME = 440, 32, 24, 190, 110


def before_and_after(example: Example) -> tuple[str, str]:
    """Two trees of the same height, the person on top: to stand side by side, or one below the other where there is no room."""
    height = 4 + ROW * (1 + max(len(example.before), len(example.after)))
    before = "A tree: values as a record might hold them."
    after = "The same tree, as the release would show it."
    return (
        picture(WIDTH, height, "A made-up record, before", before, *_tree(example.before, FAINT)),
        picture(WIDTH, height, "The same record, after", after, *_tree(example.after, CARD)),
    )


def levels(classes: Sequence[ClassFacts]) -> str:
    """A bar for each class: shares of its nodes by what they are shown as."""
    drawn = [one for one in classes if one.levels]
    body, room = [], WIDTH - NAME - 10
    for i, one in enumerate(drawn):
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
    key = legend(0, 12, (SAFE, "as they are"), (BLUR, "under labels"), (RISK_SOFT, "left out"))
    return picture(
        WIDTH,
        28 + ROW * len(drawn),
        "What became of the nodes of each class",
        "For each class a bar: shares of its nodes that are shown as they are, under labels, or left out.",
        key,
        *body,
    )


def node_counts(bins: Sequence[SizeBin], k: int) -> str:
    """Records by the number of their nodes."""
    sides = ("before: nodes of the original", "after: nodes in the release")
    return columns.before_and_after(
        bins, sides, "nodes of a record", "records", "Records by the number of their nodes", k
    )


def _level(level: int | None, height: int) -> tuple[str, str]:
    if level is None:
        return RISK_SOFT, "left out"
    if level == 0:
        return SAFE, "as they are"
    return BLUR, f"level {level} of {height}" if height else "any value of the class"


def _tree(nodes: Sequence[DrawnNode], fill: str) -> list[str]:
    """One node in a line, indented below its parent, in the order of a walk."""
    order = _walk(nodes, -1)
    place = {node: row + 1 for row, node in enumerate(order)} | {-1: 0}
    deep = {-1: 0}
    for node in order:
        deep[node] = deep[nodes[node].parent] + 1
    top = 1
    indent = min(INDENT, (WIDTH - BOX - 60) / max(*deep.values(), 1))  # deep trees stay within the picture
    body = [rect(1, top, 70, 24, FAINT, stroke=RULE, radius=4), text(9, top + 16, "person", fill=MUTED)]
    for node in order:
        x, y = 1 + indent * deep[node], top + ROW * place[node]
        above = top + ROW * place[nodes[node].parent] + 24
        body += [
            line(x - indent / 2, above, x - indent / 2, y + 12, MUTED),
            line(x - indent / 2, y + 12, x, y + 12, MUTED),
        ]
        body.append(rect(x, y, BOX, 24, fill, stroke=RULE, radius=4))
        name = nodes[node].name
        words = nodes[node].text or f"a value of {name}"
        body.append(text(x + 8, y + 16, words, fill=INK if nodes[node].text else MUTED, room=BOX - 16))
        body.append(text(x + BOX + 6, y + 16, name, size=10, fill=MUTED, room=max(WIDTH - x - BOX - 8, 30)))
    return body


def _walk(nodes: Sequence[DrawnNode], parent: int) -> list[int]:
    places = []
    for place, node in enumerate(nodes):
        if node.parent == parent:
            places += [place, *_walk(nodes, place)]
    return places
