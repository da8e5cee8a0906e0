"""A target bound to a point: the start of every query, and the place where the user's code runs.

The user's code runs inside `user_code`, which converts its exceptions into gradcli errors with the user's frames only.
Any other exception is a bug in gradcli.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from typing import Any, TypeVar

import numpy as np

from gradcli.answers.targets import Asked, Point, Target, Where, as_point, resolve, select
from gradcli.engine.traces.trace import Trace, record_trace
from gradcli.errors import GradcliError
from gradcli.mathematics.language.syntax import is_element
from gradcli.shared import devices, memory_limit
from gradcli.shared.float_errors import ignored_float_errors
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.pytree import labelled, record_value
from gradcli.shared.records.result_and_finding import Finding, Result

Record = TypeVar("Record", bound=Result)


@contextmanager
def user_code(doing: str, *, frameless: bool = False, hint: str | None = None) -> Iterator[None]:
    """Convert exceptions of the user's code into a UserCodeError; one without a user's frame is a bug in gradcli.

    The code is stopped when it has used nearly all of the machine's memory.

    Args:
        doing: a description of the action, for the message.
        frameless: whether the user's code is a C function or one of gradcli's own, which leave no frame of the user's.
        hint: a suggestion for the user.
    """
    try:
        # Non-finite values are reported as findings
        with memory_limit.limit.enforced(), ignored_float_errors():
            yield
    except (GradcliError, KeyboardInterrupt):
        raise
    except BaseException as error:
        if isinstance(error, MemoryError):
            _free_locals(error)
        from gradcli.answers.targets.tracebacks import exception_message, raised, user_frames
        from gradcli.engine.running.error_advice import arithmetic_advice, list_advice

        is_users = isinstance(error, SystemExit) or (frameless and isinstance(error, Exception))
        if not user_frames(error) and not is_users:
            raise
        failure = raised(error, doing)
        message = exception_message(error)
        failure.hint = (
            failure.hint
            or _of_dictionary(error)
            or _of_whole_number(error, message)
            or hint
            or _of_kind(error, message)
            or list_advice(error)
            or arithmetic_advice(error)
        )
        raise failure from None


def _free_locals(error: BaseException) -> None:
    """Free what the ended functions of a traceback hold: without memory, the error could not even be written."""
    traceback = error.__traceback__
    while traceback is not None:
        with suppress(RuntimeError):  # the function has not ended
            traceback.tb_frame.clear()
        traceback = traceback.tb_next


def _of_dictionary(error: BaseException) -> str | None:
    """The hint for code that takes a dictionary of the point for an object."""
    name = error.name if isinstance(error, AttributeError) and isinstance(error.obj, dict) else None
    if name is None or name not in error.obj:  # type: ignore[attr-defined]
        return None
    return (
        f"An object of the point is a dictionary: write p[{name!r}] for p.{name}, or give the parameter the type of a "
        f"dataclass, def f(p: Params), and it is made one."
    )


def _of_whole_number(error: BaseException, text: str) -> str | None:
    """The hint for code that uses a number of the point as a count or an index."""
    if not isinstance(error, (TypeError, IndexError)) or not re.search(r"\binteger|\bnon-int\b", text):
        return None
    return (
        "Numbers to differentiate by are floats: leave a whole number n out of --wrt, write int(n) where it is needed, "
        "or take a function in which it stands, def g(x): return f(x, 3)."
    )


def _of_kind(error: BaseException, text: str) -> str | None:
    """The hint for code that uses a number of the point as an array, or an array as a number."""
    is_of_kind = isinstance(error, (TypeError, IndexError, AttributeError, ValueError))
    return next((hint for words, hint in _KINDS.items() if is_of_kind and re.search(words, text)), None)


_KINDS = {
    r"'float' object (is not|has no)|type 'float' has no|for @: .*'float'|not have enough dimensions": (
        "A number is no array. If an input should be one, type [1,2] for it, or [1] for an array of one number."
    ),
    r"only (0-dimensional|length-1) arrays": (
        "Functions of math take numbers: NumPy's take arrays too, such as np.sqrt for math.sqrt."
    ),
}
"""Hints by words of the errors of Python and NumPy."""


class Question(Frozen):
    """A target bound to a point.

    Args:
        target: the target; its function takes exactly the inputs that the point names.
        point: the values of the inputs by name, in order.
        wanted: the names of the inputs to differentiate by.
        device: the device on which the function runs; the point itself stays on the host.
    """

    target: Target
    point: Point
    wanted: tuple[str, ...]
    device: devices.device

    @property
    def function(self) -> Callable[..., Any]:
        """The function of exactly the inputs that the point names."""
        return self.target.function

    @property
    def arguments(self) -> list[Any]:
        """The values of the inputs, in order."""
        return list(self.point.values())

    @property
    def places(self) -> tuple[int, ...]:
        """The positions of the wanted arguments."""
        return tuple(n for n, name in enumerate(self.point) if name in self.wanted)

    @property
    def guard(self) -> Callable[[str], AbstractContextManager[None]]:
        """A context that attributes exceptions to the user's code, even for a C function without a frame."""
        return self.guarded()

    def guarded(self, hint: str | None = None) -> Callable[[str], AbstractContextManager[None]]:
        """As `guard`, with a hint for the errors."""
        reading = next(
            (f"In the point {finding.message}." for finding in self.target.findings if finding.code == "G416"), None
        )
        return partial(user_code, frameless=self.target.leaves_no_frame, hint=hint or reading)

    def on_host(self) -> Question:
        """The same question on the host."""
        return Question(self.target, self.point, self.wanted, devices.device("cpu"))

    def listed_findings(self, trace: Trace) -> list[Finding]:
        """The findings of a run with names that is shown step by step."""
        from gradcli.methods.diagnose.run_findings import listed_findings

        def on_host() -> Trace:
            return trace if self.device.number is None else self.on_host().record(names=True)

        return listed_findings(trace, self.point, self.wanted, on_host)

    def answer(
        self, kind: Callable[..., Record], *values: Any, findings: Iterable[Finding] = (), **fields: Any
    ) -> Record:
        """A record of this target and point.

        Args:
            kind: its class.
            values: those of the fields after the target and the point.
            findings: what there is to say besides the findings of the target.
            fields: other fields by name.
        """
        return kind(
            self.target.text,
            record_value(self.point),
            *values,
            reading=self.target.reading,
            findings=(*self.target.findings, *findings),
            **fields,
        )

    @contextmanager
    def running(self) -> Iterator[None]:
        """A context for running the function on its device, with exceptions attributed to the user's code."""
        with self.device, self.guard(f"in {self.target.name}"):
            yield

    def record(
        self,
        *,
        names: bool = False,
        libraries: bool = False,
        numbered: Callable[[Trace], Collection[int]] | None = None,
    ) -> Trace:
        """Record one run at the point, with the user's names and lines if `names` is set.

        With `libraries`, installed packages have their names and lines too. Without, if `numbered` is given, each call
        of their functions is one node, and so is each call of NumPy's inside which a node would be `numbered`.
        """
        function = self.function
        named: dict[int, str] = {}
        if names:
            from gradcli.answers.targets.expressions import Formula

            if isinstance(function, Formula):
                function = partial(function, visit=partial(_name_part, function.text, named))
        with self.running():
            run = record_trace(function, tuple(self.arguments), names=names, libraries=libraries)
        if numbered is not None and not libraries:
            from gradcli.engine.traces.library_folding import fold_library_calls

            run = fold_library_calls(run, numbered)
        if names:
            labels = (label for name, item in self.point.items() for label, _ in labelled(name, item))
            inputs = dict(zip(run.input_indices(), labels, strict=True))
            run = run.renamed({**inputs, **run.names, **named, **inputs})
        return run


