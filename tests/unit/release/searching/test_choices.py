"""Releases to choose from: what a point shows is what a release at that point shows, and its recipe makes that release."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.data.text import texts
from shoal.release.editing.document import RecipeDocument
from shoal.release.engines import open_engine
from shoal.release.make import load_task, make_apart
from shoal.release.plan import make_plan
from shoal.release.searching.promised import with_number
from shoal.release.searching.search import basis_of, search
from shoal.report.steward.choices import Choices

RECIPE = """
[input]
path = "people.csv"

[columns]
name = { role = "identifying" }
age = { role = "quasi", hierarchy = { intervals = [10, 40], from = 0, to = 80 } }
zip = { role = "quasi", hierarchy = { mask = "right" } }
illness = { role = "sensitive", accept_unique = true, reason = "few rows" }
ward = { role = "plain", accept_unique = true, reason = "few rows" }

[[guarantee]]
name = "k-anonymity"
k = 2

[suppression]
limit = LIMIT
"""
PEOPLE = st.lists(
    st.tuples(
        st.integers(0, 79), st.sampled_from(["10", "11", "20", ""]), st.sampled_from("xyz"), st.sampled_from("pq")
    ),
    min_size=4,
    max_size=11,
)


def _document(folder: Path, people: list[tuple[int, str, str, str]], limit: float, more: str = "") -> RecipeDocument:
    lines = [f"n{at},{age},{code},{illness},{ward}" for at, (age, code, illness, ward) in enumerate(people)]
    (folder / "people.csv").write_text("name,age,zip,illness,ward\n" + "\n".join(lines) + "\n", encoding="utf-8")
    (folder / "recipe.toml").write_text(RECIPE.replace("LIMIT", str(limit)) + more, encoding="utf-8")
    return RecipeDocument.open(folder / "recipe.toml")


def _released(document: RecipeDocument) -> Counter[tuple[str, ...]]:
    """The records of the release that `shoal run` would publish."""
    recipe = document.recipe()
    plan = make_plan(recipe)
    with open_engine(recipe) as engine:
        task = load_task(plan, engine)
        table: pa.Table = make_apart(task, task.decide(lambda _: None)).data
    columns = [texts(column) for column in table.columns]
    return Counter(tuple("(missing)" if v is None else v for v in row) for row in zip(*columns, strict=True))


def _previewed(choices: Choices, place: int) -> Counter[tuple[str, ...]]:
    rows = choices.points[place].preview.rows
    return Counter(tuple("".join(text for text, _ in cell.parts) for cell in row) for row in rows)


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(PEOPLE, st.sampled_from([0, 0.3]), st.booleans(), st.data())
@pytest.mark.slow
def test_a_preview_shows_what_the_release_of_its_recipe_shows(tmp_path, people, limit, diverse, data) -> None:
    more = '\n[[guarantee]]\nname = "l-diversity"\nl = 2\ncolumn = "illness"\n' if diverse else ""
    document = _document(tmp_path, people, limit, more)
    choices = search(document)
    assert Choices.from_json(choices.to_json()) == choices
    if not choices.points:
        assert diverse
        return
    place = data.draw(st.integers(0, len(choices.points) - 1))
    point = choices.points[place]
    used = with_number(document, point.k).put(point.method, "method", "name")
    released = _released(used)
    assert released.total() == point.records == len(people) - point.suppressed
    if point.method == "frontier":  # others may break ties
        assert _previewed(choices, place) == released
        heads = point.preview.heads
        at = [heads.index("age"), heads.index("zip")]
        sizes = Counter(tuple(row[c] for c in at) for row in released.elements())
        for row, same in zip(point.preview.rows, point.preview.same, strict=True):
            shown = tuple("".join(text for text, _ in row[c].parts) for c in at)
            assert same == sizes[shown] >= point.k


def test_what_a_search_rests_on(tmp_path) -> None:
    document = _document(tmp_path, [(20, "10", "x", "p")] * 4, 0)
    basis = basis_of(document)
    assert basis_of(with_number(document, 7)) == basis
    assert basis_of(document.put("frontier", "method", "name")) == basis
    assert basis_of(document.put("public", "context", "access")) == basis
    assert basis_of(document.put(0.1, "suppression", "limit")) != basis
    assert basis_of(document.change_column("ward", role="quasi")) != basis
