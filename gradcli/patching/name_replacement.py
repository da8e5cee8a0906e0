"""Replacement of names that need the bare number of a recorded value, for the duration of one run.

The names that a function needs (`math.sin(x)`, `float(x)`, `np.array([x])`, `type(x) is float`) are found in its code,
and in the code that it reaches, before its first run. If a recorded value still reaches other code that needs its bare
number, the run is aborted, the names in the globals of the frame that asked are replaced, and the function runs again.
If that does not help, the objects that the frame's names lead to are replaced too, and then those of its callers.
Nothing is patched beyond the run, functions without such names cost nothing, and the names that a function needs are
remembered. If nothing more can be replaced, the run is refused with name and line: G402, never a silent zero.
"""

from __future__ import annotations

import builtins
import functools
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import dropwhile
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from gradcli.code.reachable_code import Reached, reached
from gradcli.code.stack_frames import is_numpys, is_of_cython, is_ours, is_scipys, is_users, scipys_function
from gradcli.errors import UsageError
from gradcli.patching import patch_points as places
from gradcli.patching.mentioned_names import asked_for_types, mentioned_places, used_modules
from gradcli.patching.object_exchange import Places, borrowed, lock
from gradcli.patching.patch_points import MISSING, Place
from gradcli.rules.function_registry import FUNCTIONS, INNER, SOLVERS
from gradcli.tape import active_runs
from gradcli.tape.concretization import WRITTEN, Leak

# How often the Leaks of one code may be answered by places outside modules, or by places whose object has changed
# since: each run may create those anew, and then replacing them does not help.
_MOST_ANSWERS = 3
_MOST_HELD = 8  # the most alternating objects remembered for one place


class Loan:
    """The replacements that one function needs while it runs.

    Attributes:
        places: where objects are replaced.
        own: whether the function itself is a holder, so that every function with the same code needs its own.
        taking: whether the function's code is recompiled to enter new arrays on the tape (True: everywhere); else None.
        instead: the replacement of the function itself, if it is a function of `math`.
        answered: how often the Leaks of each code were answered by places outside modules.
        fewer: the replacements to fall back to if those found in the code turn out to be too many.
        arrays: the places of arrays that the program created before its runs and writes into.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - each has a default
        self,
        places: Iterable[Place] = (),
        own: bool = False,
        taking: bool | None = None,
        instead: Callable[..., Any] | None = None,
        answered: Counter[Any] | None = None,
        fewer: Loan | None = None,
        arrays: Iterable[Place] = (),
    ) -> None:
        self.places = list(places)
        self.own = own
        self.taking = taking
        self.instead = instead
        self.answered = Counter() if answered is None else answered
        self.fewer = fewer
        self.arrays = list(arrays)

    @functools.cached_property
    def borrowed(self) -> Places:
        """The places, grouped for the exchange."""
        return Places(self.places)


needs: dict[Any, Loan] = {}  # the replacements that each function needs, by its code
_SERVED = ("scipy.special", "scipy.linalg", "scipy.fft")  # modules with replacements
_EXACT = frozenset(("decimal", "fractions", "mpmath", "sympy"))
_OF_POLYNOMIALS = "numpy.polynomial"  # plain Python that calls NumPy's functions
_LENDING = ("builtins", "math", "cmath", "numpy", "scipy", "statistics")  # packages with replacements


def remembered(function: Callable[..., Any]) -> Loan | None:
    """The replacements that `function` needed in an earlier run."""
    loan = needs.get(code_of(function))
    if loan is not None and loan.own and isinstance(function, FunctionType):
        new = [*places.of_function(function, _objects())]
        if loan.taking is not None:
            new += places.of_maker(function, loan.taking)
        return Loan(
            _without(loan.places, new) + _last(new), own=True, taking=loan.taking, fewer=loan.fewer, arrays=loan.arrays
        )
    return loan


def code_of(function: Any) -> Any:
    """The key that a function keeps when it is created anew: its code, inside decorators and partial applications."""
    while type(function) is functools.partial or "__wrapped__" in getattr(function, "__dict__", ()):
        function = function.func if type(function) is functools.partial else function.__wrapped__
    code = getattr(function, "__code__", None)
    if isinstance(code, CodeType):
        return code
    return function if isinstance(function, BuiltinFunctionType) else type(function)


def _pass_it(given: object) -> str:
    if isinstance(given, str):
        return f"Write it as Python, lambda x: x**2, or check the text: gradcli.check({given[:40]!r}, at=point)."
    return "Pass the function itself, f, not its value f(x)."


def followed(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function to run: the replacement of a function of `math`, any other function itself.

    Raises:
        UsageError: it is not callable.
    """
    if not callable(function):
        raise UsageError(f"{function!r} is not a function", hint=_pass_it(function))
    if isinstance(function, BuiltinFunctionType):
        return _objects().get(id(function), function)  # type: ignore[no-any-return]
    return function


