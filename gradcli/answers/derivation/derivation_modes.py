"""`derive`: the gradient program of a function, and its programs in forward mode, verified before they are returned."""

from __future__ import annotations

import ast
import copy
import linecache
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np

from gradcli.answers.derivation.derived_program import Source, verified_source
from gradcli.answers.derivation.file_text import list_text
from gradcli.answers.derivation.formula_source import refuse_other_value, source_of_formula
from gradcli.answers.derivation.forward_mode import DirectionalDerivation
from gradcli.answers.derivation.languages.python_program import PythonProgram, compiled
from gradcli.answers.derivation.languages.translated_programs import Language, check_language
from gradcli.answers.derivation.reading.function_source import UserFunction
from gradcli.answers.derivation.refusals import STRAIGHT, LineOf, refusal_at
from gradcli.answers.derivation.reverse_mode import Derivation, DerivationTask
from gradcli.answers.derivation.straight_line import straight
from gradcli.answers.derivation.syntax_trees import names_in, nodes_in
from gradcli.answers.derivation.trial_points import of_single_axes
from gradcli.answers.derivation.verification import DerivedTrial, shown
from gradcli.answers.targets import Target, as_point, resolve
from gradcli.answers.targets.expressions import Formula
from gradcli.answers.targets.functions import callee_of, function_target
from gradcli.answers.targets.points import select
from gradcli.engine.running.bound_call import BoundCall, name_of
from gradcli.engine.running.muted_reruns import muted
from gradcli.engine.running.program_state import unchanged
from gradcli.errors import GradcliError, InconclusiveError, UnsupportedError, UsageError
from gradcli.methods.transforms.gradients import grad, stop_gradient
from gradcli.methods.transforms.jacobians import jacobian
from gradcli.methods.transforms.products import jvp
from gradcli.methods.transforms.public_functions import library_call
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.pytree import all_finite, map_leaves

Mode = Literal["gradient", "forward", "jacobian", "hessian"]


@library_call
def derive(  # noqa: PLR0913 - each says one thing about the program
    f: Callable[..., Any] | str, *, at: Any, mode: Mode = "gradient", value: bool = False, vector: bool = False,
    straight: bool = False, lang: Language = "python", wrt: Sequence[str] = (),
) -> Source:  # fmt: skip
    """Write the derivative of a function as a standalone Python function, which does not need gradcli.

    Args:
        f: a plain Python function that returns one number, or a target as text; for `forward` and `jacobian`, the
            result may also be an array or a list.
        at: a point, as for `check`. An input that is an array must be an array with as many axes later; sizes may
            differ, while what is broadcast stays so. Integers stay integers unless `wrt` names them.
        mode: `gradient`; `forward`, the derivative along a direction, which is passed after the inputs; `jacobian`,
            whose arrays have the shape of the result followed by that of the input; `hessian`, which has the shape of
            the input twice, for one input only.
        value: whether to return the value as well, before a gradient or a tangent.
        straight: whether to derive the run recorded at the point instead of the source; conditions that hold only on
            its path are asserted.
        vector: whether to add a function from one vector to an array, for a gradient.
        lang: `python`; `c`, C99 for arrays of the point's sizes, compared with the Python program if a compiler is
            available; `numba`, Python with Numba's decorator; `latex`, the lines of the function and of the sweep.
        wrt: the names of the inputs to differentiate by; all by default. The function takes the others as well.

    Returns:
        A Source: `str()` gives the file, `.function` the function, and `.save(path)` writes the file. The function
        takes the arguments of `f` and returns the gradient with respect to the input, or a tuple for several inputs.

    Raises:
        UnsupportedError: the function cannot be derived; the construct is named, with its line.
        ResultError: the function does not return one number.
        InconclusiveError: the derived program could not be compared at any point.
        InternalError: the derived program is wrong, which is a bug in gradcli.
    """
    target = resolve(f) if isinstance(f, str) else function_target(name_of(f), name_of(f), f)
    point = as_point(at, target)
    wanted = Wanted(mode, value, vector, straight, lang, select(",".join(wrt) or None, point))
    return derived(target, point.keep_integers(wanted.wrt), f"gradcli.derive({target.name}, at=…)", wanted)


class Wanted(Frozen):
    """The options of a derivation; the fields are the arguments of `derive`."""

    mode: Mode = "gradient"
    value: bool = False
    vector: bool = False
    straight: bool = False
    lang: Language = "python"
    wrt: tuple[str, ...] = ()


