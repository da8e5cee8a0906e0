"""The C program of a specialisation. C decides no edge case: it returns a status, and the call is left to eager.

The status is that of the processor's floating-point exceptions: an invalid operation, a division by zero, an overflow.
An invalid operation is raised too where a result is not finite, and where the gradient is 0.
What raises none is refused when the program is written (see `decidable_programs`).
"""

from __future__ import annotations

import ast
import ctypes
import re
from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import Any, NamedTuple

import numpy as np

from gradcli.answers.compilation.c_entries import CallForm, has_method, header_folders, with_entries
from gradcli.answers.compilation.decidable_programs import check_decided, compares_arrays
from gradcli.answers.compilation.derived_kernels import Kernel
from gradcli.answers.compilation.edge_cases import EdgeCaseError
from gradcli.answers.compilation.shared_libraries import library
from gradcli.answers.derivation.languages.c.program import CProgram
from gradcli.answers.derivation.languages.python_program import PythonProgram
from gradcli.errors import UnsupportedError

STACK = 1 << 16  # bytes of the arrays of a program that are on the stack
ARRAY = re.compile(r"^(\s+)((?:double|int) (\w+)((?:\[\d+\])+))( = \{0\})?;$")
_double, _address = ctypes.c_double, ctypes.c_void_p

Method = Callable[..., tuple[Any, Any] | None]  # like a kernel; None for calls that are left to another program
RowKernel = Callable[..., tuple[Any, Any, list[Any]]]


class CKernel(NamedTuple):
    """A program in C.

    Attributes:
        file: its library.
        kernel: it as a kernel.
        at_rows: it at many rows.
        method: it as a method of Python's, where the headers of Python are at hand.
    """

    file: str
    kernel: Kernel
    at_rows: RowKernel | None
    method: Method | None


def c_kernel(
    program: PythonProgram,
    arguments: dict[str, Any],
    stopping: frozenset[type[ast.cmpop]],
    value_type: type,
    *,
    results: tuple[Any, ...] | None = None,
    orders_arrays: bool = False,
) -> CKernel:
    """The program as a function of these arguments, by parameter, of which whole numbers are constants.

    Args:
        program: the program.
        arguments: those of the first call.
        stopping: the kinds of comparisons that stop at edge cases.
        value_type: the type of its value.
        results: for each gradient, what its structure is like; by default they are floats and arrays.
        orders_arrays: whether an order of arrays stops where some of their numbers are equal, which C does not.

    Raises:
        UnsupportedError: it cannot be written in C, or takes or does what C may do in another way.
        BuildError: there is no library.
    """
    made = _written(program, arguments, stopping)
    if value_type not in (float, np.float64):
        raise UnsupportedError(f"its value is a {value_type.__name__}")
    if orders_arrays and compares_arrays(made):
        raise UnsupportedError("it compares arrays")
    if results is None:
        results = tuple(np.empty(output.shape) if output.shape else 0.0 for output in made.outputs)
    elif len(results) != len(made.outputs):  # one list of floats, each of which is an output of its own
        results = ([0.0] * len(results),)
    form = CallForm(arguments, tuple(name for name, value in arguments.items() if not _is_whole(value)), results)
    text = made.text("Compiled by gradcli").splitlines()
    lines = _off_the_stack([line for line in text if not line.startswith("#include")])
    compiled = library(with_entries(made, "\n".join(lines), form), header_folders() if has_method(form) else ())
    at_rows = partial(_called_at_rows, compiled.gradcli_rows, [output.shape for output in made.outputs])
    if has_method(form):
        make_method = ctypes.PyDLL(compiled._name).gradcli_method
        make_method.restype = ctypes.py_object
        method = make_method(ctypes.py_object(value_type))
        return CKernel(compiled._name, partial(_ordinary, method), at_rows, method)
    return CKernel(compiled._name, _by_ctypes(compiled.gradcli_entry, made, form, value_type), at_rows, None)


def _written(program: PythonProgram, arguments: dict[str, Any], stopping: frozenset[type[ast.cmpop]]) -> CProgram:
    """The program in C, of whose arguments whole numbers are constants, if C decides no edge case."""
    for name, value in arguments.items():
        if not (type(value) is float or _is_array(value) or _is_whole(value) or _is_list(value)):
            raise UnsupportedError(f"{name} is no float, list of floats, whole number or contiguous array of float64")
    given = tuple(name for name, value in arguments.items() if not _is_whole(value))
    made = CProgram(program.changed(given=given), stopping, built=True)
    if len(program.parts) > 1:
        raise UnsupportedError("it calls a function that is not inlined")
    check_decided(made)
    return made


def _by_ctypes(function: Any, made: CProgram, form: CallForm, value_type: type) -> Kernel:
    """The kernel that calls a program where the headers of Python are not at hand."""
    arguments, given = form.arguments, form.given
    function.restype = ctypes.c_int
    function.argtypes = [_address, *(_double if type(arguments[name]) is float else _address for name in given)]
    function.argtypes += [_address] * len(made.outputs)
    taken = [_taken(arguments[name]) if name in given else None for name in arguments]
    outputs = [(output.shape, _is_list(like)) for output, like in zip(made.outputs, form.results, strict=True)]
    return partial(_called, function, (taken, outputs, value_type))