def lend_what_is_mentioned(function: Callable[..., Any], found: Reached, *, lists: bool) -> None:
    """Remember the replacements that the code of a function, and code reachable from it, needs by the names in it.

    Args:
        function: the function about to run.
        found: the objects reachable from it.
        lists: whether its arguments contain lists, which NumPy's functions do not search for recorded values.
    """
    modules = used_modules(found)
    asked = _last(asked_for_types(modules, _objects))
    mentioned = _last(mentioned_places(found, modules, lists, _objects))
    if not asked and not mentioned:
        return
    before = needs.get(code_of(function)) or Loan()
    kept = [place for place in before.places if _is_of_module(place)]
    fewer = Loan([*kept, *_without(asked, kept)], before.own, before.taking, arrays=before.arrays)
    places = [*fewer.places, *_without(mentioned, fewer.places)]
    needs[code_of(function)] = Loan(places, before.own, before.taking, fewer=fewer, arrays=before.arrays)


def extend(loan: Loan | None, function: Callable[..., Any], leak: Leak, leads_to: Callable[[], Reached]) -> Loan:
    """The replacements extended to answer `leak`, remembered for the next run.

    Args:
        loan: the replacements of the abandoned run.
        function: the function that was run.
        leak: the reason why the run was abandoned.
        leads_to: gives what the function and its arguments lead to.

    Raises:
        DetachedError: nothing more can be replaced.
    """
    before = loan or Loan()
    with lock:  # other threads then see an object either in its place or as replaced
        new = _answer(before, leak)
    arrays = [] if new else _arrays(before, leak, leads_to)
    if not new and not arrays:
        with lock:
            new = _taken(before, leak)
    instead = before.instead if new or arrays else _instead(function, before)
    if not new and not arrays and instead is None:
        raise leak.refusal()
    own = before.own or any(place.holder is function for place in new)
    takes = next((place.takes for place in new if place.holder is function and place.takes is not None), before.taking)
    arrays += [place for place in before.arrays if place.holder is not None]
    extended = Loan(_without(before.places, new) + new, own, takes, instead, before.answered, before.fewer, arrays)
    needs[code_of(function)] = Loan(_kept(extended.places), own, takes, fewer=before.fewer, arrays=_kept(arrays))
    return extended


def _arrays(loan: Loan, leak: Leak, leads_to: Callable[[], Reached]) -> list[Place]:
    """The new places of arrays created before the run into which a recorded value was to be written."""
    from gradcli.tape.method_hints import WRITING, called_method

    if leak.asked is not WRITTEN and called_method(leak.frames[0][0]) not in WRITING:
        return []
    from gradcli.patching.shims.filled_arrays import places_of_written

    frames = [(frame, line) for frame, line in leak.frames if _may_be_lent_to(frame)]
    known = {place.spot for place in loan.arrays if place.holder is not None}
    return [place for place in places_of_written(frames, leads_to()) if place.spot not in known]


def begin_with_fewer(loan: Loan | None, function: Callable[..., Any]) -> Loan | None:
    """The replacements to restart with after those found in the code were too many; None if there are none."""
    fewer = loan.fewer if loan else None
    if fewer is not None:
        needs[code_of(function)] = fewer
    return fewer


def _without(old: list[Place], new: Iterable[Place]) -> list[Place]:
    """The places that are not among the new ones."""
    known = {place.identity for place in new}
    return [place for place in old if place.identity not in known]


