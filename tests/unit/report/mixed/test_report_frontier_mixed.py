"""What is said and drawn of a frontier of single values against items."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import combinations

import pytest

from shoal.report.mixed.charts import frontier as draw
from shoal.report.mixed.frontier import DeltaFacts, DeltaPoint, ItemLoss, cells, heads, notes, point_words, table_html

SVG = "{http://www.w3.org/2000/svg}"


def point(delta: str, table: float, items: float, **more: object) -> DeltaPoint:
    return DeltaPoint(delta, "pass", 0.1, "", table, {"item-ncp": items, "ul": items / 2}, 9, 5, 50, **more)  # type: ignore[arg-type]


POINTS = (
    DeltaPoint("0.1", "none", 0.1, "Allow more."),
    point("0.2", 0.2, 0.7),
    point("0.4", 0.35, 0.75, dominated=True),
    point("0.65", 0.6, 0.3),
    point("0.7", 0.6, 0.3, same_as="0.65"),
    DeltaPoint("0.8", "fail", 0.1, "the verifier did not pass the release. k: 4", 0.7, {"item-ncp": 0.1, "ul": 0.2}, 3),
    point("1.0", 1.0, 0.0),
)


def facts(**changes: object) -> DeltaFacts:
    given: dict[str, object] = {
        "points": POINTS,
        "records": 3000,
        "method": "rum-bound",
        "bounds": "values",
        "promises": ("(5, 5^2)-anonymity",),
        "item_losses": (ItemLoss("item-ncp", "Item NCP"), ItemLoss("ul", "Utility loss (UL)")),
        "asked": "0.65",
    }
    return DeltaFacts(**{**given, **changes})  # type: ignore[arg-type]


def test_what_can_be_picked() -> None:
    made = facts()
    assert [one.delta for one in made.front] == ["0.2", "0.65", "1.0"]
    assert [one.line for one in made.front][1] == "delta = 0.65"
    assert [one.delta for one in made.passed] == ["0.2", "0.4", "0.65", "0.7", "1.0"]
    assert made.item_loss(POINTS[1]) == 0.7
    assert facts(item_losses=(ItemLoss("ul", "UL"), ItemLoss("item-ncp", "Item NCP"))).item_loss(POINTS[1]) == 0.35


def test_the_table() -> None:
    made = facts()
    rows = [cells(made, one) for one in made.points]
    assert heads(made)[:4] == ("line", "ncp", "item-ncp", "ul")
    assert all(len(row) == len(heads(made)) for row in rows)
    assert rows[1] == ("delta = 0.2", "0.2000", "0.7000", "0.3500", "9", "5", "50", "")
    assert [row[-1] for row in rows] == [
        "no release", "", "another is better", "the recipe", "as 0.65", "did NOT pass", ""
    ]  # fmt: skip
    assert rows[0][1:-1] == ("",) * 6
    told = notes(made)
    assert "3 releases" in told[2] and "`[method]`" in told[2]
    assert "the single values lose at most delta" in told[0]
    assert told[3] == "delta = 0.1: Allow more."
    assert any("did not pass" in one for one in told)
    assert notes(facts(points=POINTS[1:2]))[2] == "Put its line into `[method]` of the recipe."
    assert "2 more deltas" in notes(facts(left_out=2))[-1]
    assert "the items lose at most delta" in notes(facts(bounds="items"))[0]
    assert "no release to pick from" in notes(facts(points=POINTS[:1]))[2]
    html = table_html(made)
    assert html.count("<tr") == 8 and html.count("opacity") == 4 and "<code>delta = 0.65</code>" in html


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="must rise"):
        facts(points=POINTS[::-1])
    with pytest.raises(ValueError, match="measured"):
        facts(item_losses=())
    with pytest.raises(ValueError, match="reason"):
        DeltaPoint("0.1", "none", 0.1)
    with pytest.raises(ValueError, match="reason"):
        DeltaPoint("0.1", "pass", 0.1, "Allow more.")
    with pytest.raises(ValueError, match="between 0 and 1"):
        point("1.5", 0.1, 0.1)


@pytest.mark.parametrize("bounds", ["values", "items"])
def test_the_picture_tells_everything_to_those_who_point_at_it(bounds: str) -> None:
    root = ET.fromstring(draw(facts(bounds=bounds)))
    titles = [title.text or "" for title in root.iter(f"{SVG}title")]
    circles = list(root.iter(f"{SVG}circle"))
    assert len(circles) == 5  # what did not pass is not drawn
    assert sum("verified" in title and title.startswith("delta = ") for title in titles) == 5
    assert point_words(facts(), POINTS[2]).endswith("and less on one")
    words = [text.text or "" for text in root.iter(f"{SVG}text")]
    assert {"0.2", "0.4", "0.65, 0.7", "1.0"} <= set(words)
    assert "recipe: delta = 0.65" in words
    assert any("no release for delta = 0.1" in one for one in words)
    pale = [one for one in circles if "delta = 0.4" in "".join(one.itertext())]
    assert pale[0].get("fill") != next(one for one in circles if "delta = 0.2:" in "".join(one.itertext())).get("fill")
    assert (root.findtext(f"{SVG}desc") or "").startswith("delta 0.1: no release; delta 0.2: 20")


@pytest.mark.parametrize(
    "points",
    [
        (),
        POINTS[:1],
        POINTS[1:2],
        (point("0.5", 0.0, 0.0),),
        tuple(point(f"0.{i:02}", 0.5, 0.5, same_as=None if i == 1 else "0.01") for i in range(1, 30)),
        tuple(point(f"0.{i:02}", 0.5 + i / 1e5, 0.5 - i / 1e5) for i in range(1, 30)),
    ],
)
def test_the_picture_of_any_frontier(points: tuple[DeltaPoint, ...]) -> None:
    for bounds, asked in (("values", "0.0"), ("items", "1.0"), ("values", "0.65")):
        svg = draw(facts(points=points, bounds=bounds, asked=asked))
        assert "nan" not in svg.lower()
        ET.fromstring(svg)


def test_labels_do_not_cover_each_other() -> None:
    near = tuple(point(f"0.{i:02}", 0.5 + i / 300, 0.5 - i / 300) for i in range(1, 20))
    root = ET.fromstring(draw(facts(points=near)))
    deltas = {one.delta for one in near}
    placed = [(float(one.get("x", 0)), float(one.get("y", 0))) for one in root.iter(f"{SVG}text") if one.text in deltas]
    assert len(placed) > 5
    assert all(abs(a[0] - b[0]) > 15 or abs(a[1] - b[1]) > 10 for a, b in combinations(placed, 2))
