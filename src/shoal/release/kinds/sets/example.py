"""Made-up baskets of a grocery: sets of items, a hierarchy of products, and a recipe. The same bytes every time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.release.kinds.example import Example, csv_text

if TYPE_CHECKING:
    import random

BASKETS = 2000
HEADER = ["card", "items", "paid"]
_PAID = {"card": 60, "cash": 30, "phone": 10}
_SHELVES = {
    "bread": ("food", {"rye bread": 30, "white bread": 40, "rolls": 35, "pretzels": 8}),
    "dairy": ("food", {"milk": 55, "butter": 30, "yoghurt": 25, "oat milk": 12, "goat cheese": 6}),
    "fruit": ("food", {"apples": 35, "bananas": 38, "oranges": 20, "figs": 5}),
    "vegetables": ("food", {"potatoes": 28, "tomatoes": 33, "onions": 30, "fennel": 5, "okra": 3}),
    "sweets": ("food", {"chocolate": 25, "biscuits": 22, "liquorice": 6, "sugar-free sweets": 5}),
    "soft drinks": ("drinks", {"water": 35, "juice": 22, "lemonade": 18}),
    "hot drinks": ("drinks", {"coffee": 26, "green tea": 9, "herbal tea": 8}),
    "alcohol": ("drinks", {"beer": 22, "wine": 16, "rum": 3, "alcohol-free beer": 6}),
    "cleaning": ("household", {"soap": 14, "dishwashing liquid": 12, "bleach": 4}),
    "baby": ("household", {"nappies": 7, "baby food": 6, "baby formula": 4}),
    "health": ("household", {"plasters": 5, "vitamins": 7, "pregnancy test": 2, "insulin needles": 1}),
    "pets": ("household", {"cat food": 9, "dog food": 8, "bird seed": 2}),
}

RECIPE = """# Made-up baskets. `shoal run recipe.toml` publishes them so that whoever knows two products that someone bought
# finds at least 5 baskets that fit. Rare products are shown as their shelf or department.
shoal = 1

[input]
path = "baskets.csv"
items = "|"  # stands between the items of a basket

[output]
path = "release/baskets.csv"

[columns]
card  = { role = "identifying", reason = "names a person" }
items = { role = "quasi", kind = "set", hierarchy = "products.csv" }
paid  = { role = "plain", reason = "says nothing that others could know" }

[[guarantee]]
name = "km-anonymity"
k = 5
m = 2

# Without a hierarchy, and against somebody who knows the whole basket:
# [[guarantee]]
# name = "k-matching"
# k = 5

[context]
access = "restricted"
recipients = "market researchers"
purpose = "what is bought together"
"""


def hierarchy() -> str:
    """Product; shelf; department; *"""
    rows = [
        f"{product};{shelf};{department};*\n"
        for shelf, (department, products) in _SHELVES.items()
        for product in products
    ]
    return "".join(rows)


def baskets(chance: random.Random) -> list[list[str]]:
    """Rows as in `HEADER`."""
    weights = {product: weight for _, products in _SHELVES.values() for product, weight in products.items()}
    rows = []
    for number in range(BASKETS):
        size = min(12, 1 + int(chance.expovariate(0.3)))
        bought = sorted(set(chance.choices(list(weights), list(weights.values()), k=size)))
        paid = chance.choices(list(_PAID), list(_PAID.values()))[0]
        rows.append([f"C{100_000 + number * 37 % 99_991}", "|".join(bought), paid])
    return rows


def _files(chance: random.Random) -> dict[str, str]:
    return {"baskets.csv": csv_text(HEADER, baskets(chance)), "products.csv": hierarchy(), "recipe.toml": RECIPE}


EXAMPLE = Example("baskets", _files)
