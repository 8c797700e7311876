"""Where something lies: a path that this process sees, or a URI that Spark resolves (`hdfs://…`, `s3a://…`, `file:///…`)."""

from __future__ import annotations

import re
from pathlib import Path

Location = Path | str  # a str is a URI

PATTERN_SIGNS = "*?[]{}\\"  # Spark and Hadoop take a path that holds one for a pattern of many paths
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
# Stores in which renaming a folder is one step that happens or does not. In all others it may be a copy, file by file.
_RENAMES = frozenset({"file", "hdfs", "viewfs", "webhdfs", "swebhdfs"})


def is_uri(text: str) -> bool:
    return _URI.match(text) is not None


def name_of(location: Location) -> str:
    """The last part: `hdfs://node/data/people.parquet` → `people.parquet`."""
    if isinstance(location, Path):
        return location.name
    path = re.sub(r"^[^:]+:(//[^/]*)?", "", location)
    return path.rstrip("/").rpartition("/")[2]


def beside(uri: str, name: str) -> str:
    """Another name in the same folder."""
    return f"{uri.rstrip('/').rpartition('/')[0]}/{name}"


def renames_at_once(uri: str) -> bool:
    return uri.partition(":")[0].lower() in _RENAMES


def has_pattern(text: str) -> bool:
    return any(sign in text for sign in PATTERN_SIGNS)
