"""Thrift's compact protocol, as far as footers of Parquet files need it, and strictly.

Arrow ends the process at some footers that contradict themselves, so they are read here first. What a reader could take in two
ways is refused: a field that stands twice, or that is of another type than it should be. Nothing is built that was not asked for,
and nothing that is longer than the bytes that are left: fields that nobody asked for are passed over, lists of which only the
length matters are counted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_TRUE, _FALSE, _I8, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT, _UUID = range(1, 14)
_DEPTH = 32  # of structs in structs; a sound footer has less than ten


class MalformedError(ValueError):
    """The bytes are no such struct."""


@dataclass(frozen=True)
class Field:
    """What is wanted of a field: its name in what is read, its type on the wire, and how it is read."""

    name: str
    wire: int
    read: Callable[[Compact, int], Any]


Struct = dict[int, Field]


class Compact:
    """Bytes, and how far they are read."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    @property
    def left(self) -> int:
        return len(self._data) - self._at

    def struct(self, wanted: Struct, depth: int = 0) -> dict[str, Any]:
        """The fields that are wanted and there, by name."""
        if depth > _DEPTH:
            raise MalformedError("structs in structs, too deep")
        found: dict[str, Any] = {}
        seen: set[int] = set()
        number = 0
        while head := self.byte():
            wire, step = head & 15, head >> 4
            number = number + step if step else self.integer(16)
            if number in seen:
                raise MalformedError("a field twice")
            seen.add(number)
            field = wanted.get(number)
            if field is None:
                self.skip(wire, depth)
            elif wire != field.wire and not (field.wire == _TRUE and wire == _FALSE):
                raise MalformedError("a field of another type")
            else:
                found[field.name] = field.read(self, depth)
        return found

    def byte(self) -> int:
        if self._at >= len(self._data):
            raise MalformedError("cut off")
        self._at += 1
        return self._data[self._at - 1]

    def unsigned(self, bits: int) -> int:
        number = shift = 0
        while True:
            byte = self.byte()
            number |= (byte & 127) << shift
            if byte < 128:
                break
            shift += 7
            if shift >= bits:
                raise MalformedError("a number too long")
        if number >> bits:
            raise MalformedError("a number too large")
        return number

    def integer(self, bits: int) -> int:
        zigzag = self.unsigned(bits)
        return (zigzag >> 1) ^ -(zigzag & 1)

    def binary(self) -> bytes:
        length = self.unsigned(32)
        self._pass(length)
        return self._data[self._at - length : self._at]

    def list_head(self) -> tuple[int, int]:
        """(type of the elements, how many). Each takes at least a byte."""
        head = self.byte()
        number = head >> 4 if head >> 4 < 15 else self.unsigned(32)
        if number > self.left:
            raise MalformedError("a list that is longer than the footer")
        return head & 15, number

    def skip(self, wire: int, depth: int) -> None:
        if wire in (_TRUE, _FALSE):  # of a field the type is the value
            return
        self._skip_element(wire, depth)

    def _skip_element(self, wire: int, depth: int) -> None:
        if depth > _DEPTH:
            raise MalformedError("structs in structs, too deep")
        if wire in (_TRUE, _FALSE, _I8):
            self._pass(1)
        elif wire in (_I16, _I32, _I64):
            self.unsigned(64)
        elif wire == _DOUBLE:
            self._pass(8)
        elif wire == _BINARY:
            self._pass(self.unsigned(32))
        elif wire in (_LIST, _SET):
            self.skip_list(depth)
        elif wire == _MAP:
            self._skip_map(depth)
        elif wire == _STRUCT:
            self.struct({}, depth + 1)
        elif wire == _UUID:
            self._pass(16)
        else:
            raise MalformedError("a type that there is not")

    def skip_list(self, depth: int) -> int:
        """How many elements there were."""
        wire, number = self.list_head()
        for _ in range(number):
            self._skip_element(wire, depth + 1)
        return number

    def _skip_map(self, depth: int) -> None:
        number = self.unsigned(32)
        if number > self.left:
            raise MalformedError("a map that is longer than the footer")
        if not number:
            return
        wires = self.byte()
        for _ in range(number):
            self._skip_element(wires >> 4, depth + 1)
            self._skip_element(wires & 15, depth + 1)

    def _pass(self, number: int) -> None:
        if number > self.left:
            raise MalformedError("cut off")
        self._at += number


# ---- what may be wanted of a field ---------------------------------------------------------------------------------------


def i32(name: str) -> Field:
    return Field(name, _I32, lambda data, _: data.integer(32))


def i64(name: str) -> Field:
    return Field(name, _I64, lambda data, _: data.integer(64))


def binary(name: str) -> Field:
    return Field(name, _BINARY, lambda data, _: data.binary())


def length(name: str) -> Field:
    """Of bytes."""
    return Field(name, _BINARY, lambda data, _: len(data.binary()))


def struct(name: str, wanted: Struct) -> Field:
    return Field(name, _STRUCT, lambda data, depth: data.struct(wanted, depth + 1))


def is_there(name: str, wire: str) -> Field:
    """True where the field is."""

    def read(data: Compact, depth: int) -> bool:
        data.skip(number, depth)
        return True

    number = {"struct": _STRUCT, "binary": _BINARY}[wire]
    return Field(name, number, read)


def numbers(name: str) -> Field:
    """How many numbers of 64 bits a list has."""

    def read(data: Compact, _: int) -> int:
        wire, number = data.list_head()
        if number and wire != _I64:
            raise MalformedError("a list of other elements")
        for _number in range(number):
            data.unsigned(64)
        return number

    return Field(name, _LIST, read)


def structs(name: str, wanted: Struct) -> Field:
    def read(data: Compact, depth: int) -> list[dict[str, Any]]:
        wire, number = data.list_head()
        if number and wire != _STRUCT:
            raise MalformedError("a list of other elements")
        return [data.struct(wanted, depth + 1) for _ in range(number)]

    return Field(name, _LIST, read)
