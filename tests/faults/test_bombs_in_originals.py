"""What grows without end is refused by the verifier too, when it is handed as the original; within the limits that makers keep."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bombs import csv_bombs, fimi_bombs, json_bombs, parquet_bombs, xml_bombs
from test_every_bomb import faults, server  # noqa: F401

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

    from bombs import Bomb

# by what the recipe says of the data: a release in which nothing is wrong
RELEASES = {
    b'kind = "set"': ("release.csv", b"items\n1\n1\n"),
    b'kind = "node"': ("release.jsonl", b'{"b":"1","a":[{"value":"x"}]}\n' * 2),
    b"": ("release.csv", b"a,b\nx,1\nx,1\n"),
}


def originals() -> Iterator[Bomb]:
    """Those that are data, in the place of the original of a release."""
    for kind in (csv_bombs, fimi_bombs, json_bombs, xml_bombs, parquet_bombs):
        for bomb in kind():
            if bomb.arguments[0] != "run":
                continue
            recipe = bomb.files["recipe.toml"]
            assert isinstance(recipe, bytes)
            name, content = next(release for said, release in RELEASES.items() if said in recipe)
            place = next(file for file in bomb.files if file != "recipe.toml")
            arguments = ("verify", name, "--recipe", "recipe.toml", "--original", place)
            yield replace(bomb, files={**bomb.files, name: content}, arguments=arguments)


def test_every_bomb_is_refused_as_an_original(server: subprocess.Popen[str], tmp_path: Path) -> None:  # noqa: F811
    wrong = [f"{bomb.name}: {what}" for bomb in originals() for what in faults(bomb, server, tmp_path)]
    assert not wrong, "\n".join(wrong)
