"""The C text around a derived program: what is called from Python, and what calls it at many rows.

Where the headers of Python are at hand, the library has a method of its own, which takes and returns Python's objects.
"""

from __future__ import annotations

import os
import sysconfig
from functools import cache
from math import prod
from typing import Any

import numpy as np

from gradcli.answers.compilation.matrix_product import MATRIX_PRODUCT
from gradcli.answers.derivation.languages.c.program import CProgram
from gradcli.answers.derivation.languages.c.terms import literal
from gradcli.answers.derivation.languages.c.value_sizes import SizedArray
from gradcli.shared.frozen_record import Frozen

LARGE = 4096  # numbers, from which on other threads may run during a call
HEADERS = """#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <Python.h>
#include <numpy/arrayobject.h>
"""
INCLUDES = """#include <fenv.h>
#include <math.h>
#include <string.h>
#ifdef __clang__
#pragma STDC FENV_ACCESS ON
#endif
#ifdef __SSE2_MATH__ /* without the registers of the x87, which are slow to read */
#include <xmmintrin.h>
#define feclearexcept(all) _mm_setcsr(_mm_getcsr() & ~(unsigned)(all))
#define fetestexcept(some) ((int)_mm_getcsr() & (some))
#endif
#undef assert
#define assert(outcome) if (!(outcome)) { feraiseexcept(FE_INVALID); return 0.0; }
/* The vector functions of the platform, whose results are within 4 units in the last place. */
#if defined(__GLIBC__) && defined(__x86_64__) && !defined(__clang__)
#define VECTOR __attribute__((simd("notinbranch"), const))
VECTOR double exp(double);
VECTOR double log(double);
VECTOR double sin(double);
VECTOR double cos(double);
#if __GLIBC_PREREQ(2, 35)
VECTOR double tanh(double);
VECTOR double cosh(double);
VECTOR double sinh(double);
VECTOR double log1p(double);
VECTOR double expm1(double);
VECTOR double tan(double);
VECTOR double atan(double);
VECTOR double erf(double);
#endif
#endif
"""
READERS = """
static int read_numbers(PyObject *given, PyTypeObject *type, Py_ssize_t count, double *numbers)
{
    if (Py_TYPE(given) != type || PySequence_Fast_GET_SIZE(given) != count)
        return 0;
    PyObject **items = PySequence_Fast_ITEMS(given);
    for (Py_ssize_t n = 0; n < count; ++n) {
        if (!PyFloat_CheckExact(items[n]))
            return 0;
        numbers[n] = PyFloat_AS_DOUBLE(items[n]);
    }
    return 1;
}

static PyObject *written_numbers(int is_list, Py_ssize_t count, const double *numbers)
{
    PyObject *made = is_list ? PyList_New(count) : PyTuple_New(count);
    for (Py_ssize_t n = 0; made && n < count; ++n) {
        PyObject *item = PyFloat_FromDouble(numbers[n]);
        if (!item)
            Py_CLEAR(made);
        else if (is_list)
            PyList_SET_ITEM(made, n, item);
        else
            PyTuple_SET_ITEM(made, n, item);
    }
    return made;
}

static int is_array(PyObject *given, int axes, const npy_intp *shape)
{
    return PyArray_CheckExact(given) && PyArray_TYPE((PyArrayObject *)given) == NPY_DOUBLE
        && PyArray_ISCARRAY_RO((PyArrayObject *)given) && PyArray_NDIM((PyArrayObject *)given) == axes
        && PyArray_CompareLists(PyArray_DIMS((PyArrayObject *)given), shape, axes);
}
"""
METHOD = """
static PyMethodDef definition = {"gradient", (PyCFunction)(void *)call, METH_FASTCALL, NULL};

PyObject *gradcli_method(PyObject *give)
{
    import_array1(NULL);
    return PyCFunction_New(&definition, give);
}
"""


