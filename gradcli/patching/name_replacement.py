"""Lending: for the time of one run, names that take the bare number of a recorded value hold objects of ours.

What a function needs (`math.sin(x)`, `float(x)`, `np.array([x])`, `type(x) is float`) is read in its code, and in the
code that it leads to, before its first run.  Where a recorded value reaches other code that takes its bare number, the
run is given up, the names in the globals of the very frame that asked are lent ours, and the function is run again.
Where that did not help, what the frame's names lead to is lent as well, and then the frames that called it.  Nothing is
patched for the whole process, nothing is paid where nothing is needed, and what a function needs is remembered.  Where
there is nothing more to lend the run is refused by name and line: G402, never a silent zero.
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
from gradcli.tape.method_hints import METHODS, WRITING, called_method

# How often the leaks of some code are answered by places that no module holds, or in which the program holds something
# else by now: those may be made anew by each run, and be lent in vain.
_MOST_ANSWERS = 3
_MOST_HELD = 8  # how many objects that a program holds by turns in one place are remembered


class Loan:
    """What has to be lent while one function runs.

    Attributes:
        places: where.
        own: whether the function itself is one of the holders, so that each one made of the same code needs it.
        taking: whether the function takes the arrays that it makes as its own, and then whether everywhere.
        instead: what is called in place of the function, where that is one of `math` itself.
        answered: how often the leaks of some code were answered by places that no module holds.
        fewer: the loan to begin with again where what the code mentions turns out to be too much.
        arrays: the places of arrays that the program made before its runs and writes into.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - each with a default
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
        """The places, as a run borrows them."""
        return Places(self.places)


needs: dict[Any, Loan] = {}  # the code of a function, and what it was found to need
_SERVED = ("scipy.special", "scipy.linalg", "scipy.fft")  # modules for which there are ours
_EXACT = frozenset(("decimal", "fractions", "mpmath", "sympy"))
_OF_POLYNOMIALS = "numpy.polynomial"  # in plain Python, by NumPy's functions
_LENDING = ("builtins", "math", "cmath", "numpy", "scipy", "statistics")  # packages for which there are ours


def remembered(function: Callable[..., Any]) -> Loan | None:
    """What `function` was found to need in an earlier run."""
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
    """What stays the same when a function is made anew: its code, below decorators and partial applications."""
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
    """The function to run: ours for one of `math` itself, any other as it is.

    Raises:
        UsageError: it is none.
    """
    if not callable(function):
        raise UsageError(f"{function!r} is no function", hint=_pass_it(function))
    if isinstance(function, BuiltinFunctionType):
        return _objects().get(id(function), function)  # type: ignore[no-any-return]
    return function


def lend_what_is_mentioned(function: Callable[..., Any], found: Reached, *, lists: bool) -> None:
    """Remember what the code that a function leads to needs by the names in it.

    Args:
        function: what is about to run.
        found: what it leads to.
        lists: whether it is given lists, in which NumPy's functions do not look for recorded values.
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


def extend(loan: Loan | None, function: Callable[..., Any], arguments: Iterable[Any], leak: Leak) -> Loan:
    """The loan that answers `leak`, remembered for the next time.

    Raises:
        DetachedError: there is nothing more to lend.
    """
    before = loan or Loan()
    with lock:  # so that what other threads borrow is either seen where it is or known as lent
        new = _answer(before, leak)
    arrays = [] if new else _arrays(before, function, arguments, leak)
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


def _arrays(loan: Loan, function: Callable[..., Any], arguments: Iterable[Any], leak: Leak) -> list[Place]:
    """The places, not lent yet, of the arrays made before the run into which a recorded value was to be written."""
    if leak.asked is not WRITTEN and called_method(leak.frames[0][0]) not in WRITING:
        return []
    from gradcli.patching.shims.filled_arrays import places_of_written

    frames = [(frame, line) for frame, line in leak.frames if _may_be_lent_to(frame)]
    known = {place.spot for place in loan.arrays if place.holder is not None}
    return [place for place in places_of_written(frames, function, arguments) if place.spot not in known]


def begin_with_fewer(loan: Loan | None, function: Callable[..., Any]) -> Loan | None:
    """The loan to begin with again, where one by all that the code mentions was refused; None where there is none."""
    fewer = loan.fewer if loan else None
    if fewer is not None:
        needs[code_of(function)] = fewer
    return fewer


def _without(old: list[Place], new: Iterable[Place]) -> list[Place]:
    """The places that are not among the new ones."""
    known = {place.identity for place in new}
    return [place for place in old if place.identity not in known]


def _last(found: Iterable[Place]) -> list[Place]:
    """Each place once, as it was found last."""
    return list({place.identity: place for place in found}.values())


def _kept(found: list[Place]) -> list[Place]:
    """The places that are there in the next run too; of what the program held by turns in one of them the last few."""
    held: Counter[Any] = Counter(place.spot for place in found)
    kept = []
    for place in found:
        held[place.spot] -= 1
        if held[place.spot] < _MOST_HELD and (place.lasts or _is_of_module(place)):
            kept.append(place)
    return kept


def _instead(function: Any, loan: Loan) -> Callable[..., Any] | None:
    """Our object for a function under test that is one of `math` itself."""
    ours = places.stand_in(_objects(), function)
    return None if ours is MISSING or loan.instead is not None else ours


def _answer(loan: Loan, leak: Leak) -> list[Place]:
    """Places not lent yet: those of the frame that asked, else of all frames and of what their names lead to."""
    frames = [frame for frame, _ in leak.frames if _may_be_lent_to(frame)]
    called = scipys_function(leak.frames) or ""
    if called.startswith(_SERVED) or any(_name(frame).startswith(_SERVED) for frame in frames):
        # lent instead are the names for them of whoever called them: the program, or another part of SciPy
        frames = [frame for frame in frames if not _name(frame).startswith((*_SERVED, "scipy._lib"))]
    elif called in FUNCTIONS:
        frames = list(dropwhile(is_scipys, frames))
    if not frames:
        return []
    if called in SOLVERS and (new := _new(loan, list(dropwhile(is_scipys, frames)))):
        return new
    return _new(loan, frames)


def _taken(loan: Loan, leak: Leak) -> list[Place]:
    """Codes that take arrays as their own, where a recorded value was written into one or given to its method."""
    frames = [frame for frame, _ in leak.frames if _may_be_lent_to(frame)]
    mentions_method = any(not METHODS.isdisjoint(frame.f_code.co_names) for frame in frames)
    return _taking(loan, frames) if leak.asked is WRITTEN or mentions_method else []


def _new(loan: Loan, frames: list[FrameType]) -> list[Place]:
    """Places of frames that are not lent yet: of the innermost one, else of all."""
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
    """The codes of functions that take as their own what they make: of the one that writes, else of all.

    All are those of the frames, and those of the same packages that they lead to.
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
    """The places of frames, those that are lent to another thread at present among them."""
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
    """The methods by which sparse matrices multiply, where one was asked to."""
    from gradcli.patching.shims import scipy_sparse

    if any(_name(frame).startswith(scipy_sparse.PACKAGE) for frame in frames):
        yield from scipy_sparse.places()


