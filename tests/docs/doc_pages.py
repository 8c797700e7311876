"""The pages of the documentation, taken apart into the blocks that tests run.

Before a fence an HTML comment may say one of three things:

    <!-- file: demo/ages.csv -->     the block is the content of a file; it is written before the next block runs
    <!-- not run: why -->            the block is not executed, and why
    <!-- needs: spark -->            it is executed where Spark is installed; Python in a process of its own
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]

_FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,})(?P<language>\S*)\s*$")
_COMMENT = re.compile(r"^\s*<!--\s*(?P<key>[a-z ]+?)\s*:\s*(?P<value>.*?)\s*-->\s*$")
_KNOWN = ("file", "not run", "needs")


@dataclass(frozen=True)
class Block:
    page: Path
    line: int  # of the fence, counted from 1
    language: str
    code: str
    file: str | None = None
    not_run: str | None = None
    needs: str | None = None

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(PROJECT)}:{self.line}"


@dataclass(frozen=True)
class Command:
    """One command line of a block, and the lines of output the page shows for it."""

    text: str
    output: tuple[str, ...] = ()


def pages() -> list[Path]:
    return [PROJECT / "README.md", *sorted((PROJECT / "docs").rglob("*.md"))]


def all_pages() -> list[Path]:
    """Also those whose blocks are for people who work on shoal, not for its users."""
    return [*pages(), *(PROJECT / name for name in ("CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"))]


def blocks(page: Path) -> list[Block]:
    found: list[Block] = []
    lines = page.read_text(encoding="utf-8").splitlines()
    at, said = 0, {}
    while at < len(lines):
        comment = _COMMENT.match(lines[at])
        fence = _FENCE.match(lines[at])
        if comment and comment["key"] in _KNOWN:
            said[comment["key"]] = comment["value"]
        elif fence:
            indent = len(fence["indent"])
            end = next(i for i in range(at + 1, len(lines)) if lines[i].strip() == fence["ticks"])
            code = "\n".join(line[indent:] for line in lines[at + 1 : end]) + "\n"
            told = (said.get(key) for key in _KNOWN)
            found.append(Block(page, at + 1, fence["language"], code, *told))
            at, said = end, {}
        elif lines[at].strip():
            said = {}
        at += 1
    return found


def commands(block: Block) -> list[Command]:
    """`bash`: every line is a command. `console`: commands follow `$ `, the rest is output."""
    found: list[Command] = []
    lines = iter(block.code.splitlines())
    for line in lines:
        is_command = block.language == "bash" or line.startswith("$ ")
        if is_command and line.strip() and not line.startswith("#"):
            text = line.removeprefix("$ ")
            while text.endswith("\\"):
                text = text[:-1] + next(lines).removeprefix("> ").strip()
            found.append(Command(text))
        elif not is_command and found:
            found[-1] = Command(found[-1].text, (*found[-1].output, line))
        elif not is_command:
            raise AssertionError(f"{block.place}: output before the first command")
    return found
