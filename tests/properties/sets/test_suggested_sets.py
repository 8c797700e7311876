"""`shoal init` on cells with marks in them: names are never sets, whatever people are called; sets of items are."""

from __future__ import annotations

import random
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data.schema import Role
from shoal.release.kinds.sets.suggest import with_items
from shoal.release.suggest.roles import suggest
from shoal.release.suggest.summary import ColumnSummary

SCRIPTS = [
    "abcdefghijklmnopqrstuvwxyzäöüßéèñøłç",
    "абвгдежзиклмнопрстуф",
    "αβγδεζηθικλμνξοπρστ",
    "अआइईउएकखगचजटडतदनपबमयरलवशसह",
    "東京山田太郎花子鈴木",
]
PRODUCTS = (
    *("bread", "milk", "butter", "eggs", "rice", "beer", "wine", "tea", "coffee", "sugar"),
    *("salt", "flour", "apples", "pears", "plums", "cheese", "ham", "honey", "jam", "soap"),
)


def _word(chance: random.Random, script: str, shape: str) -> str:
    word = "".join(chance.choices(script, k=chance.randint(2, 9)))
    word = {"Title": word.title(), "UPPER": word.upper(), "lower": word}[shape]
    return f"{word}-{word[:3]}" if chance.random() < 0.1 else word


@st.composite
def names(draw):
    """Cells "Last, First": long lists and short ones, the same for both names, titles, missing first names, all ways to write."""
    chance = random.Random(draw(st.integers(0, 2**32)))
    script, shape = draw(st.sampled_from(SCRIPTS)), draw(st.sampled_from(["Title", "UPPER", "lower"]))
    family = [_word(chance, script, shape) for _ in range(draw(st.integers(1, 40)))]
    given_names = (
        family if draw(st.booleans()) else [_word(chance, script, shape) for _ in range(draw(st.integers(1, 40)))]
    )
    between = draw(st.sampled_from([", ", ",", " , "]))
    untold, titles, second = (draw(st.sampled_from([0.0, 0.1, 0.3])) for _ in range(3))
    cells = []
    for _ in range(draw(st.integers(10, 300))):
        first = chance.choice(given_names)
        first += f" {chance.choice(given_names)}" if chance.random() < second else ""
        cell = chance.choice(family) + ("" if chance.random() < untold else between + first)
        cells.append(cell + (f"{between}Dr." if chance.random() < titles else ""))
    return cells


@st.composite
def item_sets(draw):
    chance = random.Random(draw(st.integers(0, 2**32)))
    codes = [f"{letter}{number:02}" for letter in "ABCDE" for number in range(30)]
    vocabulary = chance.sample(draw(st.sampled_from([codes, PRODUCTS])), draw(st.integers(4, 20)))
    weights = [1 / (1 + draw(st.sampled_from([0, 1])) * rank) for rank in range(len(vocabulary))]
    most, in_order, mark = draw(st.integers(3, 4)), draw(st.booleans()), draw(st.sampled_from(",|"))
    cells = []
    for _ in range(draw(st.integers(80, 300))):
        held = list(dict.fromkeys(chance.choices(vocabulary, weights, k=chance.randint(1, most))))
        cells.append(mark.join(sorted(held) if in_order else held))
    return cells, mark


def _suggested(cells: list[str]):
    counts = Counter(cells)
    return suggest([with_items(ColumnSummary.of_counts("F1", "text", counts), counts, ";")])[0]


@settings(max_examples=150, deadline=None)
@given(names())
def test_names_are_never_a_set(cells):
    found = _suggested(cells)
    assert found.kind == "scalar" and found.mark is None, found.reason


@settings(max_examples=100, deadline=None)
@given(item_sets())
def test_items_from_a_small_list_are_a_set(case):
    cells, mark = case
    found = _suggested(cells)
    assert (found.role, found.kind, found.mark) == (Role.QUASI, "set", mark), found.reason
