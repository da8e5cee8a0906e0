"""Hints for calls that need bare numbers, such as `rng.normal(mean)` and `Decimal(x)`: what to write instead."""

from __future__ import annotations

import dis
import inspect
from collections.abc import Iterable
from types import FrameType, ModuleType
from typing import Any

import numpy as np

from gradcli.engine.code.bytecode_names import original
from gradcli.engine.code.stack_frames import is_ours
from gradcli.mathematics.rules.function_registry import FUNCTIONS
from gradcli.mathematics.rules.nondifferentiable import NUMPY

WRITING = frozenset(("fill", "partition", "put", "resize", "sort"))  # methods that write into the array itself
METHODS = frozenset(
    name
    for name in set(dir(np.ndarray)).intersection(dir(np)).difference(WRITING)
    if callable(getattr(np, name)) and callable(getattr(np.ndarray, name))
)  # methods of plain arrays that also exist as NumPy functions; `size` and others are attributes

# Random draws rewritten so that their parameters are followed: a draw without parameters, then transformed.
_DRAWS = {
    "normal": "loc + scale * rng.standard_normal(size)",
    "uniform": "low + (high - low) * rng.random(size)",
    "exponential": "scale * rng.standard_exponential(size)",
    "lognormal": "np.exp(mean + sigma * rng.standard_normal(size))",
    "laplace": "loc + scale * rng.laplace(size=size)",
    "logistic": "loc + scale * rng.logistic(size=size)",
    "gumbel": "loc + scale * rng.gumbel(size=size)",
    "rayleigh": "scale * rng.rayleigh(size=size)",
    "weibull": "rng.standard_exponential(size) ** (1 / a)",
    "pareto": "np.expm1(rng.standard_exponential(size) / a)",
    "multivariate_normal": "mean + np.linalg.cholesky(cov) @ rng.standard_normal(len(mean))",
    "permutation": "x[rng.permutation(len(x))]",
    "permuted": "x[rng.permutation(len(x))]",
    "shuffle": "x[rng.permutation(len(x))]",
}
_PLAIN_DRAWS = ("beta", "binomial", "chisquare", "dirichlet", "f", "gamma", "geometric", "hypergeometric",
                "multinomial", "negative_binomial", "noncentral_chisquare", "poisson", "standard_gamma", "standard_t",
                "triangular", "vonmises", "wald", "zipf")  # fmt: skip

# What to write in place of a call, by the package of the function that is called. `{name}` is how the user calls it.
_CONSTANT = "to treat it as a constant"
_MEAN_IT = f"`gradcli.stop_gradient(x)` {_CONSTANT}"
_NO_FLOATS = f"Its numbers are not floats and are not recorded: compute with floats, or pass {_MEAN_IT}."
_TEXT = f"Text and bytes carry no derivative: compute with the number itself, or pass {_MEAN_IT}."
_PROCESS = (
    "Another process receives numbers without their derivatives: compute in this one (threads are fine), or pass "
    f"{_MEAN_IT}."
)
_C_CODE = (
    "Compiled code needs plain numbers: write the computation in Python or NumPy, or add a rule with `gradcli.rule`."
)
LABELS = (
    "Labelled arrays take recorded numbers through arithmetic, NumPy's functions, sums and means: write the rest with "
    "NumPy on the numbers, `x.to_numpy()`."
)
_TIME = f"A clock needs plain numbers and has no derivative: pass {_MEAN_IT}."
_PACKAGES = {
    "numba": "Numba's machine code needs plain numbers: call {name}.py_func, the Python function, instead.",
    "decimal": _NO_FLOATS, "fractions": _NO_FLOATS, "mpmath": _NO_FLOATS, "sympy": _NO_FLOATS,
    "struct": _TEXT, "json": _TEXT, "pickle": _TEXT, "marshal": _TEXT,
    "multiprocessing": _PROCESS, "concurrent": _PROCESS, "subprocess": _PROCESS,
    "ctypes": _C_CODE, "cffi": _C_CODE,
    "array": f"An `array.array` holds plain numbers: write `np.array([...])`, or pass {_MEAN_IT}.",
    "memoryview": f"A memoryview holds plain numbers: read the array itself, x[...], or pass {_MEAN_IT}.",
    "pandas": LABELS, "xarray": LABELS,
    "time": _TIME, "datetime": _TIME, "sched": _TIME, "select": _TIME, "signal": _TIME,
}  # fmt: skip
_OTHERWISE = f"Use a function of `math` or `numpy` instead, or {_MEAN_IT}."


