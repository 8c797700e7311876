"""The package: its wheel and sdist, the README on PyPI, the list of what is in it, and a run without any network."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path
from typing import Any

import pytest

import shoal

PROJECT = Path(__file__).resolve().parents[2]
PYPROJECT = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SBOM = PROJECT / ".ci" / "shoal.cdx.json"
# permissive, or asks only that the library itself stays open (LGPL: psycopg, an extra)
LICENCES = {"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "LGPL-3.0-only", "MIT", "PSF-2.0", "Zlib"}


def _module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _built(form: str, folder: Path, source: Path = PROJECT) -> Path:
    command = [sys.executable, "-m", "build", f"--{form}", "--no-isolation", "--outdir", str(folder), str(source)]
    subprocess.run(command, check=True, capture_output=True)
    return next(folder.iterdir())


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _built("wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _built("sdist", tmp_path_factory.mktemp("sdist"))


def test_links_of_the_readme_are_whole(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        metadata = message_from_bytes(archive.read(f"shoal-{shoal.__version__}.dist-info/METADATA"))
    text = metadata.get_payload()
    assert isinstance(text, str) and text.startswith("# shoal")
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    assert len(links) > 40
    assert [link for link in links if not link.startswith("https://")] == []
    pictures = re.findall(r"!\[[^\]]*\]\(([^)\s]+)\)", text)
    assert pictures and all(
        "/raw/" in picture and picture.endswith(".png") for picture in pictures
    )  # PyPI shows no SVG
    assert metadata.get_all("Project-URL") and metadata["Version"] == shoal.__version__


def test_the_version_is_said_in_one_place() -> None:
    assert "version" in PYPROJECT["dynamic"]
    cited = (PROJECT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {shoal.__version__}\n" in cited
    assert PYPROJECT["urls"]["Homepage"] in cited and PYPROJECT["urls"]["Source"] in cited


def test_extras() -> None:
    extras = PYPROJECT["optional-dependencies"]
    everything = re.search(r"\[(.*)\]", extras["all"][0])
    assert everything is not None
    assert set(everything[1].split(",")) == extras.keys() - {"all"}
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    assert all(f"| `{extra}` |" in readme for extra in extras)


def test_the_same_source_gives_the_same_wheel(wheel: Path, sdist: Path, tmp_path: Path) -> None:
    """Also from the sdist, at another place and time."""
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "source", filter="data")
    source = next((tmp_path / "source").iterdir())
    again = _built("wheel", tmp_path / "again", source)
    assert again.read_bytes() == wheel.read_bytes()


def test_the_sdist_holds_what_is_needed_to_test_it(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames()}
    wanted = (
        "SECURITY.md",
        "LICENSE",
        "CITATION.cff",
        "tests/conftest.py",
        "docs/index.md",
        ".ci/requirements.lock",
        ".importlinter",
    )
    assert [name for name in wanted if name not in names] == []
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]


def test_the_wheel_lists_what_is_in_it(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        listed = archive.read(f"shoal-{shoal.__version__}.dist-info/sboms/shoal.cdx.json")
    assert listed == SBOM.read_bytes()


def test_the_list_is_that_of_the_lock_file() -> None:
    """Where packages state their licence is for the script; here: versions, completeness, and which licences there are."""
    generator, document = _module(PROJECT / ".ci" / "sbom.py"), json.loads(SBOM.read_text(encoding="utf-8"))
    pins, components = generator.locked(), {part["name"]: part for part in document["components"]}
    assert document["metadata"]["component"]["version"] == shoal.__version__, "run `python .ci/sbom.py`"
    for name, part in components.items():
        assert part.get("version") == pins.get(name, part.get("version")), f"{name}: run `python .ci/sbom.py`"
        stated = part["licenses"][0]
        words = set(re.split(r" (?:AND|OR|WITH) ", stated.get("expression") or stated["license"]["id"]))
        assert words - {"LLVM-exception"} <= LICENCES, name
    assert components["htmx"] == generator._htmx()
    direct = {generator._plain(re.split(r"[^\w.-]", line)[0]) for line in PYPROJECT["dependencies"]}
    assert direct <= components.keys()


def test_the_lock_has_hashes() -> None:
    lock = (PROJECT / ".ci" / "requirements.lock").read_text(encoding="utf-8")
    entries = re.split(r"\n(?=[A-Za-z0-9])", lock)
    assert len(entries) > 100
    assert [entry.split("\n")[0] for entry in entries if "--hash=sha256:" not in entry] == []


@pytest.mark.slow
def test_nothing_asks_the_network(tmp_path: Path) -> None:
    """A whole run in a network of its own that has no way out, not even a loopback that is up."""
    if shutil.which("unshare") is None:
        pytest.skip("`unshare` is not here")
    alone = ["unshare", "--net", "--map-root-user"]
    tried = subprocess.run([*alone, "true"], capture_output=True, text=True, check=False)
    if tried.returncode:
        pytest.skip(f"this system does not allow it: {tried.stderr.strip()}")
    script = """
        import socket, subprocess, sys
        try:
            socket.create_connection(("127.0.0.1", 80), timeout=1)
        except OSError as reason:
            assert reason.errno in (101, 111), reason  # unreachable; where a loopback is up, refused
        for call in ("example table demo", "run demo/recipe.toml", "verify demo/release/patients.csv --recipe demo/recipe.toml"):
            told = subprocess.run([sys.executable, "-m", "shoal", *call.split()], capture_output=True, text=True)
            assert told.returncode == 0, (call, told.stderr)
    """
    lines = "\n".join(line.removeprefix(" " * 8) for line in script.splitlines())
    told = subprocess.run(
        [*alone, sys.executable, "-c", lines],
        cwd=tmp_path,
        env={**os.environ},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    assert (tmp_path / "demo/release/patients.csv").exists()
