"""Lending: for the time of one run, the globals of the frame that dropped a derivative get names that keep it.

A run in which a recorded value reaches code that takes its bare number (`math.sin(x)`, `float(x)`, `np.array([x])`) is
given up, the names in the globals of the very frame that asked are lent our own, and the function is run again.  Nothing
is patched for the whole process, nothing is paid where nothing leaks, and what a function needs is remembered.  A second
leak from the same globals is refused by name and line: G402, never a silent zero.
"""

from __future__ import annotations

import builtins
import dis
import gc
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

from gradcli.errors import DetachedError
from gradcli.tape.leak import Leak

_OURS = str(Path(__file__).resolve().parents[1])
_ALIAS = "gradcli:"  # how a function that imports a module itself is pointed at ours: `gradcli:math`
_IMPORTED = ("math", "numpy", "numpy.linalg", "numpy.fft")

Globals = dict[str, Any]


@dataclass
class Loan:
    """What has to be lent while one function runs: globals, and functions that import or enclose a module themselves."""

    globals: list[Globals] = field(default_factory=list)
    functions: list[FunctionType] = field(default_factory=list)


needs: dict[Any, Loan] = {}  # the code of a function, and what it was found to need
_lock = threading.RLock()
_borrowed: dict[int, tuple[list[int], Callable[[], None]]] = {}


def remembered(function: Callable[..., Any]) -> Loan | None:
    """What `function` was found to need in an earlier run."""
    return needs.get(_key(function))


def _key(function: Callable[..., Any]) -> Any:
    return getattr(function, "__code__", None) or id(function)


@contextmanager
def lent(loan: Loan | None) -> Iterator[None]:
    """Lend what `loan` says, and take it back at the end whatever happens."""
    if loan is None:
        yield
        return
    ends = []
    try:
        ends = [_borrow(names, _lend_globals) for names in loan.globals]
        ends += [_borrow(function, _lend_function) for function in loan.functions]
        yield
    finally:
        for end in reversed(ends):
            end()


def _borrow(owner: Any, lend: Callable[[Any], Callable[[], None]]) -> Callable[[], None]:
    """Lend to `owner`, once however many threads ask, and return what ends this borrower's part."""
    with _lock:
        count, restore = _borrowed.get(id(owner)) or ([0], lend(owner))
        count[0] += 1
        _borrowed[id(owner)] = (count, restore)

    def end() -> None:
        with _lock:
            count[0] -= 1
            if count[0] == 0:
                del _borrowed[id(owner)]
                restore()

    return end


def _lend_globals(names: Globals) -> Callable[[], None]:
    replaced = {name: (names[name], ours) for name, ours in _replacements(names)}
    added = {} if "float" in names else {"float": _objects()[id(float)]}
    names.update({name: ours for name, (_, ours) in replaced.items()})
    names.update(added)

    def restore() -> None:
        for name, (original, ours) in replaced.items():
            if names.get(name) is ours:
                names[name] = original
        for name, ours in added.items():
            if names.get(name) is ours:
                del names[name]

    return restore


def _replacements(names: Globals) -> list[tuple[str, Any]]:
    ours = _objects()
    return [(name, ours[id(value)]) for name, value in names.items() if id(value) in ours]


def _lend_function(function: FunctionType) -> Callable[[], None]:
    """Point a function's own imports at our modules, and its enclosed names at our objects."""
    code, ours = function.__code__, _objects()
    cells = [(cell, cell.cell_contents) for cell in function.__closure__ or () if _holds(cell, ours)]
    function.__code__ = _redirected(code)
    for cell, original in cells:
        cell.cell_contents = ours[id(original)]

    def restore() -> None:
        function.__code__ = code
        for cell, original in cells:
            cell.cell_contents = original

    return restore


def _holds(cell: Any, ours: dict[int, Any]) -> bool:
    try:
        return id(cell.cell_contents) in ours
    except ValueError:  # an empty cell
        return False


