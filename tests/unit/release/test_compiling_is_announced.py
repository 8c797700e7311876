"""Whoever waits for `compare` or `frontier` is told when something is compiled first, as in a run."""

import pytest
from numba.core import event

import shoal
from shoal.release import compare as compare_module
from shoal.release.examples import write_example
from shoal.release.kinds.tables import frontier as frontier_module


class EnoughError(Exception):
    pass


def compiles(*_, **__):
    """What a kernel does when it is compiled, and no more of the work."""
    with event.trigger_event("numba:compile", data={"dispatcher": None}):
        pass
    raise EnoughError


@pytest.mark.parametrize(
    ("module", "verb"),
    [(compare_module, shoal.compare), (frontier_module, shoal.frontier)],
    ids=["compare", "frontier"],
)
def test_it_is_announced(module, verb, tmp_path, monkeypatch):
    write_example("table", tmp_path / "demo")
    monkeypatch.setattr(module, "load_task", compiles)
    stages = []
    with pytest.raises(EnoughError):
        verb(tmp_path / "demo/recipe.toml", listener=lambda progress: stages.append(progress.stage))
    assert stages.count("compile") == 1