class CallForm(Frozen, eq=False):
    """How a program is called.

    Attributes:
        arguments: its arguments, of which those that are whole numbers are constants of the program.
        given: the names of those that C takes.
        results: for each gradient, the argument whose structure it has.
    """

    arguments: dict[str, Any]
    given: tuple[str, ...]
    results: tuple[Any, ...]


@cache
def header_folders() -> tuple[str, ...]:
    """The folders of the headers of Python and of NumPy; none where Python's are not installed."""
    python = sysconfig.get_paths()["include"]
    return (python, np.get_include()) if os.path.exists(os.path.join(python, "Python.h")) else ()


def has_method(form: CallForm) -> bool:
    """Whether a program can be called by a method of its library."""
    values = (*form.arguments.values(), *form.results)
    return bool(header_folders()) and all(
        isinstance(value, (float, np.ndarray)) or _is_whole(value) or _is_flat(value) for value in values
    )


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and abs(value) < 2**53


def _is_flat(value: Any) -> bool:
    return type(value) in (list, tuple) and len(value) < LARGE and all(type(item) is float for item in value)


def with_entries(made: CProgram, text: str, form: CallForm) -> str:
    """The text of a program with the functions that are called.

    `gradcli_entry` returns which floating-point exceptions were raised, `gradcli_rows` has a status for each row.
    """
    name = made.writer.name(made.name)
    is_array = [isinstance(made.values[parameter], SizedArray) for parameter in made.given]
    given = [f"{'const double *' if array else 'double '}a{n}" for n, array in enumerate(is_array)]
    results = [f"double *r{n}" for n in range(len(made.outputs))]
    handed = [f"(void *)a{n}" if array else f"a{n}" for n, array in enumerate(is_array)]
    handed += [f"(void *)r{n}" for n in range(len(made.outputs))]
    return "\n".join([
        HEADERS if has_method(form) else "", INCLUDES, MATRIX_PRODUCT if "matrix_product(" in text else "", text, "",
        f"static __typeof__({name}) *volatile program = {name};", "",
        f"int gradcli_entry(double *value, {', '.join([*given, *results])})", "{",
        "    feclearexcept(FE_ALL_EXCEPT);",
        f"    *value = program({', '.join(handed)});",
        "    return fetestexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);", "}", "",
        *_rows(made), *(_method(form) if has_method(form) else []),
    ])  # fmt: skip


def _rows(made: CProgram) -> list[str]:
    """The lines of a function that calls the entry at many rows, at each with each of some columns.

    Of each argument `steps` has the distance, in numbers, from row to row and from column to column. What underflows
    has a status there too.
    """
    kinds = [made.values[parameter] for parameter in made.given]
    sizes = [prod(kind.shape) if isinstance(kind, SizedArray) else 0 for kind in kinds]
    given = ", ".join(f"const double *a{n}" for n in range(len(kinds)))
    results = ", ".join(f"double *r{n}" for n in range(len(made.outputs)))
    places = [f"steps[{2 * n}] * row + steps[{2 * n + 1}] * column" for n in range(len(kinds))]
    handed = [f"a{n} + {place}" if sizes[n] else f"a{n}[{place}]" for n, place in enumerate(places)]
    handed += [f"r{n} + {prod(output.shape)} * k" for n, output in enumerate(made.outputs)]
    return [
        "void gradcli_rows(long rows, long columns, const long *steps, unsigned char *status, double *values, "
        f"{given}, {results})", "{",
        "    for (long k = 0; k < rows * columns; ++k) {",
        "        const long row = k / columns, column = k % columns;",
        f"        status[k] = gradcli_entry(values + k, {', '.join(handed)}) || fetestexcept(FE_UNDERFLOW);",
        "    }", "}", "",
    ]  # fmt: skip


