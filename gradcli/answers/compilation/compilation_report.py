"""The report of a compiled gradient: what runs, why nothing faster, and what is guarded."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.shared.frozen_record import Frozen

LONGEST = 60  # characters of a value that is shown
_SHOWN = (bool, int, float, complex, str, bytes, type(None), list, tuple, dict, np.ndarray, np.generic)


class ProgramReport(Frozen):
    """One specialisation.

    Attributes:
        signature: the types and shapes of its arguments.
        backend: `C` or `Python`.
        reason: why no other backend runs; empty if none is faster.
        hidden: the captured data that are read anew at each call.
        guarded: the captured data that are compared at each call, with what they were.
        calls: the number of its calls.
        reruns: the number of calls that were left to the eager gradient at an edge case.
        products: the number of products that a sparse derivative takes, one per colour and one that confirms it.
    """

    signature: str
    backend: str
    reason: str
    hidden: tuple[str, ...]
    guarded: tuple[str, ...]
    calls: int
    reruns: int
    products: int | None = None

    def __str__(self) -> str:
        lines = [f"{self.signature}: {self.backend}" + (f", {self.reason}" if self.reason else "")]
        lines += [f"  read at each call: {', '.join(self.hidden)}"] if self.hidden else []
        lines += [f"  compiled anew for others than: {', '.join(self.guarded)}"] if self.guarded else []
        lines += [f"  products at each call: {self.products}"] if self.products is not None else []
        eager = f", {self.reruns} of them eager at an edge case" if self.reruns else ""
        return "\n".join([*lines, f"  calls: {self.calls}{eager}"])


class CompilationReport(Frozen):
    """What `report()` of a compiled gradient returns; `str()` of it is the text.

    Attributes:
        kind: `gradient`, `jacobian`, `hessian` or `hvp`.
        function: the name of the function.
        programs: its specialisations.
        eager: why other calls stay eager, each with the signature of their arguments.
    """

    kind: str
    function: str
    programs: tuple[ProgramReport, ...]
    eager: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        lines = [str(program) for program in self.programs]
        lines += [f"{signature}: eager, {reason}" for signature, reason in self.eager]
        return "\n".join([f"compiled {self.kind} of {self.function}", *(lines or ["not called yet"])])

    def __repr__(self) -> str:
        return str(self)


def named(name: str, value: Any) -> str:
    """What a name stands for as text: a short value as it is, the kind of a long one, of others the name alone."""
    if not isinstance(value, _SHOWN):
        return name
    text = repr(value)
    return f"{name} = {text}" if len(text) <= LONGEST and "\n" not in text else f"{name}: {_described(value)}"


def described(arguments: Any) -> str:
    """The types and shapes of arguments as text."""
    return ", ".join(map(_described, arguments)) or "no arguments"


def _described(value: Any) -> str:
    kind = type(value).__name__
    if isinstance(value, (np.ndarray, np.generic)):
        shape = "x".join(map(str, value.shape))
        return f"{value.dtype}[{shape}]" + ("" if not value.ndim or value.flags.c_contiguous else " strided")
    if isinstance(value, (list, tuple, dict)):
        return f"{kind} of {len(value)}"
    return repr(value) if isinstance(value, (bool, int, str, type(None))) else kind
