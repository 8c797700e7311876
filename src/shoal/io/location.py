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
    """Whether a text begins with a scheme."""
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
    """Whether a folder of that store is renamed in one step."""
    return uri.partition(":")[0].lower() in _RENAMES


def split(uri: str) -> tuple[str, str, str]:
    """Scheme and host in lower case, without a port, and the path: `hdfs://Node:8020/data` → `hdfs`, `node`, `/data`."""
    scheme, _, rest = uri.partition("://")
    host, _, path = rest.partition("/")
    return scheme.lower(), re.sub(r":\d*$", "", host.lower()), f"/{path}"


def path_of(uri: str) -> Path | None:
    """Of `file://…`; None of all others."""
    scheme, _, path = split(uri)
    return Path(path) if scheme == "file" else None


def has_pattern(text: str) -> bool:
    """Whether Spark would take the text for a pattern of many paths."""
    return any(sign in text for sign in PATTERN_SIGNS)
