"""The ideas of the methods for item sets, mixed tables and nested records; `python docs/draw_methods.py` draws them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from draw_ideas import ONE, TWO, Drawn, Idea, chips, fewest

from shoal.report.charts.svg import INK, MUTED, RISK, RULE, SAFE, line, rect, text

# ---- item sets -------------------------------------------------------------------------------------------------------

GROUPS = {"dairy": ("milk", "cheese"), "drinks": ("tea", "wine")}
BOUGHT = (("milk", "tea"), ("milk", "tea"), ("cheese", "tea"), ("cheese", "tea"), ("cheese", "wine"))


def labelled(opened: Sequence[str]) -> list[list[str]]:
    """The baskets, with the groups that are opened item by item."""
    of = {item: item if group in opened else group for group, items in GROUPS.items() for item in items}
    return [sorted({of[item] for item in basket}) for basket in BOUGHT]


def apriori() -> tuple[Drawn, str]:
    k, m = 2, 2
    opened = [group for group in GROUPS if fewest(labelled([group]), m) >= k]
    closed = [group for group in GROUPS if group not in opened or fewest(labelled(opened), m) < k]
    opened = [group for group in GROUPS if group not in closed]
    parts = chips(92, 10, [("all", RULE)])
    for place, (group, items) in enumerate(GROUPS.items()):
        x = 20 + place * 120
        parts += [
            line(110, 30, x + 40, 54, RULE, width=1.5),
            *chips(x + 10, 54, [(group, TWO if group in closed else RULE)]),
        ]
        for spot, item in enumerate(items):
            parts.append(line(x + 36, 74, x + 20 + spot * 52, 98, RULE, width=1.5))
            parts += chips(x - 4 + spot * 56, 98, [(item, ONE if group in opened else "none")])
    parts.append(text(270, 26, "published", fill=MUTED, size=11))
    parts += [text(270, 48 + 20 * place, ", ".join(basket)) for place, basket in enumerate(labelled(opened))]
    words = f"A group is opened as long as any two labels that somebody has are had by k = {k}. "
    return (parts, 142), words + f"“{closed[0]}” stays closed: one person alone would show an item of it."


ORDER = ("abc", "abd", "ab", "abe", "cde", "cd", "cdf", "acd")


def nonreciprocal() -> tuple[Drawn, str]:
    groups = (ORDER[:4], ORDER[4:])
    parts = [text(20, 18, "in an order in which neighbours are alike", fill=MUTED, size=11)]
    x = 20.0
    for group, fill in zip(groups, (ONE, TWO), strict=True):
        start = x
        for items in group:
            parts += chips(x, 28, [(items, fill)])
            x += 49
        votes = Counter(item for items in group for item in items)
        base = {item for item, count in votes.items() if 2 * count > len(group)}
        most = max(len(base ^ set(items)) for items in group)
        either = sorted({item for items in group for item in base ^ set(items)})
        parts += [line(start, 56, x - 8, 56, MUTED), *chips(start + 6, 66, [("".join(sorted(base)), fill)])]
        parts.append(text(start + 48, 80, f"± {most} of {', '.join(either)}", fill=MUTED, size=11))
        x += 8
    return (
        (parts, 100),
        f"Groups of k = {len(groups[0])}. Each shows what most of its members hold, and the items in which one of them may differ.",
    )


LABELS = ("card", "card", "cash", "card", "cash", "voucher", "card", "cash")


def cahd() -> tuple[Drawn, str]:
    middle, size = 3, 3
    near = sorted(range(len(LABELS)), key=lambda place: (abs(place - middle), place))
    taken: list[int] = []
    for place in near:
        if LABELS[place] not in {LABELS[other] for other in taken} and len(taken) < size:
            taken.append(place)
    parts = [text(20, 18, "records in Gray order, and what is private of each", fill=MUTED, size=11)]
    for place, label in enumerate(LABELS):
        x = 20 + place * 51
        parts.append(
            rect(x, 30, 46, 20, TWO if place in taken else ONE, stroke=INK if place == middle else "none", radius=5)
        )
        parts.append(text(x + 23, 44, label, anchor="middle", size=10))
    return (
        (
            parts,
            62,
        ),
        f"Around one record (framed) the {size - 1} nearest with other values are taken: a group of l = {size} different ones.",
    )


# ---- mixed tables ----------------------------------------------------------------------------------------------------

AGE = (21, 24, 38, 41, 66, 75)
ITEMS = ("ab", "ac", "ab", "ad", "bc", "bd")
STATES = (((0, 1), (2, 3), (4, 5)), ((0, 1, 2, 3), (4, 5)), ((0, 1, 2, 3, 4, 5),))
K, DELTA = 2, Fraction(3, 10)


def values_lost(state: Sequence[Sequence[int]]) -> Fraction:
    """Of each record the width of the ages of its class, in a domain of 100."""
    widths = [(max(AGE[i] for i in one) - min(AGE[i] for i in one)) * len(one) for one in state]
    return Fraction(sum(widths), 100 * len(AGE))


def items_lost(state: Sequence[Sequence[int]]) -> Fraction:
    """The share of items that fewer than k people of the class have, so that they are not shown as they are."""
    hidden = 0
    for one in state:
        votes = Counter(item for i in one for item in ITEMS[i])
        hidden += sum(count for count in votes.values() if count < K)
    return Fraction(hidden, sum(map(len, ITEMS)))


def ladder(chosen: int, bound: str) -> list[str]:
    """The three states on the way from small classes to one, with what both sides lose."""
    parts = [text(258, 18, "values lose", fill=MUTED, size=11), text(344, 18, "items lose", fill=MUTED, size=11)]
    for place, state in enumerate(STATES):
        y = 26 + place * 34
        if place == chosen:
            parts.append(rect(12, y - 2, 416, 30, "none", stroke=INK, radius=6))
        x = 20.0
        for one in state:
            wide = len(one) * 36 - 6
            parts.append(rect(x, y + 2, wide, 22, ONE if place <= chosen else RULE, radius=5))
            parts += [text(x + 4 + spot * 36, y + 17, ITEMS[i], size=11) for spot, i in enumerate(one)]
            x += wide + 6
        for at, share, name in ((258, values_lost(state), "values"), (344, items_lost(state), "items")):
            over = bound == name and share > DELTA
            parts.append(text(at, y + 17, f"{float(share):.2f}", fill=RISK if over else SAFE if bound == name else INK))
    return parts


def rum_bound() -> tuple[Drawn, str]:
    fits = [place for place, state in enumerate(STATES) if values_lost(state) <= DELTA]
    chosen = min(fits, key=lambda place: (items_lost(STATES[place]), place))
    return (
        (ladder(chosen, "values"), 134),
        f"Classes are merged as long as the values lose at most delta = {float(DELTA)}. "
        "Where the items lose least, that is published.",
    )


def tum_bound() -> tuple[Drawn, str]:
    chosen = next(place for place, state in enumerate(STATES) if items_lost(state) <= DELTA)
    return (
        ladder(chosen, "items"),
        134,
    ), f"Classes are merged until the items lose at most delta = {float(DELTA)}. The first such state is published."


def rfirst() -> tuple[Drawn, str]:
    words = f"The smallest classes, by the values alone: these lose {float(values_lost(STATES[0])):.2f}, the "
    words += f"items {float(items_lost(STATES[0])):.2f}. Nothing is merged."
    return (ladder(0, ""), 134), words


def tfirst() -> tuple[Drawn, str]:
    last = len(STATES) - 1
    words = f"All are one class, shown as the items need it: these lose {float(items_lost(STATES[last])):.2f}, "
    words += f"the values {float(values_lost(STATES[last])):.2f}."
    return (ladder(last, ""), 134), words


# ---- nested records --------------------------------------------------------------------------------------------------


def nest(x: float, y: float, top: str, below: Sequence[tuple[str, str, bool]]) -> list[str]:
    """A visit and what hangs below it: a word, its fill, and whether the link is there."""
    parts: list[str] = []
    for place, (word, fill, linked) in enumerate(below):
        left = x + place * 66
        parts += [line(x + 44, y + 20, left + 26, y + 46, MUTED, width=1.5)] if linked else []
        parts += chips(left, y + 46, [(word, fill)]) if word else []
    return chips(x + 18, y, [(top, ONE)]) + parts


def pointed(x: float, y: float) -> list[str]:
    return [line(x, y, x + 22, y, MUTED), line(x + 22, y, x + 16, y - 5, MUTED), line(x + 22, y, x + 16, y + 5, MUTED)]


BEFORE = (("asthma", ONE, True), ("drops", TWO, True))


def before() -> list[str]:
    return [
        text(20, 18, "few have “drops” at clinic A", fill=RISK, size=11),
        *nest(20, 28, "clinic A", BEFORE),
        *pointed(176, 62),
    ]


def gcs() -> tuple[Drawn, str]:
    parts = before() + nest(214, 28, "clinic A", (("airways", ONE, True),)) + chips(320, 28, [("drops", TWO)])
    return (
        (parts, 106),
        "Wider labels; and what too few show together is kept apart: “drops” stands beside its clinic, no longer below it.",
    )


def ocs() -> tuple[Drawn, str]:
    parts = before() + nest(214, 28, "clinic A", (("asthma", ONE, True), ("medicine", TWO, True)))
    return (
        parts,
        106,
    ), "Only wider labels: “drops” is shown as “medicine”, in every record. Every link stays, and nothing is moved."


def inplace() -> tuple[Drawn, str]:
    parts = (
        before()
        + nest(214, 28, "clinic A", (("asthma", ONE, True),))
        + nest(330, 28, "clinic B", (("drops", ONE, True),))
    )
    return (
        (parts, 106),
        "Below clinic A “drops” is shown for nobody, whoever had it there; below clinic B it is. "
        "Nothing is moved, so no place tells.",
    )


def acs() -> tuple[Drawn, str]:
    fails = {(2,)}  # an opening that breaks the promise breaks it below as well
    cuts: list[tuple[int, ...]] = [()]
    tried: list[tuple[int, ...]] = []
    while cuts:
        cut = cuts.pop(0)
        tried.append(cut)
        if not any(set(bad) <= set(cut) for bad in fails):
            cuts += [(*cut, one) for one in (1, 2, 3) if not cut or one > cut[-1]]
    places = {
        (): (200, 12),
        (1,): (100, 60),
        (2,): (200, 60),
        (3,): (300, 60),
        (1, 2): (60, 108),
        (1, 3): (130, 108),
        (2, 3): (230, 108),
    }
    parts: list[str] = []
    for cut, (x, y) in places.items():
        if cut:
            up = places[cut[:-1]]
            parts.append(line(up[0] + 14, up[1] + 20, x + 14, y, RULE, width=1.5, dashed=cut not in tried))
    for cut, (x, y) in places.items():
        broken = any(set(bad) <= set(cut) for bad in fails)
        fill = "none" if cut not in tried else TWO if broken else ONE
        parts += chips(x, y, [(" ".join(map(str, cut)) or "*", fill)])
    return (
        (parts, 140),
        "Every cut in one way: openings are numbered, and only higher ones follow. "
        "Opening 2 breaks the promise (red), so nothing below it is tried.",
    )


def tree_cluster() -> tuple[Drawn, str]:
    one, other = ("asthma", "drops"), ("cough",)
    parts = nest(14, 14, "clinic A", [(word, ONE, True) for word in one])
    parts += nest(160, 14, "clinic A", [(word, ONE, True) for word in other]) + pointed(260, 48)
    parts += nest(304, 14, "clinic A", (("airways", TWO, True),))
    gone = len(one) - len(other)
    return (
        (parts, 92),
        f"Trees are laid upon each other: two values become the label of both, and {gone} node without a "
        "partner is left out. All k show this one tree.",
    )


OTHERS: dict[str, Idea] = {
    "acs": acs,
    "apriori": apriori,
    "cahd": cahd,
    "gcs": gcs,
    "inplace": inplace,
    "nonreciprocal": nonreciprocal,
    "ocs": ocs,
    "rfirst": rfirst,
    "rum-bound": rum_bound,
    "tfirst": tfirst,
    "tree-cluster": tree_cluster,
    "tum-bound": tum_bound,
}
