"""That little is left is said, of every kind of data, with what to drop; and not where enough is left."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from samples.example_facts import EXAMPLE, local
from shoal.report.columns import ColumnFacts, LevelShare, Rung
from shoal.report.html import render_html
from shoal.report.json import render_json
from shoal.report.kinds import KINDS
from shoal.report.tables.figures import Drop, Why
from shoal.report.tables.worth import notices, shows_nothing
from shoal.report.words import NBSP, floor_words


def _losing(share):
    losses = tuple(replace(loss, value=share if loss.minimised else loss.value) for loss in EXAMPLE.losses)
    return replace(EXAMPLE, losses=losses)


def test_enough_is_left_and_nothing_is_said():
    assert notices(EXAMPLE) == notices(_losing(0.8)) == ()


def test_nearly_everything_is_lost():
    (notice,) = notices(_losing(0.801))
    assert notice.code == "little-left"
    assert f"80.1{NBSP}%" in notice.sentence and "lower k" in notice.sentence


def test_all_of_it_is_not_rounded_up_to():
    assert "more than 99" in notices(_losing(0.999))[0].sentence
    assert notices(_losing(1.0))[0].sentence.startswith("Everything that is blurred is lost")


def test_what_to_drop_is_named_with_what_that_buys():
    first, second = EXAMPLE.quasi[0].name, EXAMPLE.quasi[1].name
    read = EXAMPLE.records.read
    facts = replace(_losing(0.9), why=Why(drops=(Drop(first, read, read // 2), Drop(second, read // 2, "below k"))))
    sentence = notices(facts)[0].sentence
    assert f"What tells people apart most is {first}, then {second}: without them fewer than {facts.k} of" in sentence
    assert f"instead of 100{NBSP}%" in sentence
    nothing = replace(facts, why=Why(drops=(Drop(first, read, read),)))
    assert f"apart most is {first}. Leave out" in notices(nothing)[0].sentence


def test_what_to_drop_is_not_public_and_not_of_few():
    name = EXAMPLE.quasi[0].name
    with pytest.raises(ValueError, match=r"why\.drops"):
        replace(EXAMPLE, why=Why(drops=(Drop(name, 100, 1),)))
    with pytest.raises(ValueError, match="not a quasi-identifying"):
        replace(EXAMPLE, why=Why(drops=(Drop("nobody", 100, 50),)))


def test_a_column_shows_nothing_for_more_than_half():
    ladder = (Rung("", 3), Rung("*", 1))
    assert shows_nothing(ColumnFacts("a", "quasi", level=1, ladder=ladder), 10)
    assert not shows_nothing(ColumnFacts("a", "quasi", level=0, ladder=ladder), 10)
    for hidden, said in ((5, False), (6, True)):
        mix = (LevelShare(0, 10 - hidden), LevelShare(1, hidden))
        assert shows_nothing(ColumnFacts("a", "quasi", ladder=ladder, mix=mix), 10) is said
    between = (LevelShare(0, 2), LevelShare(1, 8, between=True))
    assert not shows_nothing(ColumnFacts("a", "quasi", ladder=ladder, mix=between), 10)


def test_most_columns_show_nothing():
    top = {column.name: len(column.ladder) - 1 for column in EXAMPLE.quasi}
    columns = tuple(replace(one, level=top[one.name]) if one.name in top else one for one in EXAMPLE.columns)
    facts = replace(EXAMPLE, columns=columns, why=Why(), distributions=())
    (notice,) = [one for one in notices(facts) if one.code == "mostly-hidden"]
    assert all(name in notice.sentence for name in top)
    assert "identifying" in notice.sentence


def test_most_records_are_hidden():
    hidden = EXAMPLE.records.published + 1
    records = replace(EXAMPLE.records, read=EXAMPLE.records.published + hidden, suppressed=hidden)
    facts = local()
    few = [one.code for one in notices(facts)]
    assert "records-hidden" not in few
    from shoal.report.worth import records_hidden

    (notice,) = records_hidden(records)
    assert notice.code == "records-hidden" and "[suppression] limit" in notice.sentence
    assert records_hidden(replace(records, read=None, suppressed=None)) == ()


def test_page_one_and_the_json_say_it_first():
    facts = _losing(0.9)
    (notice,) = notices(facts)
    page = render_html(facts)
    start = page.index("Before you sign")
    assert page.index("Nearly everything is lost", start) < page.index("<nav", start)
    assert json.loads(render_json(facts))["statements"]["notices"] == [
        {"code": notice.code, "sentence": notice.sentence}
    ]


@pytest.mark.parametrize(("above", "said"), [(0, "proved the best possible"), (0.34, "at most 34"), (1, "at most 100")])
def test_how_close_a_release_is(above, said):
    assert floor_words(above).startswith(said)


def test_a_floor_below_half_of_the_loss_tells_nothing():
    assert floor_words(1.001) == floor_words(18.1) == ""


def test_every_kind_has_notices():
    assert all(callable(kind.notices) for kind in KINDS.values())
