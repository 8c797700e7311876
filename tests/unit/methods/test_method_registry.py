"""The methods a recipe can name: each says what data it works on."""

from __future__ import annotations

from typing import get_args

import pytest

from shoal.data.schema import Kind
from shoal.methods.registry import METHODS, kind_of, registered


class _Forgetful:
    name = "forgetful"
    title = "A method whose author forgot a line"


class _Odd(_Forgetful):
    kind = "table"


@pytest.mark.parametrize("method", [_Forgetful(), _Odd()])
def test_a_method_without_a_kind_is_refused(method):
    with pytest.raises(TypeError, match="declares no kind: tables, sets, mixed, trees"):
        registered(method)


def test_every_kind_has_a_method():
    assert {kind_of(name) for name in METHODS} == set(get_args(Kind))


def test_a_method_lies_in_the_folder_of_its_kind():
    for method in METHODS.values():
        assert type(method).__module__.split(".")[2] == method.kind, method.name