def _of_special() -> Iterator[Place]:
    """The functions of `scipy.special` in Python that have rules, which know more than their code."""
    found = places.of_globals(vars(sys.modules.get("scipy.special", builtins)), _objects())
    by_name = (place for place in found if f"scipy.special.{place.key}" in FUNCTIONS)
    return (place for place in by_name if isinstance(place.original, FunctionType))


def _may_be_lent_to(frame: FrameType) -> bool:
    """Whether lending to a frame's code keeps the derivative: not where numbers are taken apart into whole ones."""
    package = _name(frame).partition(".")[0]
    followed = not is_numpys(frame) or _name(frame).startswith(_OF_POLYNOMIALS)
    return not is_ours(frame) and followed and package not in _EXACT and not is_of_cython(frame)


def _name(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


def _is_of_module(place: Place) -> bool:
    """Whether a place is a name of a module, which is there again in each run, and which nothing keeps alive."""
    names = place.holder
    return isinstance(names, dict) and vars(sys.modules.get(str(names.get("__name__")), builtins)) is names


def _objects() -> dict[int, Any]:
    """Ours by the identity of the original: modules, functions of `math`, functions and types of NumPy."""
    from gradcli.patching.shims import modules as lent
    from gradcli.patching.shims import python_types

    with lock:  # a thread that finds one of our modules finds what is in it too
        for name in places.IMPORTED:
            if places.ALIAS + name not in sys.modules and (ours := lent.module(name)) is not None:
                sys.modules[places.ALIAS + name] = ours
                _ours_by_id.update(_collect(sys.modules[name], ours))
        if id(float) not in _ours_by_id:  # with our NumPy those of its types have come
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
    """The `__builtins__` of a file that gradcli itself loads: its `float`, and what it imports, are ours at once."""
    from gradcli.patching.shims import modules as lent
    from gradcli.patching.shims import python_types

    def import_ours(name: str, *arguments: Any, **options: Any) -> Any:
        module = builtins.__import__(name, *arguments, **options)
        return lent.module(getattr(module, "__name__", "")) or module

    def build_class(body: Any, name: str, *bases: Any, **options: Any) -> Any:
        """A class of the file's is derived from the original, so that it can be mixed with any other."""
        options = {key: original_of(item) for key, item in options.items()}
        return builtins.__build_class__(body, name, *map(original_of, bases), **options)

    original_of = python_types.original_of
    return {**vars(builtins), **python_types.BUILT_IN, "__import__": import_ours, "__build_class__": build_class}


def _numpy() -> ModuleType | None:
    from gradcli.patching.shims import modules as lent

    return lent.module("numpy")


active_runs.Inside.numpy = staticmethod(_numpy)
