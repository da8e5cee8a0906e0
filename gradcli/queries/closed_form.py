"""Closed forms of a target and of its derivatives, by SymPy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gradcli.answers.targets import Asked, Target, Where, resolve
from gradcli.answers.targets.argument_binding import refuse_no_inputs, spellings
from gradcli.engine.traces.trace import Trace
from gradcli.errors import PointError, UnsupportedError, UsageError, UserCodeError
from gradcli.methods.numerics.coordinates import coordinates
from gradcli.methods.numerics.deadline import TooLongError
from gradcli.methods.transforms.scalar_results import number_of
from gradcli.queries.bound_target import Question, ask
from gradcli.shared.findings import finding
from gradcli.shared.pytree import record_value
from gradcli.shared.records.closed_form import ClosedForm
from gradcli.shared.records.result_and_finding import Finding

SHOWS_STEPS = "`gradcli tape` shows the steps."
OF_COMPLEX = "Compute with the real and the imaginary part as separate numbers; `gradcli check` verifies complex ones."
NODE_BY_NODE = "`gradcli check` verifies it node by node; `gradcli tape` shows the steps."


def symbolic(target: Asked, at: Where = None, wrt: str | None = None) -> ClosedForm:
    """The closed forms of `target` and of its derivatives, along the path that the program takes at `at`."""
    question = ask(target, at if at is not None else _default_point(resolve(target)), wrt)
    trace = _recorded(question, chosen=at is None)
    number_of(question.function, trace.value, needed_by="symbolic")
    last = trace.result_index()
    value, derivatives, latex = _constant(question, trace) if last is None else _forms(question, trace, last)
    names = tuple(part.name for part in coordinates(question.point, question.wanted))
    return ClosedForm(
        question.target.text,
        tuple(part.name for part in coordinates(question.point)),
        value,
        {name: derivatives[name] for name in names},
        {name: latex[name] for name in ("value", *names)},
        None,
        question.target.reading,
        (*question.target.findings, *_path(trace)),
        record_value(question.point),
        at is None,
    )


def _recorded(question: Question, *, chosen: bool) -> Trace:
    """Record the run; if it raises at a point that gradcli chose, the hint says so."""
    try:
        return question.record()
    except UserCodeError as error:
        if chosen:
            at = ",".join(f"{name}=1" for name in question.point)
            how = f"Without --at, the point {at} was chosen; choose another with --at."
            error.hint = f"{error.hint} {how}" if error.hint else how
        raise


Texts = tuple[str, dict[str, str], dict[str, str]]
"""The value, the derivatives by component, and the LaTeX of both."""


def _forms(question: Question, trace: Trace, last: int) -> Texts:
    from gradcli.methods.symbolic import closed_form as method

    parts = coordinates(question.point)
    try:
        operations = method.size(trace, last, list(trace.input_indices()))
        if operations > method.LARGEST:
            many = f"the closed form has {method.in_words(operations)}, too many to read"
            raise UsageError(many, hint=NODE_BY_NODE)
        with method.within_reach():
            return _written(method.expression(trace, last, list(trace.input_indices()), parts))
    except (method.TooDeepError, TooLongError) as error:
        raise UsageError(f"there is no readable closed form: {error}", hint=NODE_BY_NODE) from error
    except UsageError:
        raise
    except method.NoClosedFormError as error:
        raise _without_form(question.record(names=True), error.index) from error
    except (TypeError, ValueError, AttributeError, LookupError, NotImplementedError) as error:
        raise UnsupportedError("the program has no closed form", hint=SHOWS_STEPS) from error


def _without_form(trace: Trace, index: int) -> UnsupportedError:
    """The error for a step that has complex numbers, or no expression of real ones."""
    node = trace.nodes[index]
    if np.iscomplexobj(node.value):
        made = "the point has" if node.is_input else f"{node.operation} gives"
        text, hint = f"{made} complex numbers, and closed forms have real numbers only", OF_COMPLEX
    else:
        text, hint = f"{node.operation} has no closed form here", SHOWS_STEPS
    return UnsupportedError(text, hint=hint, file=node.file, line=node.line)


def _written(form: Any) -> Texts:
    import sympy

    from gradcli.methods.symbolic import closed_form as method

    derivatives = method.closed_forms(form)
    texts = {name: method.text(derivative) for name, derivative in derivatives.items()}
    latex = {name: sympy.latex(derivative) for name, derivative in derivatives.items()}
    return method.text(form.value), texts, {"value": sympy.latex(form.value), **latex}


def _constant(question: Question, trace: Trace) -> Texts:
    value = str(trace.value)
    zeros = {part.name: "0" for part in coordinates(question.point)}
    return value, zeros, {"value": value, **zeros}


def _default_point(target: Target) -> str:
    """A default point for a target of single numbers, used when only the closed form is wanted.

    Raises:
        PointError: the single parameter could be a number or an array, whose length only a point tells.
    """
    refuse_no_inputs(target)
    needed = [parameter for parameter in target.parameters if parameter.required]
    if target.reading is None and len(needed) < 2:
        if not needed:
            raise PointError("There is no point.", hint=spellings(target))
        hint = f"If {needed[0].name} is a number: --at 1; if it is an array of three: --at 1,2,3."
        raise PointError(f"Only a point tells whether {target.name} takes a number or an array.", hint=hint)
    return ",".join(["1.0"] * len(needed))


def _path(trace: Trace) -> Iterator[Finding]:
    """A finding that the form holds along one path only, if the run has outcomes."""
    count = len(trace.outcomes)
    if not count:
        return
    facts = "1 comparison or rounding" if count == 1 else f"{count} comparisons and roundings"
    yield finding("G806", f"the formulas hold on the path taken at this point, which {facts} decided")
