"""What is known of the programs that have run, by their code: a function that is made anew is the same program."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from gradcli.code.reachable_code import enclosed
from gradcli.patching import name_replacement
from gradcli.running.bound_call import BoundCall
from gradcli.running.text_roundtrips import Readers

_MOST = 4096


class KnownProgram:
    """What is known of one program.

    Attributes:
        key: its code, kept alive so that nothing else has its identity.
        read_from: refers to the function or object that it was read from last, where another one of the same code may
            lead elsewhere: it encloses functions or objects, or is a method.
        ran: whether it has run to its end, so that it will neither be run again nor show again what it prints.
        readers: what of it may read texts.
        saves: whether it was seen to write what it keeps, which is then saved before each run.
    """

    __slots__ = ("key", "ran", "read_from", "readers", "saves")

    def __init__(self, key: Any) -> None:
        self.key = key
        self.read_from: Callable[[], Any] | None = None
        self.ran = False
        self.readers = Readers(())
        self.saves = False


_known: dict[int, KnownProgram] = {}  # by the identity of their codes


def known(call: BoundCall) -> KnownProgram:
    """What is known of a call's program, which is read where that is not known yet."""
    function = call.function
    program = _known.get(id(getattr(function, "__code__", None))) or _known.get(id(name_replacement.code_of(function)))
    if program is None or (program.read_from is not None and program.read_from() is not _origin(function)):
        return _read(call)
    return program


def _origin(function: Any) -> Any:
    """What makes a function another one than those of the same code: the object of a method, or the function itself."""
    return getattr(function, "__self__", function)


def _read(call: BoundCall) -> KnownProgram:
    """Read what a call leads to before it runs, and remember what has to be lent to it."""
    function = call.function
    key = name_replacement.code_of(function)
    program = _known.get(id(key)) or KnownProgram(key)
    origin = _origin(function)
    found = call.reached()
    if origin is not function or found.items or any(map(callable, enclosed(function))):
        try:
            program.read_from = weakref.ref(origin)
        except TypeError:
            program.read_from = _nothing
    program.readers = Readers(found.functions)
    lists = any(isinstance(each, (list, tuple, dict)) for each in call.arguments)
    name_replacement.lend_what_is_mentioned(function, found, lists=lists)
    program = _known.setdefault(id(key), program)  # last: one whose reading was interrupted is read again
    if len(_known) > _MOST:
        del _known[next(iter(_known))]
    return program


def _nothing() -> None:
    """Refer to nothing, so that the program is read each time."""


def forget() -> None:
    """Know nothing of any program, nor of what it needs."""
    _known.clear()
    name_replacement.needs.clear()
