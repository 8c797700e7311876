"""Thrift's compact protocol, written: what a strict reader of it is held against."""

from __future__ import annotations

from typing import Any

BOOL, I8, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12

# a value is (type, content); a struct's content is {number of the field: value}, a list's (type, [content, …])


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes([number])


def zigzag(number: int) -> bytes:
    return varint(number * 2 if number >= 0 else -number * 2 - 1)


def content(kind: int, value: Any) -> bytes:
    if kind == BOOL:
        return bytes([1 if value else 2])
    if kind == I8:
        return bytes([value & 255])
    if kind in (I16, I32, I64):
        return zigzag(value)
    if kind == DOUBLE:
        return bytes(8)
    if kind == BINARY:
        return varint(len(value)) + value
    if kind in (LIST, SET):
        element, values = value
        head = bytes([len(values) << 4 | element]) if len(values) < 15 else bytes([240 | element]) + varint(len(values))
        return head + b"".join(content(element, one) for one in values)
    if kind == MAP:
        (key, held), pairs = value
        inside = b"".join(content(key, one) + content(held, other) for one, other in pairs)
        return varint(len(pairs)) + (bytes([key << 4 | held]) + inside if pairs else b"")
    assert kind == STRUCT
    return struct(value)


def struct(fields: dict[int, tuple[int, Any]]) -> bytes:
    out, last = b"", 0
    for number, (kind, value) in sorted(fields.items()):
        wire = (1 if value else 2) if kind == BOOL else kind
        step = number - last
        out += bytes([step << 4 | wire]) if 0 < step < 16 else bytes([wire]) + zigzag(number)
        out += b"" if kind == BOOL else content(kind, value)
        last = number
    return out + b"\0"
