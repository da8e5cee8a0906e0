"""The programs that have run, by their code, so that a function created anew counts as the same program."""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gradcli.engine.code.bytecode_names import names_in
from gradcli.engine.patching import name_replacement
from gradcli.engine.patching.name_replacement import Replacements
from gradcli.engine.patching.object_exchange import lock
from gradcli.engine.running.bound_call import BoundCall

if TYPE_CHECKING:
    from gradcli.engine.code.reachable_objects import ReachableObjects
    from gradcli.engine.patching.code_links import CodeLinks

_MOST = 4096


class KnownProgram(NamedTuple):
    """The facts known about one program.

    Attributes:
        key: its code, kept alive so that no other object takes its identity.
        links: what leads to other code of it; None if nothing does.
        replacements: the replacements that it needs while it runs; None if it needs none.
        may_cache: whether it reaches anything besides its inputs in which it can keep a result for a later run.
    """

    key: Any
    links: CodeLinks | None
    replacements: Replacements | None
    may_cache: bool


_known: dict[int, KnownProgram] = {}  # by the identity of their code


def known_program(call: BoundCall) -> KnownProgram:
    """The facts known about a call's program, which is read if it is not known yet."""
    function = call.function
    # Most functions have code of their own, and the others that of the function inside of them.
    program = _known.get(id(getattr(function, "__code__", None))) or _known.get(id(name_replacement.code_of(function)))
    if program is None or (program.links is not None and not program.links.hold(function, call.arguments)):
        return _read(call)
    needed = program.replacements
    return program if needed is None or needed.are_current(function) else _read(call)


def _read(call: BoundCall) -> KnownProgram:
    """Read a call's program before it runs."""
    function = call.function
    key, links = name_replacement.code_of(function), None
    with lock:  # what other threads have replaced is then known for all that is reached
        reached = call.reached()
        needed = name_replacement.needed_replacements(function, reached, call.arguments)
    if needed is not None or not _stands_alone(function, reached):
        from gradcli.engine.patching.code_links import CodeLinks

        links = CodeLinks(function, reached, call.arguments if needed is not None else None)
        links = links if needed is not None or links.lead_on else None
    may_cache = any(map(_can_keep, call.state_besides_inputs().holders))
    program = _known[id(key)] = KnownProgram(key, links, needed, may_cache)
    if len(_known) > _MOST:
        del _known[next(iter(_known))]
    return program


def _stands_alone(function: Any, reached: ReachableObjects) -> bool:
    """Whether a function holds nothing and reads no names."""
    if type(function) is not FunctionType or reached.items or vars(function):
        return False
    held = function.__closure__ or function.__defaults__ or function.__kwdefaults__
    return not held and not names_in(function.__code__).globals_read


def _can_keep(holder: Any) -> bool:
    """Whether a program can put a number into a holder: a container, an instance or class, a variable it assigns."""
    if isinstance(holder, FunctionType):
        return names_in(holder.__code__).keeps
    return not isinstance(holder, np.ndarray)


def forget() -> None:
    """Forget all programs and the replacements they need."""
    _known.clear()
