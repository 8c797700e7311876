"""Losses by hand, on recodings of every kind; their agreement with the definitions is in tests/properties/tables/test_losses.py."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from shoal.data.frequency import FrequencySet, SensitiveCounts
from shoal.errors import InternalError, RecipeError
from shoal.hierarchies.build import build
from shoal.loss import FIGURES, LOSSES, loss_from
from shoal.loss.loss import node_prices
from shoal.loss.tables.are import ARE, Query, Workload
from shoal.loss.tables.c_avg import CAvg
from shoal.loss.tables.ce import CE
from shoal.loss.tables.dm import DM
from shoal.loss.tables.entropy import Entropy
from shoal.loss.tables.glm import GLM
from shoal.loss.tables.il import IL
from shoal.loss.tables.ncp import NCP
from shoal.recoding.tables.groups import GroupRecoding
from shoal.recoding.tables.recoded import HIDDEN, ShownValues

ONE = (Fraction(1),)
AGES = build({"intervals": [5, 10], "from": 20, "to": 40}, ["21", "24", "33", "61", None])
TOWNS = build({"groups": {"north": ["A", "B"], "south": ["C", "D"]}}, ["A", "B", "C", "D"])


def shown(tree, *sets):
    """Value sets, each labelled by its members."""
    leaves = [sorted(tree.code(label) for label in one) for one in sets]
    labels = tuple("|".join(map(str, one)) for one in sets)
    return ShownValues(labels, np.cumsum([0, *map(len, leaves)]), np.concatenate(leaves).astype(np.int32))


def recoding(tree, raw, groups, *sets):
    """raw: one value per record; groups: the number of the set each shows, or HIDDEN."""
    codes = np.array([[tree.code(label)] for label in raw], np.int32)
    values = np.arange(len(sets), dtype=np.int32)[:, None]
    ones = np.ones(len(raw), np.int64)
    return GroupRecoding.of_values(
        ("x",), (tree,), codes, ones, np.array(groups, np.int32), values, (shown(tree, *sets),)
    )


# ---- values that are no labels of the hierarchy ----------------------------------------------------------------------


def costs(loss, tree, *sets):
    ones = np.ones(tree.leaf_count, np.int64)
    full = loss.full_cost(tree, ones)
    return [Fraction(int(cost), full) for cost in loss.value_costs(tree, ones, shown(tree, *sets))]


def test_a_set_of_numbers_is_as_wide_as_its_ends_are_apart():
    assert costs(NCP(), AGES, ["21"], ["21", "22"], ["21", "24"], ["20", "39"]) == [
        0,
        Fraction(1, 19),  # 001-10: two values are a width, not a leaf
        Fraction(3, 19),
        1,
    ]


def test_a_label_says_its_range_itself():
    """`20-24` is four years wide whoever is in it, and as wide when the same values are shown under another label."""
    node = ShownValues.of_nodes(AGES, [AGES.node("20-24")])
    assert NCP().value_costs(AGES, np.ones(22), node) / NCP().full_cost(AGES, np.ones(22)) == pytest.approx(4 / 19)
    coarse = build(
        {"intervals": [10], "from": 0, "to": 30, "decimals": True}, ["1.5", "2.5"]
    )  # only what occurs is a leaf
    group, low = coarse.node("[0, 10["), coarse.code("1.5")
    wide = NCP().value_costs(coarse, np.ones(2), ShownValues.of_nodes(coarse, [group, low]))
    assert [Fraction(int(w), NCP().full_cost(coarse, np.ones(2))) for w in wide] == [Fraction(1, 3), 0]
    assert costs(NCP(), coarse, ["1.5", "2.5"]) == [Fraction(1, 30)]


def test_what_has_no_place_among_the_numbers_counts_by_its_share():
    leaves = AGES.leaf_count  # 20 … 39, 61 and the missing value
    assert leaves == 22
    assert costs(NCP(), AGES, [None], ["61"], ["61", None]) == [0, 0, Fraction(2, 22)]
    # but a range does not get narrower by holding a missing value as well
    assert costs(NCP(), AGES, ["20", "39", None], ["20", "21", None]) == [1, Fraction(3, 22)]


def test_sets_of_categories():
    assert costs(NCP(), TOWNS, ["A"], ["A", "C"], ["A", "C", "D"]) == [0, Fraction(1, 2), Fraction(3, 4)]
    assert costs(GLM(), TOWNS, ["A"], ["A", "C"], ["A", "C", "D"]) == [0, Fraction(1, 3), Fraction(2, 3)]


def test_entropy_counts_the_records_that_could_be_meant():
    recoded = recoding(TOWNS, "AAABCD", [0, 0, 0, 0, 1, 1], "AB", "CD").recoded
    hidden = 4 * np.log2(4) - 3 * np.log2(3) + 2 * np.log2(2)
    most = 6 * np.log2(6) - 3 * np.log2(3)
    assert float(Entropy().of(recoded, ONE)) == pytest.approx(hidden / most, abs=1e-5)


# ---- whole recodings -------------------------------------------------------------------------------------------------


def test_a_suppressed_record_is_fully_lost():
    recoded = recoding(TOWNS, "AABCD", [0, 0, 0, HIDDEN, HIDDEN], "AB").recoded
    assert GLM().of(recoded, ONE) == Fraction(3 * Fraction(1, 3) + 2, 5)
    assert NCP().of(recoded, ONE) == Fraction(3 * Fraction(1, 2) + 2, 5)
    assert DM().of(recoded, ONE) == 3 * 3 + 2 * 5
    assert IL().of(recoded, ONE) == Fraction(3 * Fraction(1, 4) + 2, 5)
    assert CAvg(2).of(recoded, ONE) == Fraction(3, 2)


def test_when_nothing_is_published():
    recoded = recoding(TOWNS, "AB", [HIDDEN, HIDDEN], "AB").recoded
    assert [loss.of(recoded, ONE) for loss in (GLM(), NCP(), Entropy(), IL())] == [1, 1, 1, 1]
    assert DM().of(recoded, ONE) == 4
    assert CAvg(2).of(recoded, ONE) == 0


def test_il_of_numbers_is_the_range_of_the_class_over_that_of_the_data():
    recoded = recoding(AGES, ["21", "24", "33", "61"], [0, 0, 1, 1], ["21", "22", "23", "24"], ["33", "61"]).recoded
    assert IL().of(recoded, ONE) == Fraction(2 * Fraction(3, 40) + 2 * Fraction(28, 40), 4)


def test_il_of_a_class_with_missing_values():
    """Beside a number a missing value leaves nothing of the range; alone it loses nothing."""
    recoded = recoding(AGES, ["21", None, "33", None], [0, 0, 1, 2], ["21", None], ["33"], [None]).recoded
    assert IL().of(recoded, ONE) == Fraction(2, 4)
    same = recoding(AGES, ["21", "21"], [0, 0], ["21", "22"]).recoded  # the data has no range
    assert IL().of(same, ONE) == 0


def test_c_avg_refuses_a_k_that_is_none():
    with pytest.raises(ValueError, match="at least 1"):
        CAvg(0)


def test_prices_for_searches():
    """A step in price is a step in loss, a hidden record pays all of it, and a set is priced by its cost."""
    marginal = np.array([3, 1, 1, 1], np.int64)
    prices = node_prices(GLM(), [TOWNS], [marginal], ONE, 6)
    assert prices.prices[0][TOWNS.node("north")] * 6 == pytest.approx(1 / 3)
    assert prices.hidden * 6 == pytest.approx(1)
    assert prices.constant == 0
    assert prices.unit[0] * 2 * 6 == pytest.approx(2 / 3)


# ---- classification error --------------------------------------------------------------------------------------------


def labelled(groups, labels):
    """Records with towns A, B, C, D and labels, one tuple each."""
    towns = "ABCD"[: len(labels)]
    codes = np.array([[TOWNS.code(town)] for town in towns], np.int32)
    label = SensitiveCounts(
        np.arange(len(labels)), np.array(labels, np.int32), np.ones(len(labels), np.int64), max(labels) + 1
    )
    frequency = FrequencySet(("x",), codes[::-1], np.ones(len(labels), np.int64), {"label": label})
    return recoding(TOWNS, towns, groups, *(["ABCD"] * (max(groups) + 1))), frequency


def test_ce_counts_who_is_not_like_most():
    grouping, frequency = labelled([0, 0, 0, HIDDEN], [1, 0, 1, 1])  # of D, C, B, A: C differs, and D is hidden
    assert CE("label").of(grouping.over(frequency), ONE) == Fraction(2, 4)


def test_ce_is_not_known_when_a_tuple_lies_in_several_classes():
    grouping = recoding(TOWNS, "AAB", [0, 1, 1], "AB", "ABC")
    label = SensitiveCounts(np.array([0, 0, 1]), np.array([0, 1, 1], np.int32), np.ones(3, np.int64), 2)
    codes = np.array([[TOWNS.code("A")], [TOWNS.code("B")]], np.int32)
    recoded = grouping.over(FrequencySet(("x",), codes, np.array([2, 1]), {"label": label}))
    assert not recoded.sensitive
    with pytest.raises(InternalError, match="'label'"):
        CE("label").of(recoded, ONE)


def test_ce_needs_a_column():
    grouping, frequency = labelled([0, 0], [0, 1])
    with pytest.raises(InternalError, match="without a column"):
        loss_from("ce").of(grouping.over(frequency), ONE)
    assert loss_from("ce", "label").of(grouping.over(frequency), ONE) == Fraction(1, 2)


# ---- query error -----------------------------------------------------------------------------------------------------


def test_a_query_is_answered_as_if_values_were_spread_evenly():
    recoded = recoding(TOWNS, "AAAB", [0, 0, 0, 0], "AB").recoded
    asked = Query({0: np.array([True, False, False, False])})
    assert (asked.true_count(recoded), asked.estimate(recoded)) == (3, 2.0)
    assert ARE(Workload((asked,))).of(recoded, ONE) == pytest.approx(1 / 3)
    nobody = Query({0: np.array([False, False, True, False])})
    assert ARE(Workload((nobody,))).of(recoded, ONE) == 0


def test_small_counts_do_not_decide_the_query_error():
    """Of 10,000 records a query that finds 1 is measured against 10."""
    recoded = recoding(TOWNS, "A" * 9999 + "B", [0] * 10_000, "AB").recoded
    asked = Query({0: np.array([False, True, False, False])})
    assert ARE(Workload((asked,))).of(recoded, ONE) == pytest.approx(4999 / 10)


def test_raw_data_answers_every_query():
    recoded = recoding(TOWNS, "ABCD" * 5, [0, 1, 2, 3] * 5, "A", "B", "C", "D").recoded
    assert ARE(Workload.random(recoded)).of(recoded, ONE) == 0


@pytest.mark.parametrize(("queries", "predicates", "share"), [(0, 1, "0.1"), (1, 0, "0.1"), (1, 1, "0"), (1, 1, "1.1")])
def test_a_workload_that_asks_nothing_is_refused(queries, predicates, share):
    recoded = recoding(TOWNS, "AB", [0, 0], "AB").recoded
    with pytest.raises(ValueError, match="at least 1 query"):
        Workload.random(recoded, queries, predicates, 0, Fraction(share))
    with pytest.raises(ValueError, match="at least one query"):
        Workload(())


# ---- the lists -------------------------------------------------------------------------------------------------------


def test_which_losses_there_are():
    assert list(LOSSES) == ["ncp", "glm", "dm", "entropy", "ce"]
    assert list(FIGURES) == ["il", "c_avg", "are"]
    for loss in (*LOSSES.values(), *FIGURES.values()):
        assert loss.title
        assert loss.plain
        assert "suppressed record" in loss.formula
    with pytest.raises(RecipeError, match="Did you mean 'glm'"):
        loss_from("gln")
