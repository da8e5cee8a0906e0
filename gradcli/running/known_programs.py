"""What is known of the programs that have run, by their code: a function that is made anew is the same program."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from gradcli.code.reachable_code import enclosed, reached
from gradcli.patching import name_replacement
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


def get(function: Callable[..., Any]) -> KnownProgram | None:
    """What is known of a function's program; None where it has to be read."""
    program = _known.get(id(getattr(function, "__code__", None)))
    if program is None and (program := _known.get(id(name_replacement.code_of(function)))) is None:
        return None
    return program if program.read_from is None or program.read_from() is _origin(function) else None


def _origin(function: Any) -> Any:
    """What makes a function another one than those of the same code: the object of a method, or the function itself."""
    return getattr(function, "__self__", function)


def read(function: Callable[..., Any], arguments: tuple[Any, ...]) -> KnownProgram:
    """Read what a function leads to before it runs, and remember what has to be lent to it.

    Raises:
        UsageError: it is no function.
    """
    name_replacement.followed(function)
    key = name_replacement.code_of(function)
    program = _known.get(id(key)) or KnownProgram(key)
    origin = _origin(function)
    found = reached(function, *arguments)
    if origin is not function or found.items or any(map(callable, enclosed(function))):
        try:
            program.read_from = weakref.ref(origin)
        except TypeError:
            program.read_from = _nothing
    program.readers = Readers(found.functions)
    lists = any(isinstance(each, (list, tuple, dict)) for each in arguments)
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
