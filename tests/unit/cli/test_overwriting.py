"""No command writes over what it reads, or over what shoal did not write."""

from __future__ import annotations

import os

import pytest

from shoal.cli.errors import run_command
from shoal.cli.root import shoal
from shoal.release.examples import write_example


@pytest.fixture
def demo(tmp_path):
    write_example("table", tmp_path / "demo")
    return tmp_path / "demo"


@pytest.fixture
def call(capsys):
    def run(*args):
        code = run_command(shoal, [str(a) for a in args])
        return code, capsys.readouterr().err

    return run


@pytest.mark.parametrize("make", ["file", "link", "hard link", "dangling link", "folder"])
def test_frontier_draws_over_its_own_pictures_only(demo, call, make):
    data, plot = demo / "patients.csv", demo / "front.svg"
    before = data.read_bytes()
    if make == "file":
        plot.write_bytes(before)
    elif make == "hard link":
        os.link(data, plot)
    elif make == "folder":
        plot.mkdir()
    else:
        plot.symlink_to(data if make == "link" else "nowhere.csv")
    code, said = call("frontier", demo / "recipe.toml", "--plot", plot)
    assert code == 2 and "front.svg" in said
    assert data.read_bytes() == before
    assert not (demo / "nowhere.csv").exists()


def test_a_picture_is_drawn_again(demo, call):
    plot = demo / "front.svg"
    plot.write_text("<svg of old></svg>")
    os.link(plot, demo / "kept.svg")
    code, _ = call("frontier", demo / "recipe.toml", "--plot", plot)
    assert code == 0 and plot.read_text().startswith('<svg xmlns="')
    assert (demo / "kept.svg").read_text() == "<svg of old></svg>"
    assert not [path for path in demo.iterdir() if path.name.startswith(".shoal")]


def test_compare_draws_over_its_own_pictures_only(demo, call):
    (demo / "compare-ncp.svg").symlink_to("patients.csv")
    before = (demo / "patients.csv").read_bytes()
    code, said = call("compare", demo / "recipe.toml", "--methods", "mondrian", "--plots", demo)
    assert code == 2 and "compare-ncp.svg" in said
    assert (demo / "patients.csv").read_bytes() == before


@pytest.mark.parametrize("output", ["patients.csv", "./Patients.csv", "soft.csv", "hard.csv"])
def test_hierarchy_make_does_not_write_over_the_data(demo, call, output):
    data = demo / "patients.csv"
    (demo / "soft.csv").symlink_to(data)
    os.link(data, demo / "hard.csv")
    before = data.read_bytes()
    options = ["--flat", "--data", data, "--column", "ward", "--force"]
    code, said = call("hierarchy", "make", *options, "-o", f"{demo}/{output}")
    assert code == 2 and "written over" in said
    assert data.read_bytes() == before and not (demo / "Patients.csv").exists()


def test_hierarchy_make_does_not_write_through_links(demo, call):
    (demo / "soft.csv").symlink_to("patients.csv")
    before = (demo / "patients.csv").read_bytes()
    assert (
        call("hierarchy", "make", "--intervals", "5", "--from", "0", "--to", "9", "-o", demo / "soft.csv", "--force")[0]
        == 2
    )
    assert (demo / "patients.csv").read_bytes() == before


def test_hierarchy_convert_does_not_write_over_its_source(demo, call):
    source = demo / "schooling.csv"
    before = source.read_bytes()
    code, said = call("hierarchy", "convert", source, f"{demo}/../demo/schooling.csv", "--to", "anjana", "--force")
    assert code == 2 and "which is read" in said
    assert source.read_bytes() == before


def test_report_does_not_write_through_links(demo, call):
    assert call("run", demo / "recipe.toml")[0] == 0
    page = demo / "release/patients.report.html"
    page.unlink()
    page.symlink_to(demo / "patients.csv")
    before = (demo / "patients.csv").read_bytes()
    code, said = call("report", demo / "release")
    assert code == 2 and "patients.report.html is a link" in said
    assert (demo / "patients.csv").read_bytes() == before


@pytest.mark.parametrize("output", ["patients.csv", "recipe.toml", "soft.toml"])
def test_init_and_example_write_over_nothing(demo, call, output):
    (demo / "soft.toml").symlink_to("nowhere.toml")
    before = {path.name: path.read_bytes() for path in demo.iterdir() if not path.is_symlink()}
    assert call("init", demo / "patients.csv", "-o", demo / output)[0] == 2
    assert call("example", "table", demo)[0] == 2
    assert {path.name: path.read_bytes() for path in demo.iterdir() if not path.is_symlink()} == before