def _last(found: Iterable[Place]) -> list[Place]:
    """Each place once, as found last."""
    return list({place.identity: place for place in found}.values())


def _kept(found: list[Place]) -> list[Place]:
    """The places that exist in the next run too; of alternating objects in one place, the last few."""
    held: Counter[Any] = Counter(place.spot for place in found)
    kept = []
    for place in found:
        held[place.spot] -= 1
        if held[place.spot] < _MOST_HELD and (place.lasts or _is_of_module(place)):
            kept.append(place)
    return kept


def _instead(function: Any, loan: Loan) -> Callable[..., Any] | None:
    """The replacement of the function under test, if it is a function of `math`."""
    ours = places.stand_in(_objects(), function)
    return None if ours is MISSING or loan.instead is not None else ours


def _answer(loan: Loan, leak: Leak) -> list[Place]:
    """New places: those of the frame that asked, else those of all frames and of the objects their names lead to."""
    frames = [frame for frame, _ in leak.frames if _may_be_lent_to(frame)]
    called = scipys_function(leak.frames) or ""
    if called.startswith(_SERVED) or any(_name(frame).startswith(_SERVED) for frame in frames):
        # replaced are their names in the caller, the program or another part of SciPy
        frames = [frame for frame in frames if not _name(frame).startswith((*_SERVED, "scipy._lib"))]
    elif called in FUNCTIONS:
        frames = list(dropwhile(is_scipys, frames))
    if not frames:
        return []
    if called in SOLVERS and (new := _new(loan, list(dropwhile(is_scipys, frames)))):
        return new
    return _new(loan, frames)


def _taken(loan: Loan, leak: Leak) -> list[Place]:
    """Codes to recompile, where a recorded value was written into a new array or passed to its method."""
    from gradcli.tape.method_hints import METHODS

    frames = [frame for frame, _ in leak.frames if _may_be_lent_to(frame)]
    mentions_method = any(not METHODS.isdisjoint(frame.f_code.co_names) for frame in frames)
    return _taking(loan, frames) if leak.asked is WRITTEN or mentions_method else []


def _new(loan: Loan, frames: list[FrameType]) -> list[Place]:
    """The places of frames that are not replaced yet: of the innermost frame, else of all."""
    if not frames:
        return []
    code = frames[0].f_code
    spots = {place.spot for place in loan.places if place.holder is not None}
    known = {place.identity for place in loan.places if place.holder is not None}
    if new_products := [place for place in _products(frames) if place.identity not in known]:
        return new_products
    for found in (_places_of(frames[:1], known), _places_of(frames, known, deep=True)):
        new = {place.identity: place for place in found if place.identity not in known}
        if any(_is_of_module(place) and place.spot not in spots for place in new.values()):
            return list(new.values())
        if new and loan.answered[code] < _MOST_ANSWERS:
            loan.answered[code] += 1
            return list(new.values())
    return []


def _taking(loan: Loan, frames: list[FrameType]) -> list[Place]:
    """The codes of functions to recompile: of the one that writes, else of all.

    All are the functions of the frames, and functions of the same packages reachable from them.
    """
    frames = [frame for frame in frames if is_users(frame) and not is_scipys(frame)]
    for everywhere, some in ((False, frames[:1]), (True, frames)):
        writing = [(frame.f_code.co_filename, frame.f_code.co_qualname, frame.f_lineno) for frame in frames[:1]]
        loan.answered[*writing, everywhere] += 1
        if loan.answered[*writing, everywhere] > 1:
            continue
        functions = {f for frame in some for f in places.makers_of(frame, loan.places)}
        if everywhere:
            packages = {_name(frame).partition(".")[0] for frame in frames}
            led_to = reached(*functions).functions
            functions |= {f for f in led_to if str(f.__module__).partition(".")[0] in packages}
        if found := _last(place for function in functions for place in places.of_maker(function, everywhere)):
            return found
    return []


