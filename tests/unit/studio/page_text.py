"""What a person reads on a page."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from httpx import Response


def words(response: Response) -> str:
    """Without tags, scripts and styles."""
    body = re.sub(r"(?s)<(script|style)\b.*?</\1>", " ", response.text)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())