def _redirected(code: CodeType) -> CodeType:
    """`code` with the modules that it imports renamed to ours; inner functions too."""
    if not _imports(code):
        return code
    imported = _imported_names(code)
    names = tuple(_ALIAS + name if name in imported else name for name in code.co_names)
    constants = tuple(_redirected(c) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(co_names=names, co_consts=constants)


def _imported_names(code: CodeType) -> set[str]:
    """The modules that `code` itself imports and that we can lend."""
    used = [(i.opname, i.argval) for i in dis.get_instructions(code) if i.opcode in dis.hasname]
    imported = {name for operation, name in used if operation == "IMPORT_NAME" and name in _IMPORTED}
    return imported - {name for operation, name in used if operation != "IMPORT_NAME"}


def _imports(code: CodeType) -> bool:
    """Whether `code`, or a function inside of it, imports one of the modules that we can lend."""
    return bool(_imported_names(code)) or any(_imports(c) for c in code.co_consts if isinstance(c, CodeType))


def extend(loan: Loan | None, function: Callable[..., Any], leak: Leak) -> Loan:
    """The loan that answers `leak`, remembered for the next time.

    Raises:
        DetachedError: the frame that asked has been lent to already, or there is nothing to lend to it.
    """
    frame = _asking(leak.frame)
    before = loan or Loan()
    extended = Loan(list(before.globals), list(before.functions))
    if not any(frame.f_globals is names for names in before.globals) and _may_change(frame):
        extended.globals.append(frame.f_globals)
    known = {id(found) for found in before.functions}
    extended.functions += [found for found in _functions_of(frame) if id(found) not in known]
    if len(extended.globals) == len(before.globals) and len(extended.functions) == len(before.functions):
        raise refusal(leak, frame)
    needs[_key(function)] = extended
    return extended


def _asking(frame: FrameType) -> FrameType:
    """The frame to lend to: the one that asked, or the first one outside of NumPy and of gradcli that led to it."""
    found: FrameType | None = frame
    while found is not None and _is_internal(found):
        found = found.f_back
    return found or frame


def _is_internal(frame: FrameType) -> bool:
    module = frame.f_globals.get("__name__", "")
    return module.partition(".")[0] == "numpy" or frame.f_code.co_filename.startswith((_OURS, "<gradcli"))


def _may_change(frame: FrameType) -> bool:
    return bool(_replacements(frame.f_globals)) or "float" in frame.f_code.co_names


def _functions_of(frame: FrameType) -> list[FunctionType]:
    """The functions to change where lending to globals cannot reach: those that import or enclose a module themselves.

    That is the function that asked, and where it is made anew by each call, the one that makes it.
    """
    code = frame.f_code
    if not code.co_freevars and not _imports(code):
        return []
    ours = _objects()
    found = [f for owner in _makers(frame) for f in gc.get_referrers(owner) if isinstance(f, FunctionType)]
    return [f for f in found if _imports(f.__code__) or any(_holds(cell, ours) for cell in f.__closure__ or ())]


def _makers(frame: FrameType) -> list[CodeType]:
    """The code of `frame`, of every frame above that contains it, and of the global function that it is written in."""
    code = frame.f_code
    makers = [code]
    outer = frame.f_globals.get(code.co_qualname.partition(".")[0])
    if isinstance(outer, FunctionType) and _contains(outer.__code__, code):
        makers.append(outer.__code__)
    above = frame.f_back
    while above is not None:
        if _contains(above.f_code, code) and above.f_code not in makers:
            makers.append(above.f_code)
        above = above.f_back
    return makers


def _contains(outer: CodeType, inner: CodeType) -> bool:
    codes = [c for c in outer.co_consts if isinstance(c, CodeType)]
    return any(c is inner or _contains(c, inner) for c in codes)


def refusal(leak: Leak, frame: FrameType) -> DetachedError:
    """The error of a derivative that would be lost, at the user's line."""
    return DetachedError(
        f"a recorded value reaches code that takes its bare number ({leak.asked}), so its derivative would be lost",
        hint="Use the function of `math` or `numpy` by its own name, or `gradcli.stop_gradient(x)` to mean it. "
        "`gradcli help G402` says more.",
        file=frame.f_code.co_filename,
        line=frame.f_lineno,
    )


def _objects() -> dict[int, Any]:
    """Ours by the identity of the original: modules, functions of `math`, functions and types of NumPy."""
    if not _ours_by_id:
        _ours_by_id.update(_collect())
    return _ours_by_id


_ours_by_id: dict[int, Any] = {}


def _collect() -> dict[int, Any]:
    import math

    import numpy as np

    from gradcli.tape import lent

    for name, module in lent.MODULES.items():
        sys.modules[_ALIAS + name] = module
    ours: dict[int, Any] = {id(sys.modules[name]): module for name, module in lent.MODULES.items()}
    ours.update({id(original): mine for original, mine in lent.TYPES.items()})
    for original, mine in ((math, lent.MATH), (np, lent.NUMPY), (np.linalg, lent.NUMPY_MODULES["numpy.linalg"])):
        for name, value in vars(original).items():  # not `dir`, which would import NumPy's lazy submodules
            if callable(value) and not isinstance(value, type) and not name.startswith("_"):
                ours[id(value)] = getattr(mine, name)
    return ours


def file_builtins() -> dict[str, Any]:
    """The `__builtins__` of a file that gradcli itself loads: its `float`, and what it imports, are ours from the start."""
    from gradcli.tape import lent

    def import_ours(name: str, *arguments: Any, **options: Any) -> Any:
        module = builtins.__import__(name, *arguments, **options)
        return lent.MODULES.get(getattr(module, "__name__", ""), module)

    return {**vars(builtins), "float": lent.LentFloat, "__import__": import_ours}
