"""Draws the idea of every guarantee and every loss: `python docs/draw_ideas.py` writes docs/pictures/guarantees and /losses.

Each picture is a handful of made-up records. Figures in it are worked out here from what is drawn, by the definition that stands
beside the picture. A card behind it keeps it readable on a dark page. The methods are drawn by draw_methods.py.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path

from shoal.loss.trees.rpd import reverse_path_domain
from shoal.report.charts.svg import (
    CARD,
    INK,
    MUTED,
    RISK,
    RISK_SOFT,
    RULE,
    SAFE,
    TINTS,
    circle,
    line,
    picture,
    rect,
    text,
    text_width,
)

PICTURES = Path(__file__).resolve().parent / "pictures"
WIDTH, ROW, PAD = 640, 24, 20
ONE, TWO = TINTS[2], RISK_SOFT  # two groups
Row = Sequence[str]
Drawn = tuple[list[str], float]  # the parts, and how high they are


# ---- what pictures are made of ---------------------------------------------------------------------------------------


def table(x: float, y: float, head: Row, rows: Sequence[Row], fills: Sequence[str], width: float = 84) -> list[str]:
    """Cells side by side; a fill for every row."""
    parts = [text(x + 6 + i * width, y + 14, name, fill=MUTED, size=11) for i, name in enumerate(head)]
    for place, (row, fill) in enumerate(zip(rows, fills, strict=True), start=1):
        top = y + place * ROW - 2
        parts.append(rect(x, top, width * len(row), ROW - 4, fill, radius=4))
        parts += [text(x + 6 + i * width, top + 14, cell, room=width - 8) for i, cell in enumerate(row)]
    return parts


def arrow(x: float, y: float) -> list[str]:
    return [line(x, y, x + 26, y, MUTED), line(x + 26, y, x + 20, y - 5, MUTED), line(x + 26, y, x + 20, y + 5, MUTED)]


def chips(x: float, y: float, labels: Sequence[tuple[str, str]]) -> list[str]:
    """Words in boxes, one after the other."""
    parts = []
    for words, fill in labels:
        wide = text_width(words, 12) + 14
        parts += [rect(x, y, wide, 20, fill, radius=5), text(x + 7, y + 14, words)]
        x += wide + 6
    return parts


def bars(x: float, y: float, shares: dict[str, Fraction], fill: str) -> list[str]:
    parts = []
    for place, (name, share) in enumerate(shares.items()):
        top = y + place * ROW
        parts.append(text(x, top + 14, name, fill=MUTED, size=11))
        parts.append(rect(x + 62, top + 3, 150 * float(share), 14, fill, radius=3))
        parts.append(text(x + 68 + 150 * float(share), top + 14, str(share), size=11))
    return parts


def graph(x: float, y: float, left: Row, right: Row, edges: Sequence[tuple[int, int]], fill: str) -> list[str]:
    """Originals on the left, published records on the right."""

    def at(place: int) -> float:
        return y + 26 + place * 34

    parts = [line(x + 118, at(a), x + 302, at(b), fill, width=1.5) for a, b in edges]
    parts += [text(x, y + 8, "original", fill=MUTED, size=11), text(x + 310, y + 8, "published", fill=MUTED, size=11)]
    for place, words in enumerate(left):
        parts += [*chips(x, at(place) - 10, [(words, ONE)]), circle(x + 114, at(place), 4, INK)]
    for place, words in enumerate(right):
        parts += [*chips(x + 310, at(place) - 10, [(words, ONE)]), circle(x + 306, at(place), 4, INK)]
    return parts


def tree(
    x: float, y: float, top: str, below: Sequence[str], *, bold: tuple[str, ...] = (), gone: bool = False
) -> list[str]:
    """A value, and the values below it. bold: what is known; gone: the links are not shown."""
    parts = []
    for place, words in enumerate(below):
        known = top in bold and words in bold
        if not gone:
            parts.append(
                line(x + 40, y + 20, x + 20 + place * 76, y + 48, RISK if known else RULE, width=3 if known else 1.5)
            )
        parts += chips(x + place * 76, y + 48, [(words, TWO if words in bold else ONE)])
    return parts + chips(x + 14, y, [(top, TWO if top in bold else ONE)])


def ruler(x: float, y: float, low: int, high: int, first: int, last: int, wide: float = 320) -> list[str]:
    """A domain, and the part of it that is published."""

    def at(value: float) -> float:
        return x + wide * (value - low) / (high - low)

    parts = [line(x, y, x + wide, y, RULE, width=6), line(at(first), y, at(last), y, RISK, width=6)]
    return parts + [text(at(v), y + 20, str(v), fill=MUTED, size=11, anchor="middle") for v in (low, first, last, high)]


def leaves(x: float, y: float, names: Row, covered: Row, label: str) -> list[str]:
    """Raw values side by side, and the label that stands for some of them."""
    step = 64
    parts = []
    inside = [x + place * step + 26 for place, name in enumerate(names) if name in covered]
    middle = sum(inside) / len(inside)
    parts += [line(middle, y + 20, at, y + 44, RISK, width=1.5) for at in inside]
    parts += [rect(middle - 30, y, 60, 20, TWO, radius=5), text(middle, y + 14, label, anchor="middle")]
    for place, name in enumerate(names):
        parts.append(rect(x + place * step, y + 44, 54, 20, TWO if name in covered else ONE, radius=5))
        parts.append(text(x + place * step + 27, y + 58, name, anchor="middle"))
    return parts


def squares(x: float, y: float, sizes: Sequence[int]) -> list[str]:
    """A square of size × size for each class."""
    parts = []
    for size in sizes:
        parts += [rect(x + i % size * 16, y + i // size * 16, 14, 14, TWO, radius=2) for i in range(size * size)]
        parts.append(text(x, y + size * 16 + 14, f"{size}² = {size * size}", fill=MUTED, size=11))
        x += size * 16 + 50
    return parts


def worth(value: Fraction) -> str:
    """A fraction, and what that is about."""
    return f"{value}" if value.denominator == 1 else f"{value} ≈ {float(value):.3g}"


# ---- guarantees ------------------------------------------------------------------------------------------------------

AGES = (("23", "4020"), ("27", "4021"), ("29", "4029"), ("61", "4810"), ("64", "4812"), ("68", "4815"))
SHOWN = (("20–29", "402*"),) * 3 + (("60–69", "481*"),) * 3
GROUPS = (ONE,) * 3 + (TWO,) * 3
BASKETS = (("bread", "milk"),) * 2 + (("bread", "milk", "tea"),) * 2 + (("rice", "tea"),) * 2
PAID = ("card", "cash") * 3


def fewest(sets: Sequence[Sequence[str]], m: int) -> int:
    """How many hold what the fewest hold together, of up to m things that anyone holds."""
    known = {some for one in sets for size in range(m + 1) for some in combinations(sorted(one), size)}
    return min(sum(set(some) <= set(one) for one in sets) for some in known)


def k_anonymity() -> tuple[Drawn, str]:
    smallest = min(Counter(SHOWN).values())
    parts = table(PAD, 8, ("age", "postcode"), AGES, (CARD,) * 6) + arrow(230, 92)
    parts += table(290, 8, ("age", "postcode"), SHOWN, GROUPS)
    return (
        parts,
        180,
    ), f"k = {smallest}: whoever is looked for, at least {smallest} published records fit, and look the same."


def l_diversity() -> tuple[Drawn, str]:
    poor, rich = ("flu",) * 3, ("flu", "asthma", "ulcer")
    rows = [(*shown, value) for shown, value in zip(SHOWN, (*poor, *rich), strict=True)]
    parts = table(PAD, 8, ("age", "postcode", "diagnosis"), rows, GROUPS)
    parts += [text(290, 54, f"{len(set(poor))} value: finding the class tells it", fill=RISK)]
    parts += [text(290, 126, f"{len(set(rich))} values: l = {len(set(rich))} is kept", fill=SAFE)]
    return (parts, 180), "Both classes are 3-anonymous. Only the second keeps the diagnosis of its people open."


def t_closeness() -> tuple[Drawn, str]:
    whole = {"flu": Fraction(1, 2), "asthma": Fraction(1, 4), "ulcer": Fraction(1, 4)}
    group = {"flu": Fraction(3, 4), "asthma": Fraction(1, 4), "ulcer": Fraction(0)}
    far = sum((abs(whole[name] - group[name]) for name in whole), Fraction(0)) / 2
    parts = [text(PAD, 20, "whole table", bold=True), text(330, 20, "one class", bold=True)]
    parts += bars(PAD, 30, whole, SAFE) + bars(330, 30, group, RISK)
    return (
        parts,
        106,
    ), f"What has to be moved to make one of the other: {far}. With distance “equal” the class keeps t from {far} on."


def matched(labels: Row = ("", "", "")) -> list[str]:
    published = [f"a b (± 1){f' · {label}' if label else ''}" for label in labels]
    edges = [(i, j) for i in range(3) for j in range(3)]
    return graph(PAD + 60, 8, ("a b", "a b c", "a"), published, edges, SAFE)


def k_matching() -> tuple[Drawn, str]:
    return (matched(), 130), "Every edge is part of a way to give each published record an original of its own: k = 3."


def l_matching() -> tuple[Drawn, str]:
    labels = ("card", "cash", "voucher")
    return (
        matched(labels),
        130,
    ), f"The records that may be yours hold {len(set(labels))} different values: l = {len(set(labels))}."


def holding(known: set[str]) -> list[int]:
    return [place for place, basket in enumerate(BASKETS) if known <= set(basket)]


def baskets(known: set[str], paid: bool = False) -> list[str]:
    fits = holding(known)
    rows = [(", ".join(basket), *((PAID[i],) if paid else ())) for i, basket in enumerate(BASKETS)]
    fills = [TWO if place in fits else ONE for place in range(len(BASKETS))]
    return table(PAD, 8, ("items", *(("paid",) if paid else ())), rows, fills, width=140)


def km_anonymity() -> tuple[Drawn, str]:
    known, k = {"bread", "tea"}, fewest(BASKETS, 2)
    parts = [*baskets(known), text(200, 60, "somebody knows: bread, tea", fill=RISK)]
    words = f"Two items of a person are known, and {len(holding(known))} records fit. "
    words += f"Any two that somebody holds are held by {k} or more: k = {k}, m = 2."
    return (parts, 176), words


def lm_diversity() -> tuple[Drawn, str]:
    known = {"rice", "tea"}
    found = Counter(PAID[place] for place in holding(known))
    parts = [*baskets(known, paid=True), text(340, 60, "somebody knows: rice, tea", fill=RISK)]
    most = max(found.values())
    return (
        parts,
        176,
    ), f"{sum(found.values())} records fit, and no value of “paid” is held by more than {most} of them: l = 2."


MIXED = (("20–29", "flu, asthma"),) * 2 + (("20–29", "flu, ulcer"),) * 2 + (("60–69", "flu, ulcer"),) * 2


def k_km_anonymity() -> tuple[Drawn, str]:
    fits = [place for place, row in enumerate(MIXED) if row == ("20–29", "flu, asthma")]
    fills = [TWO if place in fits else ONE for place in range(len(MIXED))]
    k = min(fewest([codes.split(", ") for age, codes in MIXED if age == one], 2) for one in ("20–29", "60–69"))
    parts = table(PAD, 8, ("age", "diagnoses"), MIXED, fills, width=120)
    parts.append(text(290, 60, "somebody knows: 20–29, flu, asthma", fill=RISK))
    return (
        parts,
        176,
    ), f"The age and two diagnoses together leave {len(fits)} records of one class; no two leave fewer: k = {k}, m = 2."


def k_lm_diversity() -> tuple[Drawn, str]:
    secret = ("HIV", "", "", "HIV", "", "HIV")
    rows = [(*row, word) for row, word in zip(MIXED, secret, strict=True)]
    parts = table(PAD, 8, ("age", "diagnoses", "sensitive"), rows, (ONE, ONE, ONE, ONE, TWO, TWO), width=110)
    for first, last in ((0, 2), (2, 4), (4, 6)):
        said = f"{secret[first:last].count('HIV')} of {last - first}"
        parts.append(text(370, 8 + (first + 1.7) * ROW, said, fill=SAFE))
    return (
        parts,
        176,
    ), "Of the records that fit an age and two diagnoses, no more than one in l = 2 has the sensitive item."


BELOW = ("rest", "rest", "drops", "drops")


def stays(labels: Row = ()) -> list[str]:
    parts = [text(PAD, 18, "somebody knows: clinic A, rest, and that they belong together", fill=RISK)]
    for place, below in enumerate(BELOW):
        x = PAD + place * 152
        parts += tree(x, 30, "clinic A", ("flu", below), bold=("clinic A", "rest") if below == "rest" else ())
        parts += [text(x, 122, labels[place], fill=MUTED, size=11)] if labels else []
    return parts


def kmn_anonymity() -> tuple[Drawn, str]:
    k = fewest([("clinic A", "flu", below) for below in BELOW], 2)  # every value has one place, so pairs tell no more
    return (
        stays(),
        112,
    ), f"Any two values (m = 2) and the link between them (n = 1) are in at least {k} records: k = {k}."


def kmn_diversity() -> tuple[Drawn, str]:
    paid = ("card", "cash") * 2
    least = min(len({p for p, below in zip(paid, BELOW, strict=True) if below == one}) for one in set(BELOW))
    return (
        stays([f"paid: {one}" for one in paid]),
        130,
    ), f"Whatever fits, the records differ in what is sensitive: l = {least}."


# ---- losses ----------------------------------------------------------------------------------------------------------

CODES = ("flu", "cold", "ulcer", "colic", "burn", "cut")


def ncp() -> tuple[Drawn, str]:
    lost = Fraction(30 - 20, 120 - 0)
    parts = [text(PAD, 30, "23 is shown as 20–30", bold=True), *ruler(230, 26, 0, 120, 20, 30)]
    return (parts, 56), f"Width shown by width of the domain: (30 − 20) / (120 − 0) = {worth(lost)}."


def glm() -> tuple[Drawn, str]:
    covered = ("flu", "cold")
    lost = Fraction(len(covered) - 1, len(CODES) - 1)
    return (
        leaves(PAD, 10, CODES, covered, "lungs"),
        84,
    ), f"“lungs” stands for 2 of 6 values: (2 − 1) / (6 − 1) = {worth(lost)}."


def dm() -> tuple[Drawn, str]:
    sizes = (2, 2, 3)
    return (
        (squares(PAD, 12, sizes), 84),
        f"Each record counts as many as look like it: {sum(n * n for n in sizes)}, where {sum(sizes)} would be the least.",
    )


def entropy() -> tuple[Drawn, str]:
    counts = {"flu": 6, "cold": 2}
    parts = bars(PAD, 10, {name: Fraction(count, 8) for name, count in counts.items()}, SAFE)
    bits = {name: math.log2(8 / count) for name, count in counts.items()}
    return (parts, 64), "Shown as one label of 8 records: " + ", ".join(
        f"“{n}” hides log₂(8/{counts[n]}) = {b:.2f} bits" for n, b in bits.items()
    ) + "."


def ce() -> tuple[Drawn, str]:
    groups = (("flu", "flu", "ulcer"), ("ulcer", "ulcer"))
    parts: list[str] = []
    for place, group in enumerate(groups):
        usual = Counter(group).most_common(1)[0][0]
        parts += chips(PAD + place * 230, 12, [(label, ONE if label == usual else TWO) for label in group])
    wrong = sum(len(group) - max(Counter(group).values()) for group in groups)
    return (
        (parts, 40),
        f"Guess each class by its most frequent label: {wrong} of {sum(map(len, groups))} are wrong, {worth(Fraction(wrong, 5))}.",
    )


def il() -> tuple[Drawn, str]:
    lost = Fraction(27 - 21, 81 - 21)
    parts = [text(PAD, 30, "ages 21, 24, 27 in a class", bold=True), *ruler(230, 26, 21, 81, 21, 27)]
    return (
        parts,
        56,
    ), f"From the least to the largest of the class, by that of the data: (27 − 21) / (81 − 21) = {worth(lost)}."


def c_avg() -> tuple[Drawn, str]:
    sizes, k = (2, 3, 4), 2
    parts: list[str] = []
    x = float(PAD)
    for size in sizes:
        parts += [rect(x + i * 16, 14, 14, 14, TWO if i >= k else ONE, radius=2) for i in range(size)]
        x += size * 16 + 40
    records, classes = sum(sizes), len(sizes)
    found = worth(Fraction(records, classes * k))
    return (parts, 40), f"{records} records in {classes} classes, k = {k}: {records} / {classes} / {k} = {found}."


def are() -> tuple[Drawn, str]:
    true, share = 3, Fraction(5, 10)
    guess = 4 * share
    parts = [text(PAD, 30, "asked: ages 20 to 24", bold=True), *ruler(230, 26, 0, 100, 20, 30)]
    words = f"4 records show 20–29, half of which is asked: {guess} are guessed, {true} are true. "
    return (parts, 56), words + f"|{guess} − {true}| / {true} = {worth(abs(guess - true) / true)}."


def item_ncp() -> tuple[Drawn, str]:
    names = ("milk", "cheese", "bread", "tea", "soap")
    return (
        leaves(PAD, 10, names, names[:2], "dairy"),
        84,
    ), f"“dairy” may be 2 of 5 items: {worth(Fraction(2, len(names)))} for each that is shown so."


def ul() -> tuple[Drawn, str]:
    u, s = 2, 3
    lost = Fraction(2**u - 1, 2**s - 1)
    parts = chips(PAD, 12, [("(milk, cheese)", TWO), ("tea", ONE)])
    return (
        parts,
        40,
    ), f"The label may stand for 2² − 1 = {2**u - 1} sets, the record for 2³ − 1 = {2**s - 1}: {worth(lost)}."


def er() -> tuple[Drawn, str]:
    original, base = {"a", "b", "c", "d"}, {"a", "b", "c", "e"}
    parts = [text(PAD, 26, "original"), *chips(90, 12, [(i, ONE if i in base else TWO) for i in sorted(original)])]
    parts += [text(300, 26, "base"), *chips(350, 12, [(i, ONE if i in original else TWO) for i in sorted(base)])]
    differ = len(original ^ base)
    words = f"They differ in {differ} items, and the original has {len(original)}: {worth(Fraction(differ, len(original)))}; "
    return (parts, 40), words + "the mean over all it may be."


def _counted(true: int, guess: int, records: int) -> list[str]:
    parts = [rect(PAD + i * 16, 12, 14, 14, SAFE if i < true else ONE, radius=2) for i in range(records)]
    parts += [rect(PAD + i * 16, 34, 14, 14, RISK if i < guess else ONE, radius=2) for i in range(records)]
    return [
        *parts,
        text(PAD + records * 16 + 12, 24, f"true: {true}"),
        text(PAD + records * 16 + 12, 46, f"in the release: {guess}"),
    ]


def qe() -> tuple[Drawn, str]:
    true, guess, records = 6, 8, 20
    return (
        _counted(true, guess, records),
        60,
    ), f"How many hold these items? |{guess} − {true}| / {records} records = {worth(Fraction(guess - true, records))}."


def are_of_sets() -> tuple[Drawn, str]:
    true, guess = 6, 8
    return (
        _counted(true, guess, 20),
        60,
    ), f"The same in proportion to the count: |{guess} − {true}| / {true} = {worth(Fraction(guess - true, true))}."


def are_of_both() -> tuple[Drawn, str]:
    value, item = Fraction(1, 2), Fraction(1, 3)
    parts = chips(PAD, 12, [("20–29, asked 20–24: 1/2", ONE), ("(flu, cold, cough), asked flu: 1/3", TWO)])
    return (parts, 40), f"A record counts with the product of its shares: {value} · {item} = {worth(value * item)}."


def tree_loss() -> tuple[Drawn, str]:
    height, levels = 3, (0, 1, 0)
    nodes = Fraction(sum(levels), height * len(levels))
    links = Fraction(1, 2)
    parts = tree(PAD, 12, "clinic A", ("flu", "rest")) + arrow(220, 40)
    parts += tree(280, 12, "clinic A", ("lungs",), bold=("lungs",)) + chips(400, 60, [("rest", ONE)])
    words = f"½ · {nodes} (one of 3 values a level up, of 3) + ½ · {links} (one of 2 links gone) = {worth((nodes + links) / 2)}."
    return (parts, 90), words


def rpd() -> tuple[Drawn, str]:
    paths = [[12, 6], [12], [12, 6, 6]]
    parts: list[str] = []
    for place, path in enumerate(paths):
        parts += chips(PAD, 10 + place * ROW, [(f"{values} values", ONE) for values in path])
    parts += [
        text(330, 36, "the more values there are at a level,", fill=MUTED),
        text(330, 54, "and the deeper a leaf, the more it tells", fill=MUTED),
    ]
    return (
        parts,
        90,
    ), f"The paper's example, three leaves with the levels on their paths: {worth(reverse_path_domain(paths))}."


def rpd_a() -> tuple[Drawn, str]:
    parts = (
        tree(PAD, 12, "A", ("x",))
        + tree(130, 12, "A", ("y",))
        + arrow(250, 40)
        + tree(320, 12, "A: 2", ("x: 1", "y: 1"))
    )
    return (parts, 90), "All published records are laid upon each other, and nodes count by the records that have them."


def ml2() -> tuple[Drawn, str]:
    frequent, kept = ("A–flu", "A–cold", "A–rest", "B–flu"), ("A–flu", "B–flu")
    parts = chips(PAD, 12, [(one, ONE if one in kept else TWO) for one in frequent])
    lost = Fraction(len(frequent) - len(kept), len(frequent))
    return (
        parts,
        40,
    ), f"{len(kept)} of {len(frequent)} frequent subtrees are as frequent in the release: {worth(lost)} are lost."


def dml2() -> tuple[Drawn, str]:
    parts = (
        tree(PAD, 12, "clinic A", ("flu",)) + arrow(190, 40) + tree(250, 12, "clinic A", ("lungs",), bold=("lungs",))
    )
    lost = (Fraction(0 + 1, 2 * 3) + 0) / 2
    return (
        parts,
        90,
    ), f"How far a frequent subtree has changed: one of 2 values a level of 3 up, no link gone: {worth(lost)}."


Idea = Callable[[], tuple[Drawn, str]]
GUARANTEES: dict[str, Idea] = {
    "k-anonymity": k_anonymity,
    "l-diversity": l_diversity,
    "t-closeness": t_closeness,
    "k-matching": k_matching,
    "l-matching": l_matching,
    "km-anonymity": km_anonymity,
    "lm-diversity": lm_diversity,
    "k-km-anonymity": k_km_anonymity,
    "k-lm-diversity": k_lm_diversity,
    "kmn-anonymity": kmn_anonymity,
    "kmn-diversity": kmn_diversity,
}
LOSSES: dict[str, Idea] = {
    "ncp": ncp,
    "glm": glm,
    "dm": dm,
    "entropy": entropy,
    "ce": ce,
    "il": il,
    "c_avg": c_avg,
    "are": are,
    "item-ncp": item_ncp,
    "ul": ul,
    "er": er,
    "qe": qe,
    "are-of-item-sets": are_of_sets,
    "are-of-both": are_of_both,
    "tree-loss": tree_loss,
    "rpd": rpd,
    "rpd-a": rpd_a,
    "ml2": ml2,
    "dml2": dml2,
}
FOLDERS = {"guarantees": GUARANTEES, "losses": LOSSES}


def draw(name: str, idea: Idea, wide: float = WIDTH) -> str:
    """A card with the picture, and a sentence below it."""
    (parts, height), words = idea()
    lines = _wrapped(words, wide - 2 * PAD)
    high = height + 12 + 18 * len(lines)
    card = rect(0.5, 0.5, wide - 1, high - 1, CARD, stroke=RULE, radius=8)
    said = [text(PAD, height + 12 + 18 * place, one) for place, one in enumerate(lines)]
    return picture(wide, high, f"The idea of {name}", words, card, *parts, *said) + "\n"


def _wrapped(words: str, room: float) -> list[str]:
    lines = [""]
    for word in words.split():
        longer = f"{lines[-1]} {word}".strip()
        if text_width(longer, 12) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def main() -> None:
    for folder, ideas in FOLDERS.items():
        (PICTURES / folder).mkdir(exist_ok=True)
        for name, idea in ideas.items():
            (PICTURES / folder / f"{name}.svg").write_text(draw(name, idea), encoding="utf-8")


if __name__ == "__main__":
    main()
