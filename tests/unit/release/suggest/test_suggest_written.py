"""How numbers and dates are written: stated where all values say so, asked where they do not."""

import pytest

from shoal.release.suggest.written import canonical_counts, forms_of


@pytest.mark.parametrize(
    ("values", "forms"),
    [
        (["174,2", "180"], ("1234,5",)),
        (["1.234,50", "12,00"], ("1.234,5",)),
        (["1.234.567", "12"], ("1.234,5",)),
        (["1,234.50", "12"], ("1,234.5",)),
        (["1 234,5", "7"], ("1 234,5",)),
        (["1\u00a0234", "7"], ("1\u00a0234,5",)),
        (["1'234.5", "7"], ("1'234.5",)),
        (["1,234", "2,500"], ("1234,5", "1,234.5")),
        (["1.5", "2", "1e3"], ()),
        (["1.234", "2.500"], ()),
        (["Köln", "174,2"], ()),
        (["174,2 cm"], ()),
        (["1,2,3", "1,2"], ()),
        (["31.12.1980", "01.02.1999"], ("dd.mm.yyyy",)),
        (["31.12.1980", "1.2.1999"], ("d.m.yyyy",)),
        (["12/31/1980", "01/02/1999"], ("mm/dd/yyyy",)),
        (["05/03/1984", "01/02/1999"], ("dd/mm/yyyy", "mm/dd/yyyy")),
        (["03/03/1984"], ("dd/mm/yyyy", "mm/dd/yyyy")),
        (["12/31/1980", "31/12/1980"], ()),
        (["1980/12/31"], ("yyyy/mm/dd",)),
        (["19801231", "19990201"], ("yyyymmdd",)),
        (["19801331", "19990201"], ()),
        (["1980-12-31"], ()),
        (["31.12.80"], ()),
        ([], ()),
    ],
)
def test_forms(values, forms):
    assert forms_of(values) == forms


def test_a_point_is_asked_about_where_commas_are_in_numbers():
    assert forms_of(["1.234", "2.500"], comma=True) == ("1234.5", "1.234,5")
    assert forms_of(["1.5", "2.500"], comma=True) == ()
    assert forms_of(["1", "2"], comma=True) == ()


def test_values_are_counted_as_they_will_be_read():
    assert canonical_counts({"1,5": 2, "NA": 1}, ("1234,5",)) == {"1.5": 2, "NA": 1}
    assert canonical_counts({"1,234": 2}, ("1234,5", "1,234.5")) == {"1,234": 2}
