"""Every reader of every command refuses what grows without end, within limits that the system sets: 5 seconds and 512 MB."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from bombs import bombs

import shoal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bombs import Bomb

SECONDS, MEGABYTES = 5, 512
SOURCE = Path(shoal.__file__).parents[1]


@pytest.fixture(scope="module")
def server() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("bomb_server.py")), str(SECONDS), str(MEGABYTES)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "2"},
    ) as running:  # fmt: skip
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n"
        yield running
        running.stdin.close()


def test_every_bomb_is_refused_while_it_is_small(
    server: subprocess.Popen[str], tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    names, wrong = [], []
    for bomb in bombs():
        names.append(bomb.name)
        wrong += [f"{bomb.name}: {what}" for what in faults(bomb, server, tmp_path)]
    assert not wrong, "\n".join(wrong)
    assert len(names) >= 130
    assert len(set(names)) == len(names)
    record_property("bombs", len(names))


def faults(bomb: Bomb, server: subprocess.Popen[str], tmp_path: Path) -> Iterator[str]:
    folder, told = tmp_path / "work", tmp_path / "told.txt"
    folder.mkdir()
    for name, content in bomb.files.items():
        if isinstance(content, bytes):
            (folder / name).write_bytes(content)
        else:
            content(folder / name)
    before = sorted(path.name for path in folder.iterdir())
    (tmp_path / "told.txt.peak").unlink(missing_ok=True)
    started = time.monotonic()
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(json.dumps([str(folder), str(told), bomb.arguments]) + "\n")
    server.stdin.flush()
    code, seconds, megabytes = json.loads(server.stdout.readline())
    said = told.read_text("utf-8", "replace")
    figures = f"{code}, {seconds:.1f} s of CPU, {time.monotonic() - started:.1f} s, {megabytes} MB: {said[-300:]!r}"
    if os.environ.get("SHOAL_BOMBS"):
        print(bomb.name, figures)
    if code not in bomb.codes or not said.strip() or "Traceback" in said or "fit in memory" in said:
        yield f"not refused: {figures}"
    if seconds > SECONDS or megabytes > MEGABYTES or megabytes < 0:
        yield f"too much: {figures}"
    if sorted(path.name for path in folder.iterdir()) != before:
        yield f"leaves {sorted(path.name for path in folder.iterdir())}: {figures}"
    shutil.rmtree(folder)
