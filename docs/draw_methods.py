"""Draws the idea of every method: `python docs/draw_methods.py` writes docs/pictures/methods, one picture for each page.

Here the methods of tables; those of item sets, mixed tables and nested records are in draw_methods_of_sets.py. As in draw_ideas.py
a picture is a handful of made-up records, and what it says in figures is worked out from what is drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product

from draw_ideas import AGES, ONE, PICTURES, TWO, Drawn, Idea, chips, draw

from shoal.report.charts.svg import INK, MUTED, RISK, RULE, SAFE, circle, line, polyline, rect, text

WIDE = 440  # narrow, so that it can be read on a phone
Point = tuple[int, int]
Box = tuple[int, int, int, int]  # left, top, right, bottom

# age and postcode of fourteen people, as places in a plane of 200 by 130
PEOPLE: tuple[Point, ...] = (
    (12, 20), (26, 34), (18, 58), (40, 18), (48, 50), (30, 96), (44, 112),
    (96, 24), (106, 40), (132, 84), (144, 106), (166, 30), (176, 46), (184, 92),
)  # fmt: skip
LEFT, TOP, HIGH = 20, 24, 130


def dots(shades: Sequence[str] = ()) -> list[str]:
    return [circle(LEFT + x, TOP + y, 4, shades[place] if shades else INK) for place, (x, y) in enumerate(PEOPLE)]


def around(points: Sequence[Point], fill: str) -> str:
    """The box of a class."""
    xs, ys = zip(*points, strict=True)
    return rect(LEFT + min(xs) - 6, TOP + min(ys) - 6, max(xs) - min(xs) + 12, max(ys) - min(ys) + 12, fill, radius=5)


def axes() -> list[str]:
    return [
        line(LEFT - 6, TOP + HIGH, LEFT + 204, TOP + HIGH),
        line(LEFT - 6, TOP - 2, LEFT - 6, TOP + HIGH),
        text(LEFT + 204, TOP + HIGH + 14, "age", fill=MUTED, size=11, anchor="end"),
        text(LEFT, TOP - 8, "postcode", fill=MUTED, size=11),
    ]


def notes(*lines: str, x: float = 254) -> list[str]:
    return [text(x, 40 + 20 * place, words, fill=MUTED) for place, words in enumerate(lines)]


# ---- classes with values of their own --------------------------------------------------------------------------------


def cut_up(points: Sequence[Point], k: int) -> list[list[Point]]:
    """In two at the median of the wider side, as long as both parts have k."""
    for axis in sorted((0, 1), key=lambda a: min(p[a] for p in points) - max(p[a] for p in points)):
        ordered = sorted(points, key=lambda p: p[axis])
        half = len(ordered) // 2
        if half >= k and ordered[half - 1][axis] < ordered[half][axis]:
            return cut_up(ordered[:half], k) + cut_up(ordered[half:], k)
    return [list(points)]


def mondrian() -> tuple[Drawn, str]:
    k = 3
    classes = cut_up(PEOPLE, k)
    parts = [around(one, (ONE, TWO)[place % 2]) for place, one in enumerate(classes)]
    parts += axes() + dots() + notes("cut in two, again and again,", "as long as both sides", f"have k = {k} people")
    sizes = sorted(map(len, classes))
    words = f"{len(PEOPLE)} people in {len(classes)} classes of {sizes[0]} to {sizes[-1]}; each shows the edges of its own box."
    return (parts, 176), words


def gathered(k: int) -> list[list[Point]]:
    """The first that is left, and the k − 1 nearest to it; fewer than k at the end go to the last class."""
    left, classes = list(PEOPLE), []
    while len(left) >= k:
        seed = left[0]
        near = sorted(left, key=lambda p: abs(p[0] - seed[0]) + abs(p[1] - seed[1]))[:k]
        classes.append(near)
        left = [p for p in left if p not in near]
    classes[-1] += left
    return classes


def cluster() -> tuple[Drawn, str]:
    k = 3
    classes = gathered(k)
    seed = classes[0][0]
    parts = [around(classes[0], TWO), *axes(), *dots()]
    parts += [line(LEFT + seed[0], TOP + seed[1], LEFT + x, TOP + y, RISK, width=2) for x, y in classes[0][1:]]
    parts.append(circle(LEFT + seed[0], TOP + seed[1], 6, RISK))
    parts += notes("one is drawn (red),", f"the k − 1 = {k - 1} most similar", "join it; then the next")
    return (
        (parts, 176),
        f"So on until fewer than k are left: {len(classes)} classes of {len(PEOPLE)} people. Who is left joins the nearest.",
    )


def spanning() -> list[tuple[int, int, int]]:
    """Length and ends of the edges that tie all together for the least."""
    tied, edges = {0}, []
    while len(tied) < len(PEOPLE):
        length, a, b = min(
            (abs(PEOPLE[a][0] - PEOPLE[b][0]) + abs(PEOPLE[a][1] - PEOPLE[b][1]), a, b)
            for a in tied
            for b in range(len(PEOPLE))
            if b not in tied
        )
        tied.add(b)
        edges.append((length, a, b))
    return edges


def mstk() -> tuple[Drawn, str]:
    edges = spanning()
    mean = sum(length for length, _, _ in edges) / len(edges)
    spread = (sum((length - mean) ** 2 for length, _, _ in edges) / (len(edges) - 1)) ** 0.5
    far = [edge for edge in edges if edge[0] > mean + spread]
    parts = axes()
    for edge in edges:
        (x1, y1), (x2, y2) = PEOPLE[edge[1]], PEOPLE[edge[2]]
        cut = edge in far
        parts.append(line(LEFT + x1, TOP + y1, LEFT + x2, TOP + y2, RISK if cut else SAFE, width=2, dashed=cut))
    parts += dots() + notes("the shortest tree that", "ties all together, cut where", "people are far apart (red)")
    words = f"Of {len(edges)} edges {len(far)} are longer than the mean plus the deviation. What is too small then is merged again."
    return (parts, 176), words


def blocks() -> tuple[Drawn, str]:
    made = cut_up(PEOPLE, 3)
    parts = [around(one, (ONE, TWO)[place % 2]) for place, one in enumerate(made)]
    parts += (
        axes() + dots() + notes("each block is worked on", "by itself, several at a time;", "no class crosses a border")
    )
    return (
        parts,
        176,
    ), f"{len(made)} blocks. A cut is made only if both sides keep every promise, so each block can do it alone."


# ---- one level for each column ---------------------------------------------------------------------------------------

Node = tuple[int, int]
NODES: tuple[Node, ...] = tuple(product(range(3), range(3)))


def shown(node: Node) -> list[tuple[str, str]]:
    """The six people of the guarantees, at a level of age and a level of postcode."""
    ages = (lambda a: a, lambda a: f"{a[0]}0s", lambda a: "*")
    codes = (lambda c: c, lambda c: f"{c[:3]}*", lambda c: "*")
    return [(ages[node[0]](age), codes[node[1]](code)) for age, code in AGES]


def smallest(node: Node) -> int:
    return min(Counter(shown(node)).values())


def lost(node: Node) -> int:
    """In quarters: a level of two counts as half a column."""
    return sum(node)


def at(node: Node, x: float = 126) -> tuple[float, float]:
    return x + (node[0] - node[1]) * 46, 146 - sum(node) * 32


def lattice(fills: dict[Node, str], ring: Sequence[Node] = (), x: float = 126) -> list[str]:
    parts = []
    for node in NODES:
        for up in ((node[0] + 1, node[1]), (node[0], node[1] + 1)):
            if up in NODES:
                (x1, y1), (x2, y2) = at(node, x), at(up, x)
                parts.append(line(x1, y1, x2, y2, RULE))
    for node in NODES:
        cx, cy = at(node, x)
        parts.append(
            rect(cx - 17, cy - 10, 34, 20, fills.get(node, TWO), stroke=INK if node in ring else "none", radius=5)
        )
        parts.append(text(cx, cy + 4, f"{node[0]}, {node[1]}", anchor="middle", size=11))
    return parts


def best(k: int) -> Node:
    return min((node for node in NODES if smallest(node) >= k), key=lambda node: (lost(node), node))


def optimal() -> tuple[Drawn, str]:
    k = 3
    fits = {node: ONE for node in NODES if smallest(node) >= k}
    parts = lattice(fits, [best(k)]) + notes(
        "levels of age, postcode;", f"blue: k = {k} is kept,", "framed: with the least loss"
    )
    words = f"{len(fits)} of {len(NODES)} combinations keep the promise. "
    words += f"Published is {best(k)[0]}, {best(k)[1]}: {shown(best(k))[0][0]} and {shown(best(k))[0][1]}."
    return (parts, 166), words


def alone(axis: int, level: int) -> int:
    """The smallest class when the other column is left out."""
    return smallest((level, 2) if axis == 0 else (2, level))


def incognito() -> tuple[Drawn, str]:
    k = 3
    parts: list[str] = []
    kept = [[level for level in range(3) if alone(axis, level) >= k] for axis in (0, 1)]
    for axis, name in enumerate(("age", "postcode")):
        parts.append(text(20 + axis * 70, 20, name, fill=MUTED, size=11))
        for level in range(3):
            y = 132 - level * 40
            parts += chips(20 + axis * 70, y, [(str(level), ONE if level in kept[axis] else TWO)])
    tried = [node for node in NODES if node[0] in kept[0] and node[1] in kept[1]]
    fits = {node: ONE for node in tried if smallest(node) >= k}
    parts += [line(150, 84, 182, 84, MUTED), line(182, 84, 176, 79, MUTED), line(182, 84, 176, 89, MUTED)]
    parts += lattice({node: fits.get(node, RULE) for node in tried}, x=312)
    words = "Single columns first: a level that fails alone (red) fails with every other. "
    words += f"Of {len(NODES)} pairs {len(tried)} are left to look at."
    return (parts, 166), words


def frontier() -> tuple[Drawn, str]:
    points = sorted({(smallest(node), lost(node)) for node in NODES})
    front = [p for p in points if not any(q != p and q[0] >= p[0] and q[1] <= p[1] for q in points)]

    def place(point: Point) -> tuple[float, float]:
        return 40 + point[0] * 30, 140 - point[1] * 26

    parts = [line(40, 146, 240, 146), line(40, 20, 40, 146), polyline([place(p) for p in front], SAFE)]
    parts += [circle(*place(p), 5, SAFE if p in front else RULE) for p in points]
    parts += [text(240, 160, "k", fill=MUTED, size=11, anchor="end"), text(46, 26, "loss", fill=MUTED, size=11)]
    parts += notes("blue: no other choice of", "levels has as large a k", "for less loss", x=260)
    return (parts, 166), f"{len(front)} points remain of {len(NODES)} combinations; ties count as one."


def poka() -> tuple[Drawn, str]:
    base, depth = (2, 2), 2
    down = [node for node in NODES if sum(base) - sum(node) == depth]
    found = [n for n in NODES if smallest(n) < smallest(base) and lost(n) < lost(base) and sum(n) >= sum(base) - depth]
    following = min(found, key=lambda n: (-smallest(n), lost(n), n))
    parts = lattice({base: RULE, **dict.fromkeys(down, ONE)}, [following])
    parts += notes(
        f"from the top {depth} steps down", "(blue), and up again while", "k and loss stay below", "those of the top"
    )
    words = f"Of what is met, the one with the largest k, then the least loss, comes next: {following[0]}, "
    words += f"{following[1]} (framed). It misses some of the best."
    return (parts, 166), words


def auto() -> tuple[Drawn, str]:
    steps = (
        ("optimal", "one level a column"),
        ("peel", "from cheap to dear"),
        ("mondrian", "cut in two"),
        ("cluster, mstk", "the most similar"),
    )
    parts: list[str] = []
    for place, (name, does) in enumerate(steps):
        y = 12 + place * 34
        parts += [*chips(20, y, [(name, ONE)]), text(124, y + 14, does, fill=MUTED, size=11)]
        parts.append(line(240, y + 10, 286, 78, RULE, width=1.5))
    parts += chips(290, 68, [("local search", TWO)])
    parts += [
        text(290, 108, "improves the best", fill=MUTED, size=11),
        text(290, 124, "until the time is up", fill=MUTED, size=11),
    ]
    return (
        parts,
        152,
    ), "Several methods, one after the other; what loses least by the recipe's own loss is verified and published."


TABLES: dict[str, Idea] = {
    "auto": auto,
    "blocks": blocks,
    "cluster": cluster,
    "frontier": frontier,
    "incognito": incognito,
    "mondrian": mondrian,
    "mstk": mstk,
    "optimal": optimal,
    "poka": poka,
}


def main() -> None:
    from draw_methods_of_sets import OTHERS

    (PICTURES / "methods").mkdir(exist_ok=True)
    for name, idea in {**TABLES, **OTHERS}.items():
        (PICTURES / "methods" / f"{name}.svg").write_text(draw(name, idea, WIDE), encoding="utf-8")


if __name__ == "__main__":
    main()
