"""Classification of stack frames: the user's code, a library's, or gradcli's."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from functools import cache, lru_cache
from types import CodeType, FrameType, TracebackType
from typing import Any

from gradcli.errors import UserCodeError

_OURS = (os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))), "<frozen", "<gradcli")
_LIBRARY = os.path.dirname(os.__file__)
PACKAGE_FOLDERS = ("site-packages", "dist-packages")
_NUMPYS = ("numpy", "cupy", "cupyx")
LIBRARIES = frozenset((*_NUMPYS, "scipy"))

Place = tuple[str, int]


@cache
def is_ours_file(file: str) -> bool:
    """Whether a file is gradcli's, or what the import machinery is called by."""
    return file.startswith(_OURS)


def is_ours(frame: FrameType) -> bool:
    """Whether a frame belongs to gradcli or to the import machinery."""
    return is_ours_file(frame.f_code.co_filename) or _package(frame) == "gradcli"


def frames_of_ours() -> int:
    """The number of frames between the caller and the user's line, as `stacklevel` of `warnings.warn` counts them."""
    frame, count = sys._getframe(1), 1
    while frame.f_back is not None and is_ours(frame):
        frame, count = frame.f_back, count + 1
    return count


def is_numpys(frame: FrameType) -> bool:
    """Whether a frame is NumPy's, or CuPy's in its place."""
    return _package(frame) in _NUMPYS


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


LIBRARY_CODES: set[CodeType] = set()  # codes of ours that stand for a library's functions
NUMPY_CODES: set[CodeType] = set()  # codes of ours that run in place of any of NumPy's functions


def stands_for_library(frame: FrameType) -> bool:
    """Whether a frame of ours runs in place of a library's function."""
    return frame.f_code in LIBRARY_CODES


def is_scipys(frame: FrameType) -> bool:
    """Whether a frame is SciPy's."""
    return _package(frame) == "scipy"


def is_users(frame: FrameType) -> bool:
    """Whether a frame belongs to the user or an installed package: not to gradcli, NumPy or the standard library."""
    file = frame.f_code.co_filename
    return not is_ours_file(file) and _is_users(file, _package(frame))


def is_own(frame: FrameType) -> bool:
    """Whether a frame that satisfies `is_users` is the user's own code and not an installed package's."""
    file = frame.f_code.co_filename
    return not is_installed(file) and not file.startswith("<string")


@lru_cache(maxsize=1024)
def _is_users(file: str, package: str) -> bool:
    a_tuples = package.startswith("namedtuple_")  # code that `collections.namedtuple` generates for a class
    return not (package == "gradcli" or _is_standard(file) or package in _NUMPYS or a_tuples)


@cache
def _is_standard(file: str) -> bool:
    return file.startswith(_LIBRARY) and not is_installed(file)


@cache
def is_installed(file: str) -> bool:
    """Whether a file belongs to an installed package."""
    is_cythons = file.endswith((".pyx", ".pxd", ".pxi", "View.MemoryView"))
    return is_cythons or any(folder in file for folder in PACKAGE_FOLDERS)


def place_to_show(frames: Iterable[tuple[FrameType, int]]) -> Place | tuple[None, None]:
    """The file and line to show for frames with their lines, innermost first: the user's own before a package's."""
    users = [(frame, line) for frame, line in frames if is_users(frame)]
    own = (user for user in users if is_own(user[0]))
    shown = next(own, users[0] if users else None)
    return (shown[0].f_code.co_filename, shown[1]) if shown else (None, None)


def show_place(error: UserCodeError, frames: list[tuple[FrameType, int]]) -> None:
    """Set the place that an error shows from frames, innermost first.

    If the innermost frame is a package's, the error shows it beside the user's own.
    """
    error.file, error.line = place_to_show(frames)
    users = [(frame, line) for frame, line in frames if is_users(frame) and not is_scipys(frame)]
    own = next((user for user in users if is_own(user[0])), None)
    if own and own is not users[0]:
        error.frames = tuple(
            (frame_.f_code.co_filename, line, frame_.f_code.co_name) for frame_, line in (own, users[0])
        )


def scipys_function(frames: Iterable[tuple[FrameType, int]]) -> str | None:
    """The SciPy function that the user's code called, if the innermost frames are SciPy's."""
    called = None
    for frame, _ in frames:
        if _package(frame) == "scipy":
            called = _public(frame) or called
        elif is_users(frame):
            break
    return called


def public_name(frame: FrameType) -> str:
    """What the function that a frame runs is called: in SciPy by its public name, else by its package's."""
    return _public(frame) or f"{_package(frame)}.{frame.f_code.co_qualname}"


def _public(frame: FrameType) -> str | None:
    """The public name of what a SciPy frame runs: a function, the function it wraps, or an object."""
    wrapped = (x for x in list(frame.f_locals.values()) if callable(x) and hasattr(x, "__name__"))
    named = [(x.__module__, x.__name__) for x in wrapped if str(getattr(x, "__module__", "")).startswith("scipy.")]
    own = str(frame.f_globals.get("__name__", ""))
    kind, _, method = frame.f_code.co_qualname.rpartition(".")
    if method and kind:  # `CubicSpline` for a method of `PPoly`, `norm` for a method of `rv_continuous`
        owner = frame.f_locals.get("self")
        named += [(own, name) for name in (_name_of_object(own, owner), type(owner).__name__, kind) if name]
    for module_name, name in (*named, (own, frame.f_code.co_name)):
        if (public := _in_public_module(str(module_name), name)) is not None:
            return public
    return None


def _name_of_object(module: str, owner: object) -> str | None:
    """The name under which a SciPy package holds an object, such as `norm` in `scipy.stats`."""
    names = vars(sys.modules.get(".".join(module.split(".")[:2]), sys)) if owner is not None else {}
    return next((name for name, item in list(names.items()) if item is owner), None)


def _in_public_module(module: str, name: str) -> str | None:
    parts = module.split(".")
    for inner in (".".join(parts[:3]), ".".join(parts[:2])):
        if name in getattr(sys.modules.get(inner), "__all__", ()):
            public = not inner.rpartition(".")[2].startswith("_")
            return f"{inner}.{name}" if public else f"{parts[0]}.{parts[1]}.{name}"
    return None


def numpys_function(frames: Iterable[tuple[FrameType, int]]) -> str | None:
    """The NumPy function or class that the user's code called, if the innermost frames are NumPy's."""
    called = None
    for frame, _ in frames:
        if _package(frame) == "numpy":
            owner = frame.f_globals.get(frame.f_code.co_qualname.partition(".")[0])
            module = str(getattr(owner, "__module__", ""))
            name = getattr(owner, "__name__", "_")
            called = called if name.startswith("_") or "._" in module else f"{module}.{name}"
        elif is_users(frame):
            break
    return called


def of_traceback(traceback: TracebackType | None) -> list[tuple[FrameType, int]]:
    """The frames of a traceback with their lines, innermost first."""
    frames = []
    while traceback is not None:
        frames.append((traceback.tb_frame, traceback.tb_lineno))
        traceback = traceback.tb_next
    return frames[::-1]


def release_variables(frame: FrameType, variables: Any) -> None:
    """Clear `frame.f_locals` after it was read, unless the function itself may have it.

    Before Python 3.13 it is a dict that refers to the values of the variables as long as the frame lives.
    """
    if type(variables) is dict and _READING_VARIABLES.isdisjoint(frame.f_code.co_names):
        variables.clear()


_READING_VARIABLES = frozenset(("dir", "eval", "exec", "locals", "vars"))
