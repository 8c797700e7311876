"""Kernels inside kernels: the same results, machine code only for what Python calls, and nothing else of Numba's is touched."""

import numpy as np
import pytest
from numba import njit
from numba.core.caching import NullCache
from numba.core.registry import cpu_target
from numba.core.types import BaseFunction

from shoal.kernels import compiling, linking


@pytest.fixture(scope="module")
def kernels():
    with (
        pytest.MonkeyPatch.context() as patch
    ):  # what is kept is named after the source of the package, and these lie outside
        patch.setattr(compiling, "_KernelCache", lambda _: NullCache())
        return two_kernels()


def two_kernels():
    @compiling.kernel
    def inner(numbers, at):
        if at >= len(numbers):
            raise IndexError("beyond the end")
        room = np.zeros(at + 1, np.int64)  # a function of Numba's own, which is linked as well
        room[:] = numbers[: at + 1]
        return room.sum()

    @compiling.kernel
    def outer(numbers, at):
        return 2 * inner(numbers, at)

    return inner, outer


def test_a_kernel_is_called_from_kernels_and_from_python(kernels):
    inner, outer = kernels
    numbers = np.array([1, 10, 100], np.int64)
    assert [outer(numbers, at) for at in range(3)] == [2, 22, 222]
    assert [inner(numbers, at) for at in range(3)] == [1, 11, 111]


@pytest.mark.parametrize("which", [0, 1])
def test_an_error_passes_through(kernels, which):
    with pytest.raises(IndexError, match="beyond the end"):
        kernels[which](np.array([1], np.int64), 1)


def test_what_only_kernels_call_has_no_machine_code(kernels):
    inner, outer = kernels
    outer(np.array([1], np.int64), 0)
    (part,) = inner._part.overloads.values()
    (whole,) = outer.overloads.values()
    assert part.library._is_waiting and not outer._part.overloads
    assert not whole.library._is_waiting


def test_others_compile_as_ever(kernels):
    kernels[1](np.array([1], np.int64), 0)
    codegen = cpu_target.target_context.codegen()
    assert type(codegen) is not linking._Codegen

    @njit
    def theirs(number):
        return number + 1

    assert theirs(1) == 2
    (compiled,) = theirs.overloads.values()
    assert type(compiled.library) is not linking._Library


def test_another_may_call_a_kernel(kernels):
    inner, _ = kernels

    @njit
    def theirs(numbers):
        return inner(numbers, 1) - 1

    assert theirs(np.array([1, 10], np.int64)) == 10


def test_a_failure_leaves_numba_as_it_was():
    usual = type(cpu_target.target_context.codegen())
    with pytest.raises(ZeroDivisionError), linking.linking():
        assert type(cpu_target.target_context.codegen()) is linking._Codegen
        assert BaseFunction.get_call_type is linking._remembered
        raise ZeroDivisionError
    assert type(cpu_target.target_context.codegen()) is usual
    assert BaseFunction.get_call_type is linking._asked
