"""shoal compare as a user calls it."""

from __future__ import annotations

import json

import pytest

from shoal.release.examples import write_example


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    write_example("table", folder)
    return folder


def test_a_table_and_a_picture_for_each_loss(demo, call, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    code, out, _ = call("compare", demo / "recipe.toml", "--methods", "optimal, mondrian", "--plots", tmp_path / "p")
    assert code == 0
    rows = [line.split() for line in out.splitlines()]
    assert [row[:2] for row in rows if row and row[0] in ("optimal", "mondrian")] == [
        ["optimal", "pass"],
        ["mondrian", "pass"],
    ]
    assert "*" in out
    pictures = sorted(path.name for path in (tmp_path / "p").iterdir())
    assert {"compare-glm.svg", "compare-ncp.svg", "compare-dm.svg"} <= set(pictures)
    assert not (demo / "release").exists()


def test_json(demo, call, tmp_path):
    code, out, _ = call("compare", demo / "recipe.toml", "--methods", "mondrian", "--json", "--plots", tmp_path)
    told = json.loads(out)
    assert code == 0
    assert (told["verdict"], told["records_in"]) == ("pass", 1500)
    assert 0 < told["floor"] <= told["loss"]
    assert (
        told["methods"][0]["method"] == "mondrian" and told["methods"][0]["losses"][told["loss_name"]] == told["loss"]
    )
    assert len(told["plots"]) == len(told["best"])


def test_when_no_method_can_the_answer_is_no(call, tmp_path):
    write_example("table", tmp_path)
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(recipe.read_text().replace("k = 5", "k = 2000"))
    code, out, _ = call("compare", recipe, "--methods", "mondrian,optimal")
    assert code == 1
    assert out.count("no release") == 2 and "fewer than the 2,000" in out
    assert call("compare", recipe, "--methods", "mondrian", "--json")[0] == 1


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--methods", "mondrain"], "Did you mean 'mondrian'"),
        (["--methods", ","], "No method is named"),
        (["--budget", "soon"], "budget"),
    ],
)
def test_mistakes_of_the_caller(demo, call, args, says):
    code, _, err = call("compare", demo / "recipe.toml", *args)
    assert code == 2
    assert says in err


def test_a_folder_that_cannot_be_written(demo, call, tmp_path):
    (tmp_path / "file").write_text("")
    code, _, err = call("compare", demo / "recipe.toml", "--methods", "mondrian", "--plots", tmp_path / "file" / "p")
    assert code == 3
    assert "cannot be written" in err


def test_a_narrow_terminal_gets_two_tables():
    from shoal.cli.compare import _parts

    rows = [["method", "verdict", "glm", "hidden"], ["mondrian", "pass", "0.1", "0"]]
    assert _parts(rows, 3, 80) == [[0, 1, 2, 3]]
    assert _parts(rows, 3, 20) == [[0, 1, 2], [0, 3]]