def hint(frames: Iterable[FrameType]) -> str:
    """What to write in place of the call by which frames, innermost first, need a bare number."""
    frames = [frame for frame in frames if not is_ours(frame)]  # reading the names of a frame keeps its values alive
    hints = (_of_method(frames[0]) if frames else None, *map(_of_package, frames))
    return next(filter(None, hints), _OTHERWISE)


def _of_package(frame: FrameType) -> str | None:
    """The hint for the package that a frame calls, or that its own code belongs to."""
    names = called_names(frame)
    of_called = package_of(called_object(frame, names)) if names else ""
    own = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    known = next((package for package in (of_called, own) if package in _PACKAGES), None)
    return _PACKAGES[known].format(name=".".join(names)) if known else None


def package_of(function: Any) -> str:
    """The package that a function or class comes from, without the underscore of its compiled part."""
    if function is memoryview:
        return "memoryview"
    kind = type(function).__module__
    module = kind if kind != "builtins" and not isinstance(function, type) else getattr(function, "__module__", None)
    if module is None:  # a method of a class written in C
        owner = getattr(function, "__self__", None)
        owner = getattr(function, "__objclass__", None) if owner is None else owner
        module = getattr(owner if isinstance(owner, type) else type(owner), "__module__", "")
    return str(module).lstrip("_").partition(".")[0].removesuffix("_backend")


def called_object(frame: FrameType, names: list[str]) -> Any:
    """What a dotted name means in a frame; None if that takes running code of the program."""
    value: Any = {**frame.f_builtins, **frame.f_globals, **frame.f_locals}.get(names[0])
    for name in names[1:]:
        value = vars(value).get(name) if isinstance(value, ModuleType) else inspect.getattr_static(value, name, None)
        value = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
    return value


def _of_method(frame: FrameType) -> str | None:
    """The hint for the method that a frame is calling, or None."""
    name = called_method(frame)
    if name in _DRAWS:
        return f"Random draws need plain numbers. Write {_DRAWS[name]}, which keeps the derivative by the parameters."
    if name == "choice":
        value = "For a recorded x, write x[rng.choice(len(x), size)]"
        return f"{value}. The draws do not depend smoothly on p: pass p=gradcli.stop_gradient(p) {_CONSTANT}."
    if name in _PLAIN_DRAWS:
        return (
            f"The draws of {name} do not depend smoothly on its parameters: pass gradcli.stop_gradient(x) {_CONSTANT}."
        )
    if name == "dot":
        return "Methods of plain arrays need plain numbers: write A @ x, or np.dot(A, x)."
    if name in WRITING:
        return "Methods of plain arrays need plain numbers: write into the items, a[:] = x."
    if name is not None and (name in FUNCTIONS or name in NUMPY):
        return f"Methods of plain arrays need plain numbers: write np.{name}(a, x)."
    return None


def called_method(frame: FrameType) -> str | None:
    """The name of the attribute that a frame is calling."""
    names = called_names(frame)
    return names[-1] if len(names) > 1 else None


def called_names(frame: FrameType) -> list[str]:
    """The dotted name that a frame is calling, as `["rng", "normal"]`; only its end if the rest is no name.

    It consists of the loads that start at the source position of the call.
    """
    instructions = list(dis.get_instructions(original(frame.f_code)))
    call = max(
        (instruction for instruction in instructions if instruction.offset <= frame.f_lasti),
        key=lambda load: load.offset,
    )
    # In Python 3.11 a call that is specialized is at its PRECALL
    if not call.opname.startswith(("CALL", "PRECALL")) or call.positions is None:
        return []
    begins = call.positions.lineno, call.positions.col_offset
    names: list[str] = []
    for load in instructions:
        at = load.positions
        if load.offset >= call.offset or at is None or (at.lineno, at.col_offset) != begins:
            continue
        if load.opname in ("LOAD_METHOD", "LOAD_ATTR"):
            names = [*(names or [""]), str(load.argval)]
        elif load.opname.startswith("LOAD_") and isinstance(load.argval, str):
            names = [load.argval]
        elif load.opname.startswith(("CALL", "BINARY")):
            names = [""]
    return names
