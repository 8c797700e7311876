"""Records as bits: those that show a label, those that show several, and whether they are too few or too alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.kernels.compiling import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Asked(NamedTuple):
    """What every combination of labels has to keep."""

    k: int
    m: int
    secrets: NDArray[np.uint64]  # (values, words): the records that hold, or may hold, each sensitive value
    shares: NDArray[np.int64]  # (values,): l, at most one in l may hold it


@kernel
def ones(word: np.uint64) -> int:
    """Bits that are set."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def number(bits: NDArray[np.uint64]) -> int:
    records = 0
    for word in bits:
        records += ones(word)
    return records


@kernel
def broken(bits: NDArray[np.uint64], asked: Asked) -> bool:
    """Whether records that someone may be among are too few or too alike. No records at all are fine."""
    records = number(bits)
    return records > 0 and (records < asked.k or too_alike(bits, records, asked))


@kernel
def too_alike(bits: NDArray[np.uint64], records: int, asked: Asked) -> bool:
    """Whether some sensitive value is too frequent among some records. records: their number."""
    secrets = asked.secrets
    for value in range(len(secrets)):
        alike = 0
        for w in range(len(bits)):
            alike += ones(bits[w] & secrets[value, w])
        if alike * asked.shares[value] > records:
            return True
    return False


@kernel
def bits_of(
    offsets: NDArray[np.int64], items: NDArray[np.int32], copies: NDArray[np.int64], count: int
) -> NDArray[np.uint64]:
    """(count, words): the records that hold each item. copies: (sets,) records of each."""
    bits = np.zeros((count, (copies.sum() + 63) // 64), np.uint64)
    at = 0
    for one in range(len(copies)):
        for bit in range(at, at + copies[one]):
            for i in range(offsets[one], offsets[one + 1]):
                bits[items[i], bit // 64] |= np.uint64(1) << np.uint64(bit % 64)
        at += copies[one]
    return bits
