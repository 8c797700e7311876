from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

from shoal.attacks.risk import SizeBin, risk_of
from shoal.errors import InternalError, RecipeError


def sizes(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


def test_one_eleventh_is_above_nine_percent() -> None:
    risk = risk_of(sizes(11, 12, 100), threshold=0.09)
    assert risk.highest == Fraction(1, 11)
    assert risk.prosecutor.above_threshold
    assert risk.prosecutor.records_at_risk == 11
    assert risk.prosecutor.share_at_risk == 11 / 123


def test_a_class_exactly_on_the_threshold_is_not_above_it() -> None:
    """In binary 1/10 and 0.1 need not agree; 0.1 is read as one tenth."""
    for size in range(1, 400):
        threshold = round(1 / size, 12)
        at_risk = risk_of(sizes(size), threshold=threshold).prosecutor.records_at_risk
        assert (at_risk == size) == (Fraction(1, size) > Fraction(str(threshold)))
    assert risk_of(sizes(10), threshold=0.1).prosecutor.above_threshold is False
    assert risk_of(sizes(5), threshold=0.2).prosecutor.records_at_risk == 0


def test_without_threshold_and_population_nothing_is_compared() -> None:
    risk = risk_of(sizes(1, 1, 2, 6))
    assert risk.prosecutor.records_at_risk is None
    assert risk.prosecutor.share_at_risk is None
    assert risk.journalist is None
    assert (risk.records, risk.classes, risk.smallest_class, risk.sample_uniques) == (10, 4, 1, 2)
    assert risk.average == Fraction(4, 10)
    assert risk.marketer == 0.4
    assert risk.prosecutor.highest == 1.0


def test_journalist_by_hand() -> None:
    """f = 1, 2, 3 in closed form, π = 1/10 (Polettini 2003)."""
    p, q = 0.1, 0.9
    expected = [
        -p * np.log(p) / q,
        p / q**2 * (p * np.log(p) + q),
        p / (2 * q**3) * (q * (3 * q - 2) - 2 * p**2 * np.log(p)),
    ]
    for f, value in enumerate(expected, start=1):
        journalist = risk_of(sizes(*[f] * 10), population=f * 100).journalist
        assert journalist is not None
        assert journalist.highest == pytest.approx(value, rel=1e-12)
        assert journalist.average == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("population", [10**3, 1500, 1999, 2001, 10**4, 10**9])
def test_journalist_agrees_with_numeric_integration(population: int) -> None:
    f = np.array([1, 2, 3, 5, 20, 63, 64, 65, 66, 200, 511])
    assert f.sum() == 1000
    pi = 1000 / population
    # z = w² smooths the integrand near 0; Gauss-Legendre on pieces that shrink towards 0
    edges = np.concatenate([[0.0], np.geomspace(1e-12, 1.0, 60)])
    nodes, weights = np.polynomial.legendre.leggauss(60)
    z = ((edges[1:, None] + edges[:-1, None]) / 2 + (edges[1:, None] - edges[:-1, None]) / 2 * nodes).ravel()
    w = ((edges[1:, None] - edges[:-1, None]) / 2 * weights).ravel()
    by_hand = np.array([pi * np.sum(w * z ** (size - 1) / (pi + (1 - pi) * z)) for size in f])
    risk = risk_of(f.astype(np.int64), population=population)
    assert risk.journalist is not None
    assert risk.journalist.highest == pytest.approx(by_hand[0], rel=1e-9)
    assert risk.journalist.average == pytest.approx(float(f @ by_hand) / 1000, rel=1e-9)
    assert risk.marketer == risk.journalist.average
    assert (by_hand >= pi / f - 1e-12).all()
    assert risk.journalist.highest <= risk.prosecutor.highest


def test_the_whole_population_is_the_prosecutor_again() -> None:
    risk = risk_of(sizes(1, 2, 7), threshold=0.3, population=10)
    assert risk.journalist == risk.prosecutor
    assert risk.prosecutor.records_at_risk == 3


def test_bins_count_every_class_and_record_once() -> None:
    risk = risk_of(sizes(1, 1, 4, 5, 9, 10, 19, 20, 49, 50, 120))
    assert risk.class_sizes == (
        SizeBin(1, 1, 2, 2),
        SizeBin(2, 2, 0, 0),
        SizeBin(3, 3, 0, 0),
        SizeBin(4, 4, 1, 4),
        SizeBin(5, 9, 2, 14),
        SizeBin(10, 19, 2, 29),
        SizeBin(20, 49, 2, 69),
        SizeBin(50, 99, 1, 50),
        SizeBin(100, 199, 1, 120),
    )
    assert risk_of(sizes(2000)).class_sizes[-1] == SizeBin(2000, 4999, 1, 2000)


def test_no_records_no_risk() -> None:
    risk = risk_of(sizes(), threshold=0.1, population=100)
    assert (risk.records, risk.smallest_class, risk.class_sizes) == (0, 0, ())
    assert risk.highest == risk.average == 0
    assert risk.journalist is not None
    assert risk.journalist.highest == 0


def test_it_can_be_written_as_json() -> None:
    assert json.loads(json.dumps(risk_of(sizes(3, 4), threshold=0.3).to_json()))["journalist"] is None


def test_nonsense_is_refused_at_once() -> None:
    with pytest.raises(RecipeError) as refused:
        risk_of(sizes(30), threshold=9, population=20)
    assert refused.value.problems == (
        "`threshold` must be a share above 0 and at most 1, no percentage; got 9.",
        "`population` must be at least the number of records, 30; got 20.",
    )
    with pytest.raises(RecipeError):
        risk_of(sizes(3), threshold=0)
    with pytest.raises(RecipeError):
        risk_of(sizes(3), population=True)
    with pytest.raises(InternalError):
        risk_of(sizes(0, 3))
