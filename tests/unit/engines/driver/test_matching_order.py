"""What the classes of a matching show, in an order of texts; and the certificate, against plain Python."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.data.itemsets import ItemSets, in_order
from shoal.engines.driver.matching import Shown, certificate, parts_of
from shoal.recoding.sets.matching import MatchingRecoding, Members

ITEMS = ["1", "2", "10", "11", "é"]
WORDS = in_order(ITEMS)
SETS = st.sets(st.integers(0, 4))


@st.composite
def matchings(draw: st.DrawFn) -> MatchingRecoding:
    sets, classes = draw(st.lists(SETS, min_size=1, max_size=5)), draw(st.integers(1, 4))
    pairs = {(s, draw(st.integers(0, classes - 1))) for s in range(len(sets))}
    pairs |= {(draw(st.integers(0, len(sets) - 1)), c) for c in range(classes)}
    ordered = sorted(pairs)
    differ = [draw(SETS) for _ in range(classes)]
    return MatchingRecoding(
        column="items",
        sets=ItemSets.of_codes(sets, WORDS),
        label=None,
        labels=None,
        members=Members(
            np.array([s for s, _ in ordered], np.int64),
            np.array([c for _, c in ordered], np.int64),
            np.array([draw(st.integers(1, 3)) for _ in ordered], np.int64),
        ),
        base=ItemSets.of_codes([draw(SETS) for _ in range(classes)], WORDS),
        differ=ItemSets.of_codes(differ, WORDS),
        at_most=np.array([draw(st.integers(0, len(one))) for one in differ], np.int32),
    )


def _shows(recoding: MatchingRecoding) -> list[tuple[list[str], list[str], int]]:
    return list(
        zip(
            recoding.base.lists().to_pylist(),
            recoding.differ.lists().to_pylist(),
            recoding.at_most.tolist(),
            strict=True,
        )
    )


@given(matchings())
def test_classes_are_numbered_in_the_order_of_what_they_show(recoding: MatchingRecoding) -> None:
    shown, shows = Shown.of(recoding), _shows(recoding)
    ordered = sorted({(tuple(b), tuple(d), most) for b, d, most in shows})
    assert [ordered[number] for number in shown.numbers] == [(tuple(b), tuple(d), most) for b, d, most in shows]
    held = zip(shown.base.to_pylist(), shown.differ.to_pylist(), shown.at_most.to_pylist(), strict=True)
    assert [(tuple(b), tuple(d), most) for b, d, most in held] == ordered


@given(matchings())
def test_the_certificate_has_every_member_once(recoding: MatchingRecoding) -> None:
    rows = certificate(recoding).read_all().to_pylist()
    shows, sets = _shows(recoding), recoding.sets.lists().to_pylist()
    expected: Counter[str] = Counter()
    by_class: dict[int, str] = {}
    for one, number, count in zip(
        recoding.members.sets.tolist(), recoding.members.classes.tolist(), recoding.members.counts.tolist(), strict=True
    ):
        expected[str((*shows[number], sets[one]))] += count
    found: Counter[str] = Counter()
    for row in rows:
        shown = [row[f"shown:items{end}"] for end in ("", ":differ", ":at_most")]
        found[str((*shown, row["raw:items"]))] += row["records"]
        assert by_class.setdefault(row["class"], str(shown)) == str(shown), "a class shows one thing"
    assert found == expected
    assert len(by_class) == len(recoding.base)
    assert len({(row["class"], str(row["raw:items"])) for row in rows}) == len(rows)


@given(matchings())
def test_parts_add_up(recoding: MatchingRecoding) -> None:
    parts = parts_of(recoding)
    times = Counter(recoding.members.sets.tolist())
    assert parts.alone.tolist() == [times[one] == 1 for one in recoding.members.sets.tolist()]
    parts.check(np.arange(len(parts.counts)), parts.counts, recoding.rows)
