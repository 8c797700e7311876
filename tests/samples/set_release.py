"""Made-up baskets, small, with an item that one person has alone."""

from __future__ import annotations

import random
from itertools import count

from shoal.release.recipe.recipe import Recipe

ITEMS = {"milk": 9, "butter": 6, "cheese": 5, "bread": 9, "rolls": 4, "soap": 3, "paste": 3, "beer": 2, "wine": 1}
TREE = """milk;dairy;food;*
butter;dairy;food;*
cheese;dairy;food;*
bread;bakery;food;*
rolls;bakery;food;*
soap;care;non-food;*
paste;care;non-food;*
beer;drinks;food;*
wine;drinks;food;*
absinthe;drinks;food;*
"""
KM = {"name": "km-anonymity", "k": 5, "m": 2}
PROMISES = {
    "apriori": [KM],
    "nonreciprocal": [{"name": "k-matching", "k": 5}],
    "ring": [{"name": "k-matching", "k": 5}],
    "cahd": [{"name": "l-matching", "l": 2, "column": "club"}],
}
_NAMES = count()


def baskets(records: int = 300, seed: int = 1) -> list[tuple[list[str], str]]:
    """One of them holds `absinthe`, and nobody else."""
    draw = random.Random(seed)
    made = []
    for _ in range(records):
        size = draw.choice([0, 1, 2, 3, 4])
        made.append((sorted(set(draw.choices(list(ITEMS), list(ITEMS.values()), k=size))), draw.choice("abcd")))
    made[7] = (sorted({*made[7][0], "absinthe"}), made[7][1])
    return made


def set_recipe(folder, method: str, output: str = "parquet") -> Recipe:
    """A recipe file with its data, in a folder that may hold others."""
    number = next(_NAMES)
    lines = ["items,club", *(f"{'|'.join(items)},{club}" for items, club in baskets())]
    (folder / "baskets.csv").write_text("\n".join(lines) + "\n")
    (folder / "tree.csv").write_text(TREE)
    hierarchy = ', hierarchy = "tree.csv"' if method == "apriori" else ""
    promises = "".join(
        "[[guarantee]]\n" + "".join(f"{key} = {value!r}\n".replace("'", '"') for key, value in one.items())
        for one in PROMISES[method]
    )
    mode = 'mode = "ring"\n' if method == "ring" else ""
    text = (
        f'[input]\npath = "baskets.csv"\nitems = "|"\n[output]\npath = "release{number}/baskets.{output}"\n'
        f'[columns]\nitems = {{ role = "quasi", kind = "set"{hierarchy} }}\nclub = {{ role = "sensitive" }}\n'
        f'{promises}[method]\nname = "{"nonreciprocal" if method == "ring" else method}"\n{mode}'
    )
    path = folder / f"{method}{number}.toml"
    path.write_text(text)
    return Recipe.load(path)
