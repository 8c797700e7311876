"""Records as bits against sets of record numbers."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.kernels.record_bits import Asked, bits_of, broken, number, ones, too_alike


def members(bits: np.ndarray) -> set[int]:
    return {64 * w + bit for w, word in enumerate(bits.tolist()) for bit in range(64) if word >> bit & 1}


def words_of(records: set[int], words: int) -> np.ndarray:
    made = [sum(1 << (record - 64 * w) for record in records if record // 64 == w) for w in range(words)]
    return np.array(made, np.uint64)


def test_ones_of_a_word() -> None:
    rng = np.random.default_rng(1)
    for word in [0, 1, 2**63, 2**64 - 1, *rng.integers(0, 2**64, 100, np.uint64).tolist()]:
        assert ones(np.uint64(word)) == word.bit_count()


@pytest.mark.parametrize("seed", range(40))
def test_too_few_or_too_alike(seed: int) -> None:
    rng = np.random.default_rng(seed)
    words = int(rng.integers(1, 4))

    def some(share: float) -> set[int]:
        return set(np.flatnonzero(rng.random(64 * words) < share).tolist())

    held = [some(0.3) for _ in range(int(rng.integers(0, 3)))]
    shares = rng.integers(2, 5, len(held))
    k = int(rng.integers(1, 20))
    secrets = np.array([words_of(one, words) for one in held], np.uint64).reshape(-1, words)
    asked = Asked(k, 2, secrets, shares.astype(np.int64))
    for records in (set(), some(0.05), some(0.2), some(0.9)):
        bits = words_of(records, words)
        frequent = any(len(records & one) * share > len(records) for one, share in zip(held, shares, strict=True))
        assert number(bits) == len(records)
        assert too_alike(bits, len(records), asked) == frequent
        assert broken(bits, asked) == (len(records) > 0 and (len(records) < k or frequent))


@pytest.mark.parametrize("seed", range(20))
def test_bits_of_the_records_that_hold_an_item(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sets = [sorted(rng.choice(6, int(rng.integers(0, 6)), replace=False).tolist()) for _ in range(12)]
    copies = rng.integers(1, 15, len(sets))
    offsets = np.cumsum([0, *map(len, sets)]).astype(np.int64)
    bits = bits_of(offsets, np.array([x for one in sets for x in one], np.int32), copies, 6)
    records = [one for one, copy in zip(sets, copies, strict=True) for _ in range(copy)]
    for item in range(6):
        assert members(bits[item]) == {record for record, one in enumerate(records) if item in one}
