"""A column that is blurred unevenly: the share of the published records at each step, from exact to hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.charts.svg import CARD, FAINT, INK, MUTED, RULE, SAFE, TINTS, picture, rect, text, text_width
from shoal.report.tables.why import level_name
from shoal.report.words import percent

if TYPE_CHECKING:
    from shoal.report.columns import ColumnFacts, LevelShare

WIDTH, HEIGHT = 420, 46
BOX = 27
NARROWEST_LABEL = 44  # a label cut shorter than this says nothing


def mix(column: ColumnFacts) -> str:
    """One bar: exact values dark, the further blurred the lighter."""
    whole = sum(share.records for share in column.mix)
    body, said = [], []
    x = 1.0
    for share in column.mix:
        width = (WIDTH - 2) * share.records / whole
        step, name, fill = level_name(column, share), _name(column, share), _fill(column, share)
        words = percent(share.records / whole)
        said.append(f"{name}: {words}")
        title = f"{step}{f', such as {share.example}' if share.example else ''}: {words} of the published records"
        body.append(rect(x, 1, width, BOX, fill, stroke=RULE, title=title))
        if text_width(name, 12) <= width - 8 or width > NARROWEST_LABEL:
            ink = CARD if fill == SAFE else INK
            body.append(text(x + width / 2, BOX / 2 + 5.5, name, fill=ink, anchor="middle", room=width - 8))
        if text_width(words, 10) <= width:
            body.append(text(x + width / 2, BOX + 14, words, size=10, fill=MUTED, anchor="middle"))
        x += width
    desc = f"Share of the published records at each step of blur. {'; '.join(said)}"
    return picture(WIDTH, HEIGHT, f"Steps of blur of {column.name}", desc, *body)


def _name(column: ColumnFacts, share: LevelShare) -> str:
    """The ends speak for themselves, what lies between by an example."""
    at_an_end = share.level in (0, len(column.ladder) - 1) and not share.between
    return level_name(column, share) if at_an_end or not share.example else share.example


def _fill(column: ColumnFacts, share: LevelShare) -> str:
    top = len(column.ladder) - 1
    if share.level in (0, top) and not share.between:
        return SAFE if share.level == 0 else FAINT
    place = share.level - 0.5 * share.between
    return TINTS[round((len(TINTS) - 1) * (place - 0.5) / max(top - 1, 1))]