def _method(form: CallForm) -> list[str]:
    """The lines of the method, which returns the value and the gradients, or None where a call is not one for C."""
    arguments, numbers = form.arguments, range(len(form.results))
    size = sum(prod(np.shape(value)) for value in (*arguments.values(), *form.results))
    begin, end = ("Py_BEGIN_ALLOW_THREADS", "Py_END_ALLOW_THREADS") if size >= LARGE else ("", "")
    handed = ", ".join(["&value", *(f"a{n}" for n in range(len(form.given))), *(f"r{n}" for n in numbers)])
    made = "".join(f", m{n}" for n in numbers)
    parts = "N" if len(numbers) == 1 else f"({'N' * len(numbers)})"
    return [
        READERS,
        "static PyObject *call(PyObject *give, PyObject *const *given, Py_ssize_t count)", "{",
        f"    if (count != {len(arguments)})", "        Py_RETURN_NONE;",
        *(line for n, name in enumerate(arguments) for line in _argument(f"given[{n}]", name, form)),
        "    PyObject *number = NULL;",
        *(f"    PyObject *m{n} = NULL;" for n in numbers),
        *(line for n, result in enumerate(form.results) for line in _place(n, result)),
        "    double value;", "    int status;",
        begin, f"    status = gradcli_entry({handed});", end,
        "    if (status)", "        goto leave;",
        "    number = PyFloat_FromDouble(value);",
        "    if (number && give != (PyObject *)&PyFloat_Type)",
        '        number = PyObject_CallFunction(give, "N", number);',
        *(line for n, result in enumerate(form.results) for line in _result(n, result)),
        f'    return Py_BuildValue("N{parts}", number{made});',
        "leave:",
        *(f"    Py_XDECREF(m{n});" for n in numbers),
        "    if (PyErr_Occurred())", "        return NULL;",
        "    Py_RETURN_NONE;", "}", METHOD,
    ]  # fmt: skip


def _argument(given: str, name: str, form: CallForm) -> list[str]:
    """The lines that read an argument, and return None where it is another kind of value."""
    value, number = form.arguments[name], form.given.index(name) if name in form.given else -1
    if isinstance(value, bool):
        return [f"    if ({given} != {'Py_True' if value else 'Py_False'})", "        Py_RETURN_NONE;"]
    if isinstance(value, int):
        return [
            f"    if (!PyLong_CheckExact({given}) || PyLong_AsDouble({given}) != {value}.0) {{",
            "        PyErr_Clear();", "        Py_RETURN_NONE;", "    }",
        ]  # fmt: skip
    if isinstance(value, float):
        return [
            f"    if (!PyFloat_CheckExact({given}))", "        Py_RETURN_NONE;",
            f"    const double a{number} = PyFloat_AS_DOUBLE({given});",
        ]  # fmt: skip
    if isinstance(value, np.ndarray):
        return [
            f"    static const npy_intp shape{number}[] = {literal(value.shape)};",
            f"    if (!is_array({given}, {value.ndim}, shape{number}))", "        Py_RETURN_NONE;",
            f"    const double *a{number} = PyArray_DATA((PyArrayObject *){given});",
        ]  # fmt: skip
    kind = "List" if isinstance(value, list) else "Tuple"
    return [
        f"    double a{number}[{len(value)}];",
        f"    if (!read_numbers({given}, &Py{kind}_Type, {len(value)}, a{number}))", "        Py_RETURN_NONE;",
    ]  # fmt: skip


def _place(number: int, result: Any) -> list[str]:
    """The lines that declare where C writes a gradient."""
    if not isinstance(result, np.ndarray):
        return [f"    double r{number}[{1 if isinstance(result, float) else len(result)}];"]
    return [
        f"    npy_intp length{number}[] = {literal(result.shape)};",
        f"    m{number} = PyArray_SimpleNew({result.ndim}, length{number}, NPY_DOUBLE);",
        f"    if (!m{number})", "        goto leave;",
        f"    double *r{number} = PyArray_DATA((PyArrayObject *)m{number});",
    ]  # fmt: skip


def _result(number: int, result: Any) -> list[str]:
    """The lines that make Python's object of a gradient."""
    if isinstance(result, np.ndarray):
        return []
    if isinstance(result, float):
        return [f"    m{number} = PyFloat_FromDouble(*r{number});"]
    return [f"    m{number} = written_numbers({int(isinstance(result, list))}, {len(result)}, r{number});"]