def _name_part(text: str, named: dict[int, str], node: Any, result: Any) -> None:
    """Name a node of a typed expression after its text, unless it is an element, whose operation says the same."""
    index = getattr(result, "index", None)
    if isinstance(index, int) and not is_element(getattr(node, "function", "")):
        named.setdefault(index, " ".join(text[node.start : node.end].split()))


def _with_defaults(point: Point, target: Target, wrt: str | None) -> Point:
    """The point with the defaults of the parameters in `wrt` that it does not give, if they are floats or arrays."""
    asked = {name.strip() for name in (wrt or "").split(",")} - point.keys()
    for parameter in target.parameters:
        kind = getattr(parameter.default, "dtype", np.dtype(object)).kind
        if parameter.name in asked and not parameter.required and (type(parameter.default) is float or kind == "f"):
            default = parameter.default
            point[parameter.name] = default.copy() if isinstance(default, np.ndarray) else default
    return point


def ask(target: Asked | Callable[..., Any], at: Where, wrt: str | None = None, device: str = "cpu") -> Question:
    """Read a target and a point, unless they have been read already, and bind them on a device.

    Raises:
        UsageError: the target or the point cannot be understood, found or fitted, or the device does not exist.
        NotFiniteError: the point holds a nan or an infinity.
        UserCodeError: the user's file raised when it was imported.
    """
    place = devices.device(device)
    resolved = resolve(target)
    point = _with_defaults(as_point(at, resolved), resolved, wrt)
    bound = resolved.with_inputs(point)
    bound = bound.changed(findings=(*bound.findings, *point.findings)) if point.findings else bound
    wanted = select(wrt, point)
    return Question(bound, point.keep_whole(wanted), wanted, place)
