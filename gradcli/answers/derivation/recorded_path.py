"""The gradient program along the path of one recorded run, verified before it is returned."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from functools import partial
from typing import Any

from gradcli.answers.derivation.compiled_python_source import compiled
from gradcli.answers.derivation.derived_program import Source, verified_source
from gradcli.answers.derivation.languages.python_program import PythonProgram
from gradcli.answers.derivation.languages.translated_programs import Language
from gradcli.answers.derivation.refusals import OF_NUMBERS, STRAIGHT, refusal_at
from gradcli.answers.derivation.straight_line import StraightLine, runs_at
from gradcli.answers.derivation.trial_points import points_around
from gradcli.answers.derivation.verification import DerivedTrial
from gradcli.answers.targets import Target
from gradcli.engine.patching.name_replacement import function_to_run
from gradcli.errors import UnsupportedError, origin
from gradcli.methods.transforms.gradients import trace


def straight(
    target: Target, point: dict[str, Any], command: str, lang: Language = "python", wrt: Sequence[str] = ()
) -> Source:  # fmt: skip
    """The gradient along the path of one recorded run, independent of the function's source.

    Raises:
        UnsupportedError: an operation of the run has no source form.
    """
    inputs = tuple(point)
    if odd := next((input_ for input_ in inputs if not input_.isidentifier()), None):
        node = ast.Pass(lineno=target.line) if target.line else None
        raise refusal_at(target.file, node, f"the input {odd}, an item", OF_NUMBERS, runs=False)
    function = target.with_inputs(inputs).function
    arguments = list(point.values())
    title = target.name if target.name.isidentifier() else "f"
    is_own = target.file is not None and function_to_run(target.function) is target.function
    where = origin(target.file or "", target.line) if is_own else target.name
    line = StraightLine(trace(function, *copy.deepcopy(arguments)), inputs, title, wrt)
    try:
        text, name = line.gradient(command, where, with_value=lang == "latex"), f"grad_{title}"
    except UnsupportedError as error:
        hint = (error.hint or "").removesuffix(STRAIGHT).strip() or None
        file, line_number = (error.file, error.line) if error.line else (target.file, target.line)
        raise UnsupportedError(error.message, hint=hint, file=file, line=line_number) from None
    derived = compiled(text, name)
    points = [arguments, *(nearby for nearby in points_around(arguments)[1:] if runs_at(derived, nearby))]
    alone = (lambda *x: derived(*x)[1]) if lang == "latex" else derived
    places = [inputs.index(variable) for variable in line.active]
    ends = partial(runs_at, derived)  # on the same path
    trial = DerivedTrial(function, alone, places, is_along_path=True, ends=ends)
    program = PythonProgram(
        name, text, line.parts, point, inputs, line.active, points, command, "gradient", lang == "latex",
        line.sensitivities, line.routine.kinds,
    )  # fmt: skip
    return verified_source(program, trial, lang)
