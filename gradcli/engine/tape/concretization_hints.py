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

_WRITING = frozenset(("fill", "partition", "put", "resize", "sort"))  # methods that write into the array itself
_MEAN_IT = "`gradcli.stop_gradient(x)` to treat it as a constant"
_DRAWS = (
    "Random draws need plain numbers: transform a draw without parameters, such as loc + scale * "
    f"rng.standard_normal(size) or x[rng.permutation(len(x))], or pass {_MEAN_IT}."
)
LABELS = (
    "Labelled arrays take recorded numbers through arithmetic, NumPy's functions, sums and means: write the rest with "
    "NumPy on the numbers, `x.to_numpy()`."
)
_PACKAGES = {
    "numba": "Numba's machine code needs plain numbers: call {name}.py_func, the Python function, instead.",
    "pandas": LABELS,
    "xarray": LABELS,
}
"""What to write in place of a call, by the package of the function that is called `{name}` by the user."""
_OTHERWISE = f"Use a function of `math` or `numpy` instead, or {_MEAN_IT}."


def hint(frames: Iterable[FrameType]) -> str:
    """What to write in place of the call by which frames, innermost first, need a bare number."""
    frames = [frame for frame in frames if not is_ours(frame)]  # reading the names of a frame keeps its values alive
    hints = (_of_method(frames[0]) if frames else None, *map(_of_package, frames))
    return next(filter(None, hints), _OTHERWISE)


def _of_package(frame: FrameType) -> str | None:
    """The hint for the package that a frame calls, or that its own code belongs to."""
    names = called_names(frame)
    of_called = getattr(type(called_object(frame, names)), "__module__", "") if names else ""
    own = str(frame.f_globals.get("__name__", ""))
    packages = (str(module).partition(".")[0] for module in (of_called, own))
    return next((_PACKAGES[known].format(name=".".join(names)) for known in packages if known in _PACKAGES), None)


def called_object(frame: FrameType, names: list[str]) -> Any:
    """What a dotted name means in a frame; None if that takes running code of the program."""
    value: Any = {**frame.f_builtins, **frame.f_globals, **frame.f_locals}.get(names[0])
    for name in names[1:]:
        value = vars(value).get(name) if isinstance(value, ModuleType) else inspect.getattr_static(value, name, None)
    return value


def _of_method(frame: FrameType) -> str | None:
    """The hint for the method that a frame is calling, or None."""
    name = called_method(frame)
    if name is None:
        return None
    if hasattr(np.random.Generator, name):
        return _DRAWS
    if name in _WRITING:
        return "Methods of plain arrays need plain numbers: write into the items, a[:] = x."
    served = name in FUNCTIONS or name in NUMPY
    return f"Methods of plain arrays need plain numbers: write np.{name}(a, x)." if served else None


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
