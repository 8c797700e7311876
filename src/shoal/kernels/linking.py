"""What only other kernels call is linked into them, and is made into machine code there alone.

Numba treats each function by itself: it optimizes it and makes machine code of it with a wrapper for Python, then links what it
optimized into whoever calls it, and optimizes that again. Of the functions behind a first run three in four are only ever
linked. Here they get neither wrapper nor machine code, and LLVM works once, on the whole of what Python calls. Nor is Numba made
to find out again what a function gives for arguments of the same types: of 5,057 such questions behind a run with nested records
373 differ, and each tries dozens of forms.

This reaches into Numba, so it is done with the versions it was tried with; with others kernels are compiled as Numba does it, and a
first run takes longer. `linking` lasts while a kernel is compiled, under Numba's own lock; other code that uses Numba in the same
process is compiled as ever.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from numba import version_info
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import lookup_environment
from numba.core.registry import cpu_target
from numba.core.types import Array, BaseFunction, Boolean, Float, Integer, IntegerLiteral, NoneType, UniTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_TRIED = {(0, 68)}  # versions of Numba; the tests say whether another may be added
_ENVIRONMENT = "_ZN08NumbaEnv"  # how the names begin of what Numba keeps beside a function


class _Library(JITCodeLibrary):
    """The code of one function and of what it calls: optimized and made into machine code once its wrapper is asked for."""

    _codegen: Any
    _is_waiting = False

    def finalize(self) -> None:
        """Only link: whoever links this may ask for it now."""
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = self._is_waiting = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()  # type: ignore[no-untyped-call]
        if self._is_waiting:
            if not any(
                function.name == name and not function.is_declaration for function in self._final_module.functions
            ):
                return 0  # no wrapper: Python cannot call it
            self._make_machine_code()
        address: int = super().get_pointer_to_function(name)  # type: ignore[no-untyped-call]
        return address

    def _make_machine_code(self) -> None:
        self._is_waiting = False
        self._codegen._check_llvm_bugs()
        self._optimize_final_module()  # type: ignore[no-untyped-call]
        self._final_module.verify()
        self._finalize_final_module()  # type: ignore[no-untyped-call]
        for variable in self._final_module.global_variables:  # of the functions that were linked
            if variable.name.startswith(_ENVIRONMENT):
                environment = lookup_environment(variable.name)  # type: ignore[no-untyped-call]
                if environment is not None:
                    self._codegen.set_env(variable.name, environment)

    def _optimize_functions(self, module: Any) -> None:
        """Those that are defined: Numba sets up its passes for each that is merely named, too."""
        module.data_layout = self._codegen._data_layout
        for function in module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager()
                passes.run(function, builder)


class _Codegen(JITCPUCodegen):
    _library_class = _Library
    _engine: Any

    def set_env(self, env_name: str, env: Any) -> None:
        if self._engine.is_symbol_defined(env_name):  # not yet, of what waits to be linked
            super().set_env(env_name, env)  # type: ignore[no-untyped-call]


_PLAIN = (Integer, IntegerLiteral, Float, Boolean, Array, UniTuple, NoneType)  # whose types say all there is to know
_asked = BaseFunction.get_call_type


def _remembered(self: Any, context: Any, args: tuple[Any, ...], kws: Any) -> Any:
    """What a function of Numba's gives for arguments of these types, asked once. Kernels are all compiled with the same options."""
    if kws or not all(isinstance(arg, _PLAIN) for arg in args):
        return _asked(self, context, args, kws)
    answers = self.__dict__.setdefault("_answers_to_kernels", {})
    if args not in answers:
        answers[args] = _asked(self, context, args, kws)
    return answers[args]


@contextmanager
def linking() -> Iterator[None]:
    """What is compiled meanwhile has machine code only if Python can call it."""
    with global_compiler_lock:
        codegen = cpu_target.target_context.codegen()
        usual = type(codegen)
        if usual is JITCPUCodegen and version_info[:2] in _TRIED:  # not another's, and not already ours
            codegen.__class__ = _Codegen
            BaseFunction.get_call_type = _remembered  # type: ignore[method-assign]
        try:
            yield
        finally:
            codegen.__class__ = usual
            if usual is not _Codegen:
                BaseFunction.get_call_type = _asked  # type: ignore[method-assign]
