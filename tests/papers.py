"""Sidecars of made-up releases: report and manifest state the SHA-256 by which a release is known."""

from __future__ import annotations

import hashlib
import json


def sidecar_text(name, mark, *hashes):
    """Of the sidecar `name` of a release that is marked so; `said` finds the mark again. hashes: of the data."""
    books = (f"{name.partition('.')[0]}.codebook.{suffix}" for suffix in ("json", "csv"))
    hashes = (*hashes, *(hashlib.sha256(_plain(book, mark).encode()).hexdigest() for book in books))
    files = [{"sha256": sha256} for sha256 in hashes]
    if name.endswith(".report.json"):
        return json.dumps({"format": "shoal-report", "facts": {"identity": {"files": files}}, "is": _plain(name, mark)})
    if name.endswith(".manifest.private.json"):
        return json.dumps({"format": "shoal-manifest", "files": files, "is": _plain(name, mark)})
    return _plain(name, mark)


def said(text):
    """Whose text it is."""
    return text.rstrip('"}').rpartition(" of ")[2]


def _plain(name, mark):
    return f"{name} of {mark}"
