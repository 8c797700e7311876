"""What stands beside a release (report, codebook, the custodian's manifest) must say of it what it is.

They are read here by code of the verifier's own, and nothing in them is believed: each statement that the file or the recipe can
contradict is held against it. Where there are none, as beside other tools' releases, nothing is asked.
"""

from __future__ import annotations

import csv
import hashlib
import html
import io
import json
from typing import TYPE_CHECKING, Any

from shoal.verifier.schema import Role
from shoal.verifier.verdict import Check

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from shoal.verifier.files.dialect import Dialect
    from shoal.verifier.terms import Terms

NAME = "sidecars"
_SUFFIXES = (".parquet", ".csv.gz", ".tsv.gz", ".dat.gz", ".csv", ".tsv", ".dat", ".jsonl", ".xlsx", ".sav", ".dta")
_MOST = 64 << 20  # bytes of a sidecar
_ROLES = {role.value for role in Role}


def check_sidecars(release: Path, terms: Terms, records: int, shown: Mapping[str, frozenset[str | None]]) -> Check:
    """shown: by column of single values, what the release shows there; empty when it was not read that far."""
    beside = _Beside(release)
    if not beside.names:
        return Check(NAME, True, "No report and no codebook stands beside the release.")
    try:
        problems = list(_problems(beside, terms, records, shown))
    except (KeyError, TypeError, AttributeError, IndexError):
        problems = ["A file beside the release does not have the form of a report or codebook of shoal."]
    except _Unreadable as reason:
        problems = [str(reason)]
    listed = ", ".join(beside.names)
    if problems:
        return Check(
            NAME, False, f"{' '.join(problems)} Whoever relies on it is misled. Publish again, or remove: {listed}."
        )
    return Check(NAME, True, f"What stands beside the release says of it what it is: {listed}.")


class _Unreadable(Exception):  # noqa: N818  # it is told, not raised further
    pass


class _Beside:
    def __init__(self, release: Path) -> None:
        self.release = release
        lower = release.name.lower()
        end = next((suffix for suffix in _SUFFIXES if lower.endswith(suffix)), release.suffix)
        self._stem = release.name[: len(release.name) - len(end)] if end else release.name
        kinds = ("report.json", "report.html", "codebook.json", "codebook.csv", "manifest.private.json")
        self.names = tuple(f"{self._stem}.{kind}" for kind in kinds if self.path(kind).is_file())

    def path(self, kind: str) -> Path:
        return self.release.with_name(f"{self._stem}.{kind}")

    def read(self, kind: str) -> bytes | None:
        path = self.path(kind)
        if not path.is_file():
            return None
        try:
            if path.stat().st_size > _MOST:
                raise _Unreadable(f"{path.name} is too large to be what it is named.")
            return path.read_bytes()
        except OSError:
            raise _Unreadable(f"{path.name} cannot be read.") from None

    def json(self, kind: str) -> Any:
        text = self.read(kind)
        if text is None:
            return None
        try:
            return json.loads(text.decode())
        except (ValueError, RecursionError):
            raise _Unreadable(f"{self.path(kind).name} is no JSON.") from None


def _problems(beside: _Beside, terms: Terms, records: int, shown: Mapping[str, frozenset[str | None]]) -> Iterator[str]:
    report, book = beside.json("report.json"), beside.json("codebook.json")
    sha256 = _hash(beside.release)
    if report is not None:
        name = beside.path("report.json").name
        if report["format"] != "shoal-report":
            yield f"{name} is no report of shoal."
            return
        yield from _of_report(name, report["facts"], beside, terms, records, sha256)
    page = beside.read("report.html")
    if page is not None:
        text, name = page.decode(errors="replace"), beside.path("report.html").name
        if sha256 not in text:
            yield f"{name} is about other data: it does not name the SHA-256 of the release."
        if any(
            html.escape(g.technical()) not in html.unescape(text) and g.technical() not in html.unescape(text)
            for g in terms.guarantees
        ):
            yield f"{name} does not state the promise of the recipe."
    if book is not None:
        yield from _of_codebook(beside.path("codebook.json").name, book, report, terms, shown)
        yield from _of_table(beside, book)
    manifest = beside.json("manifest.private.json")
    if manifest is not None:
        yield from _changed(beside, {one["name"]: one["sha256"] for one in manifest["files"]}, "manifest.private.json")


