"""What `--json` prints: one object, in which the keys scripts rely on are always there."""

from __future__ import annotations

import json
from typing import Any

import click

KEYS = ("verdict", "loss", "records_in", "records_out", "suppressed", "seconds")


def emit(facts: dict[str, Any]) -> None:
    """`verdict` is "pass", "fail", "error" or null; a key that a command has nothing to say about is null."""
    click.echo(json.dumps({**dict.fromkeys(KEYS), **facts}, ensure_ascii=False))
