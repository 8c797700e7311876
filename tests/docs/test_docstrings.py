"""Every public name explains itself: what it is, what it takes, and an example that runs."""

from __future__ import annotations

import doctest
import inspect
import pydoc
from pathlib import Path

import pytest

import shoal
from shoal.release.examples import write_example


def _is_error(name: str) -> bool:
    public = getattr(shoal, name)
    return isinstance(public, type) and issubclass(public, Exception)


NAMES = [name for name in shoal.__all__ if not _is_error(name)]
LISTS = {"guarantees": shoal.guarantees.listing, "methods": shoal.methods.listing}  # packages that are called


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example in `demo`."""
    folder = tmp_path_factory.mktemp("docstrings")
    write_example("table", folder / "demo")
    return folder


def _run(text: str, name: str) -> None:
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    said: list[str] = []
    failed = doctest.DocTestRunner(verbose=False).run(test, out=said.append).failed
    assert not failed, "".join(said)


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_has_an_example_that_runs(name: str, demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(demo)
    public = LISTS.get(name, getattr(shoal, name))
    text = inspect.getdoc(public) or ""
    assert "Examples\n--------\n>>> " in text, name
    _release_again(demo)
    _run(text, name)


@pytest.mark.parametrize("name", [name for name in NAMES if inspect.isfunction(getattr(shoal, name))])
def test_every_parameter_is_explained(name: str) -> None:
    text = inspect.getdoc(getattr(shoal, name)) or ""
    names = [parameter.lstrip("*") for parameter in inspect.signature(getattr(shoal, name)).parameters]
    assert not names or "Parameters\n----------\n" in text
    section = text.partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    heads = [line.partition(" : ")[0] for line in section.splitlines() if not line.startswith(" ")]
    assert {one.lstrip("*") for head in heads for one in head.split(", ")} >= set(names) - {"listener"}


def test_the_five_calls_of_the_package_run(demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(demo)
    _release_again(demo)
    assert shoal.__doc__ is not None
    assert all(f"shoal.{call}(" in shoal.__doc__ for call in ("risk", "anonymize", "verify", "frontier", "run"))
    _run(shoal.__doc__, "shoal")


def test_help_names_what_there_is() -> None:
    text = pydoc.plain(pydoc.render_doc(shoal))
    assert "In five calls" in text
    for name in NAMES:
        assert name in text
    assert "import_module(" not in text


def _release_again(demo: Path) -> None:
    """A run makes what no earlier one has left."""
    for file in sorted((demo / "demo" / "release").glob("*")):
        file.unlink()
