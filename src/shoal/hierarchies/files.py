"""Hierarchy files: recognised by their content, not by their name.

Reading is strict. A file is UTF-8 (a byte-order mark is dropped), plain or gzip, without control characters; a bomb
is refused before it unfolds. Every fault is reported with its line, and a file with one fault gives no hierarchy.
"""

from __future__ import annotations

import codecs
import gzip
import io
import re
import zlib
from typing import TYPE_CHECKING

from shoal.errors import HierarchyError
from shoal.hierarchies import amnesia, amnesia_json, arx
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.hierarchies.stated import MAX_CELLS, MOST_FAULTS, Fault, Faults, Format, Header, Stated, tree_faults

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MAX_BYTES = 64 * 1024 * 1024  # after unpacking
_SHOWN = 20  # faults named in one error message

# the C0 and C1 controls (LF aside), and the line and paragraph separators some editors break lines at
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_IN_A_LABEL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_CONTROL_JSON = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")  # a tab is white space there


def read_hierarchy(path: Path, *, name: str | None = None) -> Hierarchy:
    """The hierarchy of a file. `name` is what error messages call the file."""
    return hierarchy_of(read_stated(path), name or str(path))


def hierarchy_of(stated: Stated, name: str) -> Hierarchy:
    """The hierarchy that a file states; its faults are refused, with the name of the file."""
    _refuse(name, stated.faults)
    try:
        return Hierarchy.from_paths([path for _, path in stated.rows], stated.bounds)
    except HierarchyError as error:
        _refuse(name, tree_faults(stated.rows))
        raise HierarchyError(*(f"{name}: {fault}" for fault in error.faults)) from error


def _refuse(name: str, faults: Sequence[Fault]) -> None:
    wrong = [fault for fault in faults if fault.refuses]
    if wrong:
        lines = [f"{name}: {fault}" for fault in wrong[:_SHOWN]]
        if len(wrong) > _SHOWN:
            lines.append(f"{name}: {len(wrong) - _SHOWN:,} more; `shoal hierarchy check` lists them")
        raise HierarchyError(*lines)


def read_stated(path: Path) -> Stated:
    """What the file says, with every fault that reading met. Raises only when there is no file to read."""
    text, faults = _text(_bytes(path))
    if text is None:
        return Stated(Format.ARX, (), faults.all())
    form = _sniff(text)
    _control_characters(text, _CONTROL_JSON if form is Format.AMNESIA_JSON else _CONTROL, faults)
    if faults:
        return Stated(form, (), faults.all())
    parse = {Format.ARX: arx.parse, Format.AMNESIA: amnesia.parse, Format.AMNESIA_JSON: amnesia_json.parse}[form]
    return parse(text)


def _control_characters(text: str, control: re.Pattern[str], faults: Faults) -> None:
    """The first on each line."""
    line, counted, at = 1, 0, 0
    for _ in range(MOST_FAULTS):
        match = control.search(text, at)
        if match is None:
            return
        line += text.count("\n", counted, match.start())
        faults.add("control", f"a control character (U+{ord(match[0]):04X})", line)
        counted = match.start()
        at = text.find("\n", counted)
        if at < 0:
            return


def _sniff(text: str) -> Format:
    if re.match(r'\s*\{\s*(?:"|\}\s*\Z)', text):
        return Format.AMNESIA_JSON
    if text[:20].partition("\n")[0].strip() in amnesia.KINDS:
        return Format.AMNESIA
    return Format.ARX  # or anjana: the table's reader tells the two apart


def _bytes(path: Path) -> bytes | str:
    """The content, unpacked; or what is wrong with it."""
    if not path.is_file():
        raise HierarchyError(f"{path}: there is no such file.")
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
        if raw[:2] == b"\x1f\x8b" and len(raw) <= MAX_BYTES:
            with gzip.GzipFile(fileobj=io.BytesIO(raw)) as packed:
                raw = packed.read(MAX_BYTES + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        return "a damaged or incomplete gzip file"
    except OSError as error:
        raise HierarchyError(f"{path}: cannot be read ({error.strerror or type(error).__name__}).") from error
    if len(raw) > MAX_BYTES:
        return f"larger than {MAX_BYTES // 2**20} MB once unpacked"
    return raw


def _text(raw: bytes | str) -> tuple[str | None, Faults]:
    faults = Faults()
    if isinstance(raw, str):
        faults.add("unreadable", raw)
        return None, faults
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        faults.add("encoding", "the file is UTF-16; save it as UTF-8", 1)
        return None, faults
    raw = raw.removeprefix(codecs.BOM_UTF8).replace(b"\r\n", b"\n")
    if raw.count(b"\n") > MAX_CELLS:
        faults.add("too-large", f"more than {MAX_CELLS:,} lines")
        return None, faults
    try:
        return raw.decode("utf-8"), faults
    except UnicodeDecodeError:
        for number, line in enumerate(io.BytesIO(raw), start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                faults.add("encoding", "not UTF-8; save the file as UTF-8", number)
        return None, faults


def write_hierarchy(
    hierarchy: Hierarchy, path: Path, format: Format | str = Format.ARX, *, header: Header | None = None
) -> None:
    """Write; a name that ends in .gz packs it, with nothing about the host inside."""
    text = text_of(hierarchy, Format(format), header)
    raw = text.encode("utf-8")
    path.write_bytes(gzip.compress(raw, mtime=0) if path.name.endswith(".gz") else raw)


def text_of(hierarchy: Hierarchy, form: Format, header: Header | None = None) -> str:
    """The content of a file; refuses what the format cannot hold."""
    control = sum(label is not None and _IN_A_LABEL.search(label) is not None for label in hierarchy.labels)
    empty = "" in hierarchy.labels
    if control or empty:
        what = "an empty label" if empty else f"{control:,} labels with control characters"
        raise HierarchyError(f"A hierarchy file cannot hold {what}.")
    match form:
        case Format.ARX:
            return arx.write(hierarchy, ";")
        case Format.ANJANA:
            return arx.write(hierarchy, ",")
        case Format.AMNESIA:
            return amnesia.write(hierarchy, header)
        case Format.AMNESIA_JSON:
            return amnesia_json.write(hierarchy, header)
