"""The grammar of `shoal.io.csv_scan`, byte by byte in plain Python: slow, obvious, and written without looking at it."""

from __future__ import annotations

Record = list[str | None]


def parse(data: bytes, *, delimiter: str, multiline: bool) -> tuple[list[str], list[Record]] | None:
    """Header and records; None when the bytes are to be refused."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if "\0" in text or not text:
        return None
    rows: list[list[str]] = []
    at = 0
    while at < len(text):
        row: list[str] = []
        if text[at] == "\n" or text[at : at + 2] == "\r\n":
            return None  # a blank line
        while True:
            taken = (
                _quoted(text, at, multiline and bool(rows)) if text[at : at + 1] == '"' else _bare(text, at, delimiter)
            )
            if taken is None:
                return None
            field, at = taken
            row.append(field)
            if at == len(text):
                break
            if text[at] == delimiter:
                at += 1
                continue
            if text[at] == "\n":
                at += 1
                break
            if text[at : at + 2] == "\r\n":
                at += 2
                break
            return None
        rows.append(row)
    if any(len(row) != len(rows[0]) for row in rows):
        return None
    header, records = rows[0], [[field or None for field in row] for row in rows[1:]]
    while any(header) and not header[-1] and all(record[-1] is None for record in records):
        header, records = header[:-1], [record[:-1] for record in records]
    return header, records


def _quoted(text: str, at: int, multiline: bool) -> tuple[str, int] | None:
    field = ""
    at += 1
    while at < len(text):
        if text[at] == '"':
            if text[at + 1 : at + 2] != '"':
                return field, at + 1
            at += 1
        elif text[at] in "\r\n" and not multiline:
            return None
        field += text[at]
        at += 1
    return None


def _bare(text: str, at: int, delimiter: str) -> tuple[str, int] | None:
    start = at
    while at < len(text) and text[at] != delimiter and text[at] not in '"\r\n':
        at += 1
    return text[start:at], at