def derived(target: Target, point: dict[str, Any], command: str, wanted: Wanted) -> Source:
    """`derive` for a target and a point by name, with the command to write into the file.

    Raises:
        UsageError: the options contradict each other.
    """
    if wanted.straight and (wanted.value or wanted.vector or wanted.mode != "gradient"):
        raise UsageError("--straight writes the gradient alone.", hint="Leave out the other options.")
    for option, modes in (("value", ("gradient", "forward")), ("vector", ("gradient",))):
        if getattr(wanted, option) and wanted.mode not in modes:
            what = "is for a gradient" + " or --forward" * (len(modes) - 1)
            raise UsageError(f"--{option} {what}, not for --{wanted.mode}", hint=f"Leave out --{option}.")
    check_language(wanted.lang, wanted.mode, vector=wanted.vector)
    wanted = wanted.changed(value=True) if wanted.lang == "latex" else wanted
    with muted(), unchanged(BoundCall.of_inputs(target.with_inputs(point).function, point.values())):
        try:
            return _derived(target, point, command, wanted)
        except UnsupportedError as error:
            if STRAIGHT in (error.hint or "") and (reason := _straight_refusal(target, point, wanted)):
                error.hint = (error.hint or "").replace(STRAIGHT, reason)
            raise


def _straight_refusal(target: Target, point: dict[str, Any], wanted: Wanted) -> str:
    """Why the run at the point cannot be written out either; empty if it can."""
    if wanted.mode != "gradient":
        command = "hessian" if wanted.mode == "hessian" else "jacobian"
        return f"--straight writes out a gradient alone; `gradcli {command}` computes numbers."
    try:
        straight(target, point, "", wanted.lang, wanted.wrt)
    except GradcliError as error:
        return " ".join(filter(None, (f"--straight does not write it out either: {error.message}.", error.hint)))
    except Exception as error:  # as of a number that is no longer an integer
        return f"--straight does not write it out either: the recorded run raises {type(error).__name__}: {error}."
    return ""


def _derived(target: Target, point: dict[str, Any], command: str, wanted: Wanted) -> Source:
    if wanted.straight:
        return straight(target, point, command, wanted.lang, wanted.wrt)
    point = {name: x.to_write_into() if hasattr(x, "to_write_into") else x for name, x in point.items()}
    formula = target.function if isinstance(target.function, Formula) else None
    if formula and not all_finite(value := formula(*point.values())):
        hint = "Choose a point at which the expression has a value."
        raise InconclusiveError(f"{target.name} is {value} at {shown(list(point.values()))}", hint=hint)
    function = source_of_formula(formula, [*point.values()]) if formula else callee_of(target.function)
    title = target.name if formula else None
    task = DerivationTask(function, point, command, title, wanted.wrt, inlines=wanted.lang in ("c", "latex"))
    program, trial = _program(task, wanted)
    if formula:
        refuse_other_value(formula, function, program.points)
    # A length of 1 that only some arrays have may broadcast where no run showed it.
    if sizes := [point for point in of_single_axes(program.points[0]) if trial.is_silently_wrong(point)]:
        program, trial = _program(task.changed(sizes=sizes), wanted)
    return verified_source(program, trial, wanted.lang)


def _program(task: DerivationTask, wanted: Wanted) -> tuple[PythonProgram, DerivedTrial]:
    """A derived Python program, and the comparison that verifies it."""
    return _gradient(task, wanted) if wanted.mode == "gradient" else _directional(task, wanted)


def _gradient(task: DerivationTask, wanted: Wanted) -> tuple[PythonProgram, DerivedTrial]:
    """A gradient by reverse mode."""
    derivation = Derivation(task)
    text = derivation.gradient(with_value=wanted.value, on_vectors=wanted.vector)
    program = derivation.program(f"grad_{derivation.user.name}", text, wanted.mode, value=wanted.value)
    derived = program.function()
    alone = (lambda *x: derived(*x)[1]) if wanted.value else derived
    return program, DerivedTrial(task.function, alone, derivation.places, ends=derivation.observation.ends_at)


def _directional(task: DerivationTask, wanted: Wanted) -> tuple[PythonProgram, DerivedTrial]:
    """A derivative by forward mode."""
    function, derivation = task.function, DirectionalDerivation(task)
    places, user = derivation.places, derivation.user
    name = f"{'jvp' if wanted.mode == 'forward' else wanted.mode}_{user.name}"
    truth: Callable[..., Any]
    if wanted.mode == "forward":
        text, truth = derivation.forward(with_value=wanted.value), partial(tangent_of, function, places)
    elif wanted.mode == "jacobian":
        _require_array(function, derivation)
        text = derivation.jacobian(name, f"The derivatives of {derivation.named()} by {list_text(derivation.inputs)}")
        truth = partial(columns_last, jacobian(function, places), places)
    else:
        text, truth = _hessian(task, derivation, name), jacobian(grad(function, places[0]), places)
    program = derivation.program(name, text, wanted.mode, value=wanted.value)
    derived = program.function()
    alone = (lambda *x: derived(*x)[1]) if wanted.value else derived
    alone = partial(along_ones, alone, places) if wanted.mode == "forward" else alone
    return program, DerivedTrial(function, alone, places, truth, ends=derivation.observation.ends_at)