def _places_of(frames: list[FrameType], known: set[Any], deep: bool = False) -> Iterator[Place]:
    """Yield the places of frames, including those replaced for another thread at present."""
    lent_elsewhere = borrowed()
    for frame in frames:
        yield from places.in_globals(frame, _objects())
        yield from places.in_functions(frame, _objects(), known)
        yield from (place for place in lent_elsewhere if deep or place.holder is frame.f_globals)
        if deep:
            yield from places.in_objects(frame, _objects())
        if _name(frame).startswith("scipy."):
            yield from _of_special()


def _products(frames: list[FrameType]) -> Iterator[Place]:
    """Yield the multiplication methods of sparse matrices, if one of them was called."""
    from gradcli.patching.shims import scipy_sparse

    if any(_name(frame).startswith(scipy_sparse.PACKAGE) for frame in frames):
        yield from scipy_sparse.places()


def _of_special() -> Iterator[Place]:
    """Yield the Python functions of `scipy.special` that have rules, which are more accurate than their code."""
    found = places.of_globals(vars(sys.modules.get("scipy.special", builtins)), _objects())
    by_name = (place for place in found if f"scipy.special.{place.key}" in FUNCTIONS)
    return (place for place in by_name if isinstance(place.original, FunctionType))


def _may_be_lent_to(frame: FrameType) -> bool:
    """Whether replacements in a frame's code keep the derivative. They do not where numbers are split into integers."""
    package = _name(frame).partition(".")[0]
    followed = not is_numpys(frame) or _name(frame).startswith(_OF_POLYNOMIALS)
    return not is_ours(frame) and followed and package not in _EXACT and not is_of_cython(frame)


def _name(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


def _is_of_module(place: Place) -> bool:
    """Whether a place is a name in a module, which exists in every run."""
    names = place.holder
    return isinstance(names, dict) and vars(sys.modules.get(str(names.get("__name__")), builtins)) is names


def _objects() -> dict[int, Any]:
    """The replacements by the identity of the original: modules, functions of `math`, functions and types of NumPy."""
    from gradcli.patching.shims import modules as lent
    from gradcli.patching.shims import python_types

    with lock:  # another thread then never finds a module without its contents
        for name in places.IMPORTED:
            if places.ALIAS + name not in sys.modules and (ours := lent.module(name)) is not None:
                sys.modules[places.ALIAS + name] = ours
                _ours_by_id.update(_collect(sys.modules[name], ours))
        if id(float) not in _ours_by_id:  # the NumPy module registers its types
            _ours_by_id.update({id(original): mine for original, mine in python_types.TYPES.items()})
    return _ours_by_id


_ours_by_id: dict[int, Any] = {}


def _collect(original: ModuleType, ours: ModuleType) -> Iterator[tuple[int, Any]]:
    yield id(original), ours
    for name, value in list(vars(original).items()):  # not `dir`, which would import NumPy's lazy submodules
        if _is_lent(original.__name__, name, value):
            mine = getattr(ours, name)
            if mine is not value:
                yield id(value), mine


def _is_lent(module: str, name: str, value: Any) -> bool:
    from gradcli.patching.shims.numpy_classes import OBJECTS

    if module in INNER:
        return f"{module}.{name}" in FUNCTIONS
    function = callable(value) and not isinstance(value, type) and not name.startswith("_")
    return function or (name in OBJECTS and module == "numpy")


def file_builtins() -> dict[str, Any]:
    """The `__builtins__` for files that gradcli itself loads, with `float` and imports replaced from the start."""
    from gradcli.patching.shims import modules as lent
    from gradcli.patching.shims import python_types

    def import_ours(name: str, *arguments: Any, **options: Any) -> Any:
        module = builtins.__import__(name, *arguments, **options)
        return lent.module(getattr(module, "__name__", "")) or module

    def build_class(body: Any, name: str, *bases: Any, **options: Any) -> Any:
        """Derive a class from the original types, so that it can be combined with any other class."""
        options = {key: original_of(item) for key, item in options.items()}
        return builtins.__build_class__(body, name, *map(original_of, bases), **options)

    original_of = python_types.original_of
    return {**vars(builtins), **python_types.BUILT_IN, "__import__": import_ours, "__build_class__": build_class}


def _numpy() -> ModuleType | None:
    from gradcli.patching.shims import modules as lent

    return lent.module("numpy")


active_runs.Inside.numpy = staticmethod(_numpy)