def _of_report(name: str, facts: Any, beside: _Beside, terms: Terms, records: int, sha256: str) -> Iterator[str]:
    files = facts["identity"]["files"]
    if files[0]["name"] != beside.release.name or files[0]["sha256"] != sha256:
        yield f"{name} is about other data: its name or SHA-256 is not that of the release."
    yield from _changed(beside, {one["name"]: one["sha256"] for one in files[1:]}, "report.json")
    if facts["verdict"]["passed"] is not True or not all(
        check["passed"] is True for check in facts["verdict"]["checks"]
    ):
        yield f"{name} says that the release did not pass."
    promised = [(g.name, g.technical(), g.sensitive or "") for g in terms.guarantees]
    if [(one["name"], one["technical"], one["column"]) for one in facts["promises"]] != promised:
        yield f"{name} states another promise than the recipe."
    # sensitive items need no l records to differ in: where nobody holds one, k are enough
    values = [g for g in terms.guarantees if g.sensitive not in terms.schema.quasi_sets]
    least = max(
        [2, *(getattr(g, "k", None) or 2 for g in terms.guarantees), *(getattr(g, "l", None) or 2 for g in values)]
    )
    if facts["k"] != least:
        yield f"{name} states another k than the recipe."
    if facts["records"]["published"] != records:
        yield f"{name} speaks of {facts['records']['published']:,} records, and the release has {records:,}."
    roles = {
        one["name"]: one.get("role", "quasi") for key in ("columns", "classes", "sets") for one in facts.get(key, ())
    }
    if facts.get("kind") == "sets":
        roles[facts["column"]["name"]] = "quasi"
    if roles != {column.name: column.role.value for column in terms.schema}:
        yield f"{name} gives columns other roles than the recipe."


def _of_codebook(
    name: str, book: Any, report: Any, terms: Terms, shown: Mapping[str, frozenset[str | None]]
) -> Iterator[str]:
    if book["format"] != "shoal-codebook":
        yield f"{name} is no codebook of shoal."
        return
    text = book.get("text")
    if text is not None and not _is_said(text, terms.dialect):
        yield f"{name} says that the release is written otherwise than the recipe says."
    columns = {one["name"]: one for one in book["columns"]}
    roles = {column.name: column.role.value for column in terms.schema}
    if any(
        one["role"] != roles.get(column, one["role"]) or one["role"] not in _ROLES for column, one in columns.items()
    ):
        yield f"{name} gives columns other roles than the recipe."
    levels = {
        one["name"]: one["level"]
        for one in ([] if report is None else report["facts"].get("columns", ()))
        if "level" in one
    }
    for column, one in columns.items():
        if column in levels and one["role"] == "quasi" and one["level"] != levels[column]:
            yield f"{name} and the report name different levels of '{column}'."
        listed = {_alike(value["value"]) for value in one.get("values") or ()}  # none where all stand for themselves
        unknown = {value for value in shown.get(column, ()) if _alike(value) not in listed} if listed else ()
        if unknown:
            yield f"{name} does not know {len(unknown):,} of the values that '{column}' shows."


def _of_table(beside: _Beside, book: Any) -> Iterator[str]:
    """The codebook as a table lists what the other lists, in the same order, whatever stands there against formulas."""
    text = beside.read("codebook.csv")
    if text is None:
        return
    try:
        rows = list(csv.reader(io.StringIO(text.decode(), newline=""), strict=True))
    except (ValueError, csv.Error):
        raise _Unreadable(f"{beside.path('codebook.csv').name} is no CSV.") from None
    listed = [(one["name"], value) for one in book["columns"] for value in one["values"] or [{"value": None}]]
    stated = [
        tuple(str(part) for part in (name, value["value"] or "", value.get("lower", ""), value.get("upper", "")))
        for name, value in listed
    ]
    bare = [tuple(cell.replace("'", "") for cell in row[:4]) for row in rows[1:]]
    if bare != [tuple(cell.replace("'", "") for cell in row) for row in stated]:
        yield f"{beside.path('codebook.csv').name} lists other values than {beside.path('codebook.json').name}."


def _is_said(text: Any, dialect: Dialect) -> bool:
    """The delimiter may be left open by the recipe; then it is a comma."""
    said = (text["encoding"], text["delimiter"], text["quote"], text["written"])
    return said == (dialect.encoding, dialect.delimiter or ",", dialect.quote, dict(dialect.written))


def _alike(text: str | None) -> str | float | None:
    """Numbers by value: how a float is written depends on who writes it."""
    try:
        return float(text) if text else None
    except ValueError:
        return text


def _changed(beside: _Beside, stated: Mapping[str, str], by: str) -> Iterator[str]:
    """Files whose hash is stated, and that are there and have another."""
    for name, sha256 in stated.items():
        folder, _, file = name.rpartition("/")
        if "/" in folder or not file or {folder, file} & {".", ".."}:
            yield f"{beside.path(by).name} names a file that cannot stand beside the release."
            continue
        path = beside.release.with_name(folder) / file if folder else beside.release.with_name(file)
        if path.exists() and _hash(path) != sha256:
            yield f"{name} is not the file of which {beside.path(by).name} has the SHA-256."


def _hash(path: Path) -> str:
    """Of a folder of Parquet files: of its listing, as `sha256sum *.parquet` prints it there."""
    try:
        if path.is_dir():
            parts = sorted(one.name for one in path.iterdir() if not one.name.startswith(("_", ".")))
            listing = "".join(f"{_hash(path / name)}  {name}\n" for name in parts)
            return hashlib.sha256(listing.encode()).hexdigest()
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        raise _Unreadable(f"{path.name} cannot be read.") from None
