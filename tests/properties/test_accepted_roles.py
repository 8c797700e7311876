"""Confirming a role changes nothing but the marks of that role, and never a mark that says `unclear`."""

from __future__ import annotations

import tomllib

from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data.schema import Role
from shoal.release.accept import accept
from shoal.release.suggest.recipe_text import write_recipe
from shoal.release.suggest.summary import Advice, Suggestion

_NAMES = st.lists(st.text(max_size=6), min_size=1, max_size=8, unique=True)
_HIERARCHIES = st.sampled_from([None, {"mask": "right"}, {"intervals": [5, 10], "from": 0, "to": 100}])


@st.composite
def proposals(draw: st.DrawFn) -> list[Suggestion]:
    doubts = st.lists(st.builds(Advice, st.text(max_size=8), st.booleans()), max_size=2)
    return [
        Suggestion(
            name,
            draw(st.sampled_from(Role)),
            draw(_HIERARCHIES),
            draw(st.text(max_size=8)),
            codes=tuple(draw(st.sets(st.sampled_from(["9", "99", "n\n"]), max_size=2))),
            advice=tuple(draw(doubts)),
        )
        for name in draw(_NAMES)
    ]


@settings(max_examples=40, deadline=None)  # a busy machine is no fault
@given(proposals(), st.sets(st.sampled_from(Role)))
def test_only_clear_marks_of_the_role_go(suggestions: list[Suggestion], roles: set[Role]) -> None:
    text = write_recipe(suggestions, "in.csv", "out.csv")
    acceptance = accept(text, roles)
    before, after = tomllib.loads(text), tomllib.loads(acceptance.text)
    for one in suggestions:
        entry = before["columns"][one.name]
        gone = one.role in roles and not any(advice.doubt for advice in one.advice)
        assert entry["suggested"] == ("unclear" if one.unclear else True)
        if gone:
            del entry["suggested"]
            assert one.name in acceptance.confirmed[one.role.value]
        else:
            assert one.name in (*acceptance.unclear, *acceptance.waiting)
            assert one.role not in roles or one.name in acceptance.unclear
    assert after == before and list(after["columns"]) == list(before["columns"])
    comments = [line for line in text.splitlines() if line.startswith("#")]
    assert [line for line in acceptance.text.splitlines() if line.startswith("#")] == comments
    assert accept(acceptance.text, roles).text == acceptance.text
