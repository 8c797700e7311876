"""What a build adds to pyproject.toml: the README with links that work on PyPI."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(!?\[[^\]]*\]\()(?![a-z]+:|#)([^)\s]+\))")


def with_whole_links(text: str, source: str, version: str) -> str:
    """Markdown whose links lead to the files of this version at the source, and no longer beside the text."""

    def whole(link: re.Match[str]) -> str:
        form = "raw" if link[1].startswith("!") else "blob"
        return f"{link[1]}{source}/{form}/v{version}/{link[2]}"

    return _LINK.sub(whole, text)


class CustomMetadataHook(MetadataHookInterface):
    """The one hook of the build; hatchling finds it by its base class."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        text = with_whole_links(text, metadata["urls"]["Source"], metadata["version"])
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
