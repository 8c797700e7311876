"""Whatever a user can write, call or meet is documented on its page, and what the pages say of it is still so."""

from __future__ import annotations

import dataclasses
import importlib.util
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from doc_pages import PROJECT, all_pages, blocks, commands
from pydantic import BaseModel

import shoal
from shoal import errors
from shoal.cli.root import COMMANDS
from shoal.guarantees import GUARANTEES
from shoal.loss import LOSSES, SET_LOSSES, TREE_LOSSES
from shoal.methods.registry import METHODS
from shoal.release.assess import risk
from shoal.release.examples import write_example
from shoal.release.preview import preview
from shoal.release.recipe.recipe import Recipe
from shoal.release.recipe.sections import ColumnSpec

REFERENCE = PROJECT / "docs" / "reference"


def _text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def _headings(page: Path) -> list[str]:
    inside = False
    found = []
    for line in _text(page).splitlines():
        if line.lstrip().startswith("```"):
            inside = not inside
        if not inside and (heading := re.match(r"#+ (.*)", line)):
            found.append(heading[1].strip())
    return found


# ---- commands --------------------------------------------------------------------------------------------------------


def _generator(name: str = "generate_cli") -> Any:
    spec = importlib.util.spec_from_file_location(name, PROJECT / "docs" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_command_page_is_what_the_commands_say() -> None:
    generator = _generator()
    assert _text(generator.PAGE) == generator.render(), "run `python docs/generate_cli.py`"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_section(command: str) -> None:
    assert f"shoal {command}" in _headings(REFERENCE / "cli.md")


def test_commands_in_prose_exist() -> None:
    """A page that speaks of `shoal frobnicate` is out of date."""
    for page in all_pages():
        for word in re.findall(r"`shoal ([a-z]+)", _text(page)):
            assert word in COMMANDS, f"{page.name} speaks of `shoal {word}`"


def test_the_readme_needs_five_commands() -> None:
    first = next(block for block in blocks(PROJECT / "README.md") if block.language == "bash")
    lines = [command.text for command in commands(first)]
    assert lines[0] == "pip install shoal"
    assert [line.split()[1] for line in lines[1:]] == ["example", "risk", "run", "verify"]


# ---- recipe ----------------------------------------------------------------------------------------------------------


def _keys(model: type[BaseModel], prefix: str = "") -> list[str]:
    keys = []
    for name, field in model.model_fields.items():
        inner = next((kind for kind in _models(field.annotation)), None)
        if inner is ColumnSpec:
            keys += _keys(inner, f"{prefix}{name}.*.")
        elif inner is not None:
            keys += _keys(inner, f"{prefix}{name}.")
        else:
            keys.append(prefix + name)
    return keys


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [found for part in getattr(annotation, "__args__", ()) for found in _models(part)]


def _parameters() -> list[str]:
    """Keys that belong to a guarantee or a method, and not to the recipe's model."""
    keys = [f"guarantee.{field.name}" for made in GUARANTEES.values() for field in dataclasses.fields(made)]
    keys += [f"method.{key}" for method in METHODS.values() for key in method.keys]
    return list(dict.fromkeys(keys))


def test_the_keys_are_found() -> None:
    assert {"missing", "input.path", "columns.*.role", "guarantee.name", "context.threshold"} <= set(_keys(Recipe))


@pytest.mark.parametrize("key", [*_keys(Recipe), *_parameters()])
def test_every_recipe_key_is_documented(key: str) -> None:
    assert re.search(rf"^\| `{re.escape(key)}` \|", _text(REFERENCE / "recipe.md"), re.MULTILINE)


def test_no_recipe_key_is_made_up() -> None:
    listed = re.findall(r"^\| `([a-z_.*]+)` \|", _text(REFERENCE / "recipe.md"), re.MULTILINE)
    assert sorted(listed) == sorted([*_keys(Recipe), *_parameters()])


def test_the_tutorial_shows_the_recipe_of_the_example(tmp_path: Path) -> None:
    write_example("table", tmp_path)
    given = tomllib.loads(_text(tmp_path / "recipe.toml"))
    page = PROJECT / "docs" / "tutorials" / "first-release.md"
    shown = tomllib.loads(next(block.code for block in blocks(page) if block.language == "toml"))
    assert shown == {key: value for key, value in given.items() if key != "context"}


# ---- methods, guarantees, losses -------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda method: method.name)
def test_every_method_has_a_page(method: Any) -> None:
    page = PROJECT / "docs" / "methods" / f"{method.name}.md"
    assert _headings(page)[0] == method.name
    for key in method.keys:
        assert f"| `{key}` |" in _text(page)


@pytest.mark.parametrize("name", GUARANTEES)
def test_every_guarantee_has_a_section(name: str) -> None:
    page = REFERENCE / "guarantees.md"
    assert name in _headings(page)
    section = _text(page).split(f"\n## {name}\n")[1].split("\n## ")[0]
    for field in dataclasses.fields(GUARANTEES[name]):
        assert f"`{field.name}`" in section, f"{name}: the parameter `{field.name}`"


@pytest.mark.parametrize("name", [*LOSSES, *SET_LOSSES, *TREE_LOSSES])
def test_every_loss_has_a_section(name: str) -> None:
    assert name in _headings(REFERENCE / "losses.md")


# ---- exit codes, JSON, Python ----------------------------------------------------------------------------------------


def _all_errors(root: type[errors.ShoalError]) -> list[type[errors.ShoalError]]:
    return [root, *(found for below in root.__subclasses__() for found in _all_errors(below))]


@pytest.mark.parametrize("code", sorted({0, *(error.exit_code for error in _all_errors(errors.ShoalError))}))
def test_every_exit_code_is_documented(code: int) -> None:
    assert re.search(rf"^\| {code} \|", _text(REFERENCE / "exit-codes.md"), re.MULTILINE)


@cache
def _printed(folder: Path) -> dict[str, dict[str, Any]]:
    """What `--json` prints, by command."""
    write_example("table", folder)
    data, recipe = folder / "patients.csv", folder / "recipe.toml"
    release = shoal.run(recipe)
    return {
        "run": release.to_json(),
        "verify": shoal.verify(release.files[0], recipe).to_json(),
        "risk": risk(data, recipe).to_json(),
        "plan": preview(recipe).to_json(),
        "compare": shoal.compare(recipe, methods=["mondrian"]).to_json(),
    }


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    return _printed(tmp_path_factory.mktemp("printed"))


@pytest.mark.parametrize("command", ["run", "verify", "risk", "plan", "compare"])
def test_every_json_key_is_documented(command: str, printed: dict[str, dict[str, Any]]) -> None:
    section = _text(REFERENCE / "exit-codes.md").split(f"\n### shoal {command}\n")[1].split("\n### ")[0]
    listed = [key for row in re.findall(r"^\| (`.*?`) \|", section, re.MULTILINE) for key in re.findall("`(.*?)`", row)]
    assert sorted(listed) == sorted(printed[command])


@pytest.mark.parametrize("name", shoal.__all__)
def test_every_public_name_is_documented(name: str) -> None:
    page = _text(REFERENCE / "python.md")
    found = getattr(shoal, name)
    if isinstance(found, type) and issubclass(found, errors.ShoalError):
        if found is not errors.ShoalError:
            assert re.search(rf"^\| `{name}` \|.*\| {found.exit_code} \|$", page, re.MULTILINE)
        assert f"`{name}`" in page
    else:
        assert f"shoal.{name}" in _headings(REFERENCE / "python.md")


def test_the_page_of_names_is_what_the_docstrings_say() -> None:
    generator = _generator("generate_api")
    assert _text(generator.PAGE) == generator.render(), "run `python docs/generate_api.py`"
    assert all(f"shoal.{name}" in _headings(generator.PAGE) for name in shoal.__all__ if not name.startswith("__"))


def test_everything_is_covered(capsys: pytest.CaptureFixture[str]) -> None:
    """The tests above ask one by one; here are the numbers, for whoever wants to see them."""
    recipe, cli, methods = (
        _text(REFERENCE / "recipe.md"),
        _headings(REFERENCE / "cli.md"),
        PROJECT / "docs" / "methods",
    )
    asked: dict[str, list[bool]] = {
        "commands": [f"shoal {name}" in cli for name in COMMANDS],
        "recipe keys": [f"| `{key}` |" in recipe for key in [*_keys(Recipe), *_parameters()]],
        "methods": [(methods / f"{name}.md").exists() for name in METHODS],
        "guarantees": [name in _headings(REFERENCE / "guarantees.md") for name in GUARANTEES],
        "losses": [name in _headings(REFERENCE / "losses.md") for name in [*LOSSES, *SET_LOSSES, *TREE_LOSSES]],
        "public names": [name in _text(REFERENCE / "python.md") for name in shoal.__all__],
    }
    with capsys.disabled():
        print("\ndocumented:", ", ".join(f"{sum(found)} of {len(found)} {what}" for what, found in asked.items()))
    assert all(all(found) for found in asked.values())


def test_attributes_of_results_are_there(printed: dict[str, dict[str, Any]]) -> None:
    page = _text(REFERENCE / "python.md")
    for kind in ("Release", "Verdict"):
        section = page.split(f"\n## shoal.{kind}\n")[1].split("\n## ")[0]
        cells = re.findall(r"^\| (`.*?`) \|", section, re.MULTILINE)
        listed = {name.removesuffix("()") for cell in cells for name in re.findall("`(.*?)`", cell)}
        made = getattr(shoal, kind)
        known = {field.name for field in dataclasses.fields(made)} | {n for n in vars(made) if not n.startswith("_")}
        assert listed == known


# ---- dependencies ----------------------------------------------------------------------------------------------------


def _packages(requirements: list[str]) -> set[str]:
    return {re.split(r"[<>=!~;\[ ]", requirement)[0].lower() for requirement in requirements}


def test_dependencies_are_those_of_the_project() -> None:
    project = tomllib.loads(_text(PROJECT / "pyproject.toml"))
    page = _text(PROJECT / "docs" / "dependencies.md")
    needed, _, rest = page.split("\n## What is installed with shoal\n")[1].partition("\n## ")
    developing = rest.split("For people who work on shoal\n")[1].split("\n## ")[0]
    extras = project["project"]["optional-dependencies"]
    added = [(rest.split(f"What the extra `{name}` adds\n")[1].split("\n## ")[0], extras[name]) for name in extras]
    for section, wanted in (
        (needed, _packages(project["project"]["dependencies"])),
        *((section, _packages(wanted)) for section, wanted in added),
        (developing, _packages(project["dependency-groups"]["dev"])),
    ):
        cells = re.findall(r"^\| (`.*?`) \|", section, re.MULTILINE)
        assert {name for cell in cells for name in re.findall("`(.*?)`", cell)} == wanted


# ---- links, words ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", all_pages(), ids=lambda page: str(page.relative_to(PROJECT)))
def test_links_lead_somewhere(page: Path) -> None:
    prose = re.sub(r"^```.*?^```", "", _text(page), flags=re.DOTALL | re.MULTILINE)
    prose = re.sub(r"`[^`\n]*`", lambda code: "" if "](" in code[0] else code[0], prose)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        assert found.exists(), f"{page.name} links to {target}"
        if anchor:
            assert anchor in map(_anchor, _headings(found)), f"{page.name} links to {target}"


def _anchor(heading: str) -> str:
    """As GitHub makes them."""
    plain = re.sub(r"[`*]", "", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def test_every_page_is_in_the_index() -> None:
    index = PROJECT / "docs" / "index.md"
    linked = {
        (index.parent / target.partition("#")[0]).resolve() for target in re.findall(r"\]\((.*?)\)", _text(index))
    }
    missing = [page for page in (PROJECT / "docs").rglob("*.md") if page not in linked and page != index]
    assert [str(page) for page in missing if page.parent.name != "evidence"] == []


@pytest.mark.parametrize("page", all_pages(), ids=lambda page: str(page.relative_to(PROJECT)))
def test_nothing_is_claimed_that_cannot_be(page: Path) -> None:
    for line, text in enumerate(_text(page).splitlines(), start=1):
        if "is anonymous" in text and not re.search(r"never|not|law|decision|[Ww]hether", text):
            pytest.fail(f"{page.name}:{line}: say 'meets the stated guarantee'")


def test_the_licence_is_whole() -> None:
    licence = _text(PROJECT / "LICENSE")
    assert licence.lstrip().startswith("Apache License")
    assert "END OF TERMS AND CONDITIONS" in licence and "9. Accepting Warranty or Additional Liability." in licence


def test_the_changelog_has_this_version() -> None:
    assert any(heading.startswith(f"[{shoal.__version__}]") for heading in _headings(PROJECT / "CHANGELOG.md"))