def _require_array(function: Callable[..., Any], derivation: DirectionalDerivation) -> None:
    """Refuse the Jacobian of a result that is no array of numbers, nor a list or tuple that makes one."""
    value = function(*copy.deepcopy(derivation.points[0]))
    try:
        is_array = np.asarray(value).dtype.kind in "biufc"
    except ValueError:  # rows of several lengths
        is_array = False
    if not is_array:
        user, hint = derivation.user, "Return one array, or a list of parts of one shape."
        raise refusal_at(user.file, user.tree, "the Jacobian of a result that is no array", hint, runs=False)


def _hessian(task: DerivationTask, derivation: DirectionalDerivation, name: str) -> str:
    """The text of the Hessian, derived from the derived gradient."""
    places, user = derivation.places, derivation.user
    if len(places) > 1:
        raise UsageError("--hessian derives by one input.", hint=f"Type --wrt {derivation.inputs[0]}.")
    first = Derivation(task.changed(command="", inputs=derivation.inputs))
    gradient = compiled(first.gradient(), f"grad_{user.name}")
    for function in (user, *(called for _, called in first.called_functions())):
        for node in nodes_in(function.tree):
            if first.observation.of(node).callees == [stop_gradient]:  # which holds in each of the two derivatives
                what, hint = "the second derivatives of what stop_gradient holds", "gradcli.hessian computes them."
                raise refusal_at(function.file, node, what, hint, runs=False)
    DerivedTrial(task.function, gradient, places, ends=derivation.observation.ends_at).at(derivation.points)
    what = f"The second derivatives of {derivation.named()} by {list_text(derivation.inputs)}"
    title = f"the gradient of {derivation.named()}"
    try:
        second = DirectionalDerivation(task.changed(function=gradient, title=title, inputs=derivation.inputs))
        return second.jacobian(name, what)
    except UnsupportedError as error:
        raise _of_second_derivative(error, user) from None


def _of_second_derivative(error: UnsupportedError, user: UserFunction) -> UnsupportedError:
    """An error for a line of the derived gradient, which the user has not written, as one for the user's function."""
    line = linecache.getline(error.file or "", error.line or 0).strip()
    step = line.removeprefix("def ").partition("(")[0] if line.startswith("def ") else line
    reason = f"in its gradient, `{step}` cannot be derived again" if step else error.message
    place = LineOf(_users_line(error, user))
    what = user.text(place) if place.lineno != user.tree.lineno else user.name  # type: ignore[arg-type]
    return refusal_at(user.file, place, f"the second derivatives of {what}: {reason}")


def _users_line(error: UnsupportedError, user: UserFunction) -> int:
    """The user's line to which a line of the derived gradient, or of a function that it calls, belongs."""
    lines = linecache.getlines(error.file or "")
    functions = [node for node in ast.parse("".join(lines)).body if isinstance(node, ast.FunctionDef)]
    reached = {node.name for node in functions if node.lineno <= (error.line or 0) <= (node.end_lineno or 0)}
    for _ in functions:
        reached |= {node.name for node in functions if names_in(node) & reached}
    nodes = [node for node in nodes_in(functions[-1]) if isinstance(node, ast.Name)] if functions else []
    line = min((node.lineno for node in nodes if node.id in reached), default=error.line or 0)
    comment = next((text.strip()[2:] for text in reversed(lines[:line]) if text.strip().startswith("# ")), "")
    own = enumerate(linecache.getlines(user.file)[user.tree.lineno - 1 : user.tree.end_lineno], user.tree.lineno)
    return next((n for n, text in own if comment and text.strip().startswith(comment[:-1])), user.tree.lineno)


def ones(value: Any) -> Any:
    """A direction of ones with the structure of a value."""
    return map_leaves(lambda x: np.ones_like(x) if isinstance(x, np.ndarray) else 1.0, value)


def along_ones(function: Callable[..., Any], places: Sequence[int], *point: Any) -> Any:
    """A derived Jacobian-vector product along the direction of ones."""
    return function(*point, *(ones(point[n]) for n in places))


def columns_last(matrices: Callable[..., Any], places: Sequence[int], *point: Any) -> Any:
    """The tape's Jacobians, those by a list as arrays whose last axis runs over its items."""
    by_input = matrices(*point)
    pairs = zip(by_input, (point[n] for n in places), strict=True)
    return tuple(
        np.stack(by, axis=-1) if isinstance(x, (list, tuple)) and x and isinstance(by[0], np.ndarray) else by
        for by, x in pairs
    )


def tangent_of(function: Callable[..., Any], places: Sequence[int], *point: Any) -> Any:
    """The tape's tangent along the direction of ones."""

    def moving(*inputs: Any) -> Any:
        given = dict(zip(places, inputs, strict=True))
        return function(*(given.get(n, argument) for n, argument in enumerate(point)))

    primals = tuple(point[n] for n in places)
    return jvp(moving, primals, tuple(map(ones, primals)))[1]