def _ordinary(method: Method, *arguments: Any) -> Any:
    """The value and the gradients.

    Raises:
        EdgeCaseError: they are not for C to decide.
    """
    result = method(*arguments)
    if result is None:
        raise EdgeCaseError
    return result


def _called(function: Any, forms: tuple[list[Any], list[tuple[tuple[int, ...], bool]], Any], *arguments: Any) -> Any:
    """The value and the gradients.

    Raises:
        EdgeCaseError: the processor has raised a floating-point exception.
    """
    taken, outputs, value_type = forms
    given = [take(argument) for take, argument in zip(taken, arguments, strict=True) if take is not None]
    value = _double()
    made: list[Any] = []
    addresses: list[Any] = []
    for shape, is_list in outputs:
        if is_list or not shape:
            made.append((_double * prod(shape))())
            addresses.append(made[-1])
        else:
            made.append(np.empty(shape))
            addresses.append(made[-1].ctypes.data)
    if function(ctypes.byref(value), *given, *addresses):
        raise EdgeCaseError
    parts = [_part(part, *output) for part, output in zip(made, outputs, strict=True)]
    return value_type(value.value), parts[0] if len(parts) == 1 else tuple(parts)


def _called_at_rows(
    function: Any, shapes: list[tuple[int, ...]], arguments: Sequence[Any], directions: Sequence[Any] = ()
) -> tuple[Any, Any, list[Any]]:
    """The status, the value and the gradients of each row, or of each row and each direction.

    Args:
        function: the loop in C.
        shapes: the shapes of the gradients.
        arguments: the first arguments, each with an axis of rows before its own; what is broadcast is not copied.
        directions: the others, each with an axis of directions.
    """
    count = (len(arguments[0]), *map(len, directions[:1]))
    given, steps = [], []
    for n, argument in enumerate((*arguments, *directions)):
        is_same = not argument.strides[0]
        given.append(np.ascontiguousarray(argument[:1] if is_same else argument, np.float64))
        step = 0 if is_same else prod(argument.shape[1:])
        steps += [step, 0] if n < len(arguments) else [0, step]
    status, values = np.empty(count, np.uint8), np.empty(count)
    parts = [np.empty((*count, *shape)) for shape in shapes]
    arrays: list[Any] = [np.array(steps, ctypes.c_long), status, values, *given, *parts]
    lengths = map(ctypes.c_long, (*count, 1)[:2])
    function(*lengths, *(_address(array.ctypes.data) for array in arrays))
    return status, values, parts


def _part(part: Any, shape: tuple[int, ...], is_list: bool) -> Any:
    if not shape:
        return part[0]
    return part if not is_list else part[:] if len(shape) == 1 else np.reshape(part[:], shape).tolist()


def _taken(value: Any) -> Callable[[Any], Any]:
    """The function that hands an argument to C."""
    if type(value) is float:
        return float
    if isinstance(value, np.ndarray):
        return lambda array: array.ctypes.data
    if type(value[0]) is float:
        kind = _double * len(value)
        return lambda items: kind(*items)
    shape = np.shape(value)
    kind = _double * prod(shape)
    return lambda items: kind(*np.ravel(items).tolist())


def _is_array(value: Any) -> bool:
    is_array = type(value) is np.ndarray and value.dtype == np.float64 and value.dtype.isnative
    return is_array and value.flags.c_contiguous and value.flags.aligned and value.ndim > 0


def _is_whole(value: Any) -> bool:
    return type(value) in (int, bool)


def _is_list(value: Any) -> bool:
    """Whether a value is a list or tuple of floats, or of such lists of one length."""
    if type(value) not in (list, tuple) or not value:
        return False
    if all(type(item) is float for item in value):
        return True
    return all(map(_is_list, value)) and len({np.shape(item) for item in value}) == 1


def _off_the_stack(lines: list[str]) -> list[str]:
    """The lines with the largest arrays as variables of the thread, so that no call outgrows its stack."""
    matches = [ARRAY.match(line) for line in lines]
    sizes = [8 * prod(map(int, re.findall(r"\d+", match[4]))) if match else 0 for match in matches]
    least = _least_moved(sizes)
    moved: list[str] = []
    for line, match, size in zip(lines, matches, sizes, strict=True):
        if match is None or size < least:
            moved.append(line)
            continue
        indent, declaration, name, _, is_zero = match.groups()
        moved.append(f"{indent}static _Thread_local {declaration};")
        moved += [f"{indent}memset({name}, 0, sizeof {name});"] if is_zero else []
    return moved


def _least_moved(sizes: list[int]) -> int:
    """The size of the smallest array that does not fit on the stack beside all smaller ones."""
    total = 0
    for size in sorted(sizes):
        total += size
        if total > STACK:
            return size
    return max(sizes, default=0) + 1
