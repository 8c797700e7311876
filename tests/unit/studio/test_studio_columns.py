"""The page "columns": roles in the steward's words, confirmed one by one, ticked, or all of a role."""

import pytest
from page_text import words

DATA = "name,age,sex,diagnosis,score,note\n" + "".join(
    f"Person {n},{20 + n % 60},{'mf'[n % 2]},D{n % 5},{99 if n % 7 == 0 else n % 6},text {n}\n" for n in range(140)
)


@pytest.fixture
def project(studio, tmp_path):
    data = tmp_path / "people.csv"
    data.write_text(DATA)
    assert studio.post("/open/path", {"path": str(data)}).status_code == 200
    return studio.projects.recent()[0]


def states(project):
    return {name: entry.get("suggested", False) for name, entry in project.document().columns.items()}


def test_each_column_shows_what_it_holds_and_why_a_role_is_suggested(studio, project):
    page = studio.get(f"/r/{project.key}/columns")
    seen = words(page)
    assert page.status_code == 200
    assert "6 columns, 140 people" in seen
    assert "names a person (removed)" in seen
    assert "It seems to be" in seen
    assert "Nearly every person has a value of their own here" in seen
    assert page.text.count("<svg") == 6
    assert "6 of 6 still to be confirmed" in seen


def test_one_column_is_confirmed_and_the_others_stay_suggested(studio, project):
    page = studio.change(project, "columns/change", confirm="1")
    assert states(project)["age"] is False
    assert sum(map(bool, states(project).values())) == 5
    assert "5 of 6 still to be confirmed" in words(page)


def test_all_of_a_role_are_confirmed_but_what_is_unclear(studio, project):
    before = project.document()
    first = next(iter(before.columns))
    project.save(before, before.change_column(first, suggested="unclear"))
    role = before.columns[first]["role"]
    studio.change(project, "columns/change", confirm=role)
    after = project.document().columns
    assert after[first]["suggested"] == "unclear"
    assert not any(entry.get("suggested") for name, entry in after.items() if entry["role"] == role and name != first)


def test_ticked_columns_get_a_role_at_once(studio, project):
    fields = {"confirm": "ticked", "pick": ["0", "5"], "all-role": "identifying"}
    studio.change(project, "columns/change", **fields)
    columns = project.document().columns
    assert [name for name, entry in columns.items() if not entry.get("suggested")] == ["name", "note"]
    assert {columns[name]["role"] for name in ("name", "note")} == {"identifying"}
    page = studio.change(project, "columns/change", confirm="ticked")
    assert page.status_code == 422
    assert "No column is ticked" in words(page)


def test_a_role_that_was_chosen_is_kept_whatever_button_is_pressed(studio, project):
    studio.change(project, "columns/change", **{"role-3": "plain", "go": "blur"})
    assert project.document().columns["diagnosis"]["role"] == "plain"
    assert project.document().columns["diagnosis"]["suggested"] is not False
    assert not any(one.get("column") == "diagnosis" for one in project.document().values["guarantee"])


def test_codes_for_missing_values_are_ticked_and_unticked(studio, project):
    assert project.document().columns["score"]["missing"] == ["99"]
    page = studio.get(f"/r/{project.key}/columns")
    assert 'name="code-4" value="0" checked' in page.text
    studio.change(project, "columns/change", **{"more-4": "yes"})
    assert "missing" not in project.document().columns["score"]
    studio.change(project, "columns/change", **{"more-4": "yes", "code-4": "0", "extra-4": "0"})
    assert project.document().columns["score"]["missing"] == ["99", "0"]
    profile = {one["name"]: one for one in project.recall("profile")["columns"]}
    assert "99" not in dict(profile["score"]["values"])


def test_what_tells_people_apart_needs_a_reason(studio, project):
    fields = {"role-0": "plain", "more-0": "yes", "unique-0": "on", "confirm": "0"}
    page = studio.change(project, "columns/change", **fields)
    assert page.status_code == 422
    assert "Write why" in words(page)
    studio.change(project, "columns/change", **fields, **{"reason-0": "All are pen names."})
    entry = project.document().columns["name"]
    assert (entry["accept_unique"], entry["reason"], entry["role"]) == (True, "All are pen names.", "plain")
    assert "suggested" not in entry


def test_comments_of_the_recipe_survive(studio, project):
    before = project.document()
    assert "# a name" in before.text
    studio.change(project, "columns/change", confirm="quasi")
    assert "# a name" in project.document().text


def test_two_windows_do_not_overwrite_each_other(studio, project):
    stale = project.document().revision
    studio.change(project, "columns/change", confirm="1")
    page = studio.post(f"/r/{project.key}/columns/change", {"revision": stale, "confirm": "2"})
    assert page.status_code == 409
    assert states(project)["sex"] is True


@pytest.mark.parametrize("name", ["baskets", "patients", "trees"])
def test_sets_and_trees_are_shown(studio, name):
    project = studio.open_example(name)
    page = studio.get(f"/r/{project.key}/columns")
    assert page.status_code == 200
    assert ("How a record hangs together" in words(page)) == (name == "trees")
    assert "several items" in words(page) or name == "trees"


def test_a_class_that_is_taken_out_of_the_tree_leaves_no_gap(studio):
    project = studio.open_example("trees")
    columns = project.document().columns
    above = next(entry["parent"] for entry in columns.values() if entry.get("parent"))
    place = list(columns).index(above)
    studio.change(project, "columns/change", **{f"role-{place}": "identifying"})
    after = project.document().columns
    assert "kind" not in after[above]
    assert all(entry.get("parent") in (None, *after) and entry.get("parent") != above for entry in after.values())
    studio.change(project, "columns/change", **{f"role-{place}": "quasi"})
    assert project.document().columns[above]["kind"] == "node"


def test_how_risky_leads_to_the_risk(studio, tmp_path):
    data = tmp_path / "people.csv"
    data.write_text(DATA)
    studio.post("/open/path", {"path": str(data), "for": "risk"})
    page = studio.get(f"/r/{studio.projects.recent()[0].key}/columns")
    assert "Next: Risk today" in words(page)


@pytest.mark.slow
def test_five_hundred_columns_are_one_page(studio, tmp_path):
    data = tmp_path / "wide.csv"
    names = [f"question_{n}" for n in range(500)]
    data.write_text(
        ",".join(names) + "\n" + "\n".join(",".join(str((r * c) % 5) for c in range(500)) for r in range(30))
    )
    assert studio.post("/open/path", {"path": str(data)}).status_code == 200
    project = studio.projects.recent()[0]
    page = studio.get(f"/r/{project.key}/columns")
    assert page.text.count('<li class="card column') == 500
    every = {"confirm": "ticked", "pick": [str(n) for n in range(500)], "all-role": "quasi"}
    assert studio.change(project, "columns/change", **every).status_code == 200
    assert not any(states(project).values())
